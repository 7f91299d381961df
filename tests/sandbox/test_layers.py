"""An image travels as layers: only those that an engine lacks, under the same id, in constant memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.errors import PlatformFault
from referee.sandbox.engine import Engine
from referee.sandbox.image import bot_repository, commit, image_id
from referee.sandbox.layers import Description, Layer, _archive, put_together, take_apart
from referee.sandbox.reaper import reap_images
from referee.sandbox.rootfs import TarWriter
from referee.settings import Settings
from referee.store.blobs import Blobs

pytestmark = pytest.mark.docker
Make = Callable[[bytes], str]


@pytest.fixture
def make(engine: Engine, base: str, league: str) -> Iterator[Make]:
    """Makes an image over the base with one file in it; all are removed at the end."""
    made: list[str] = []

    def image(content: bytes) -> str:
        tar = io.BytesIO()
        writer = TarWriter(tar)
        writer.file("bot/word", content)
        writer.close()
        container = engine.api.create_container_from_config({"Image": base, "Cmd": ["true"]})["Id"]
        engine.api.put_archive(container, "/", tar.getvalue())
        labels = {"ninefold": league, "ninefold.purpose": "bot"}
        made.append(commit(engine, container, None, {"Cmd": ["cat", "/bot/word"], "Env": {}, "Labels": labels}))
        engine.remove_container(container)
        return made[-1]

    yield image
    for one in made:
        if image_id(engine, one) is not None:
            engine.api.remove_image(one, force=True)


def said(engine: Engine, image: str) -> bytes:
    container = engine.api.create_container_from_config({"Image": image, "HostConfig": {"NetworkMode": "none"}})["Id"]
    engine.api.start(container)
    engine.api.wait(container)
    try:
        return bytes(engine.api.logs(container))
    finally:
        engine.remove_container(container)


def test_an_image_comes_back_with_its_own_layer_alone(engine: Engine, make: Make, league: str, tmp_path: Path) -> None:
    blobs = Blobs(Settings(tmp_path))
    image = make(b"hello")
    kept = take_apart(engine, image, blobs.exists, blobs.put_stream, tmp_path)
    assert kept.image == image
    assert sorted(blobs.digests()) == sorted({layer.digest for layer in kept.layers})
    assert Description.from_json(kept.to_json()) == kept
    assert list(tmp_path.iterdir()) == [tmp_path / "blobs"], "nothing is left of the passage"

    second = take_apart(engine, make(b"another"), blobs.exists, blobs.put_stream, tmp_path)
    assert second.layers[:-1] == kept.layers[:-1], "the base is kept once"
    assert len(blobs.digests()) == len(kept.layers) + 1

    engine.api.remove_image(image)
    read: list[str] = []

    def counted(digest: str) -> object:
        read.append(digest)
        return blobs.open(digest)

    tag = f"{bot_repository(league)}:1"
    assert put_together(engine, kept, counted, tag) == 1  # type: ignore[arg-type]
    assert read == [kept.layers[-1].digest]
    assert image_id(engine, image) == image_id(engine, tag) == image
    assert said(engine, image) == b"hello"
    others = {found["Id"] for found in engine.api.images(filters={"label": f"ninefold={league}"})} - {image}
    assert image in reap_images(engine, league, others, newest=0)
    assert image_id(engine, image) is None


def test_what_was_brought_is_known_as_ours_whoever_built_it(engine: Engine, make: Make, tmp_path: Path) -> None:
    blobs = Blobs(Settings(tmp_path))
    image = make(b"from elsewhere")
    kept = take_apart(engine, image, blobs.exists, blobs.put_stream, tmp_path)
    engine.api.remove_image(image)
    put_together(engine, kept, blobs.open, f"{bot_repository('elsewhere0')}:1")
    assert reap_images(engine, "elsewhere0", [image], newest=0) == ()
    assert reap_images(engine, "elsewhere1", (), newest=0) == (), "another league's"
    assert image in reap_images(engine, "elsewhere0", (), newest=0)


def test_a_damaged_or_missing_layer_is_our_fault(engine: Engine, make: Make, tmp_path: Path) -> None:
    blobs = Blobs(Settings(tmp_path))
    image = make(b"to be damaged")
    kept = take_apart(engine, image, blobs.exists, blobs.put_stream, tmp_path)
    engine.api.remove_image(image)
    own = kept.layers[-1].digest
    good = blobs.get(own)
    blobs.delete(own)
    with pytest.raises(PlatformFault):
        put_together(engine, kept, _strictly(blobs), "nf-never:1")
    wrong = blobs.put(good.replace(b"to be damaged", b"it is damaged"))
    damaged = Description(kept.image, kept.config, (*kept.layers[:-1], Layer(wrong, len(good))))
    with pytest.raises(PlatformFault) as fault:
        put_together(engine, damaged, blobs.open, "nf-never:1")
    assert fault.value.cause == "docker"
    assert image_id(engine, image) is None
    assert image_id(engine, "nf-never:1") is None


def _strictly(blobs: Blobs) -> object:
    def opened(digest: str) -> object:
        if not blobs.exists(digest):
            raise PlatformFault("docker", f"{digest} is gone")
        return blobs.open(digest)

    return opened


def test_a_large_layer_is_never_whole_in_memory() -> None:
    class Large(io.RawIOBase):
        left = 64 << 20

        def __enter__(self) -> Large:
            return self

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            taken = min(size, self.left)
            self.left -= taken
            return bytes(taken)

    layer = Layer("0" * 64, 64 << 20)
    tracemalloc.start()
    total = sum(map(len, _archive(Description("sha256:1", "{}", (layer,)), 0, lambda digest: Large(), "x:1")))  # type: ignore[arg-type,return-value]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total > layer.size
    assert total % 512 == 0
    assert peak < 8 << 20


def test_another_format_is_refused_in_words() -> None:
    with pytest.raises(PlatformFault, match="ninefold-image/9"):
        Description.from_json(json.dumps({"format": "ninefold-image/9"}).encode())
