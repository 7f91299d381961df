"""Blobs: whole or not there, the same everywhere, damaged ones refused."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from referee.errors import NotFound, StoreFault
from referee.settings import Settings
from referee.store.blobs import Blobs


@pytest.fixture(params=["folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    return Blobs(Settings(tmp_path, blob_url="" if request.param == "folder" else f"memory://{tmp_path.name}"))


def test_what_is_put_is_got(blobs: Blobs) -> None:
    data = bytes(range(256)) * 5_000
    digest = blobs.put(data)
    assert digest == hashlib.sha256(data).hexdigest() == blobs.put_stream(io.BytesIO(data)) == blobs.put(data)
    assert blobs.get(digest) == data
    with blobs.open(digest) as stream:
        assert stream.read(10) == data[:10]
    assert blobs.digests() == [digest]
    blobs.delete(digest)
    blobs.delete(digest)
    assert not blobs.exists(digest)
    assert blobs.put(b"") == hashlib.sha256(b"").hexdigest()
    assert blobs.get(hashlib.sha256(b"").hexdigest()) == b""


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "ABC"])
def test_what_is_not_there_is_not_found(blobs: Blobs, name: str) -> None:
    with pytest.raises(NotFound):
        blobs.get(name)


def test_a_damaged_blob_is_refused(tmp_path: Path) -> None:
    blobs = Blobs(Settings(tmp_path))
    one, two = blobs.put(b"one"), blobs.put(b"two")
    paths = {path.name.removesuffix(".zst"): path for path in (tmp_path / "blobs").rglob("*.zst")}
    paths[one].write_bytes(paths[two].read_bytes())
    with pytest.raises(StoreFault, match="damaged"):
        blobs.get(one)


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    blobs = Blobs(Settings(tmp_path))

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("the line went dead")

    with pytest.raises(StoreFault, match="went dead"):
        blobs.put_stream(Broken())
    assert list((tmp_path / "blobs").iterdir()) == []
