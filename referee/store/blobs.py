"""Large things by the SHA-256 of their content: archives, build logs, images. Kept compressed, in a folder or wherever
an fsspec address leads (`s3://…`, `memory://…`), so that every machine of a league can read them.

Replays and logs of matches are not here but in the store, where they land in one transaction with their result.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

import fsspec
import zstandard

from referee.errors import NotFound, StoreFault
from referee.settings import Settings

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1 << 20


class Blobs:
    """The blob store of a league. What is in it never changes: the name is the content's digest."""

    def __init__(self, settings: Settings) -> None:
        self.url = settings.blob_url or str(settings.data_dir / "blobs")
        self._fs, self._root = fsspec.core.url_to_fs(self.url)

    def put(self, data: bytes) -> str:
        """The data is stored; its digest."""
        digest = hashlib.sha256(data).hexdigest()
        if not self.exists(digest):
            self._place(digest, zstandard.ZstdCompressor(level=3).compress(data))
        return digest

    def put_stream(self, source: IO[bytes]) -> str:
        """Everything left in `source` is stored, in constant memory; its digest."""
        digest, part = hashlib.sha256(), self._path(f".part-{uuid.uuid4().hex}")
        try:
            self._fs.makedirs(self._root, exist_ok=True)
            with (
                self._fs.open(part, "wb") as target,
                zstandard.ZstdCompressor(level=3).stream_writer(target, closefd=False) as packed,
            ):
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    packed.write(chunk)
            name = digest.hexdigest()
            self._move(part, name)
            return name
        except OSError as error:
            self._discard(part)
            raise StoreFault(self.url, str(error)) from error

    def get(self, digest: str) -> bytes:
        """The data of that digest, checked; `NotFound` if it is not there."""
        with self.open(digest) as stream:
            data = stream.read()
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreFault(self.url, f"blob {digest} is damaged")
        return data

    @contextmanager
    def open(self, digest: str) -> Iterator[IO[bytes]]:
        """A stream of the data of that digest; `NotFound` if it is not there."""
        path = self._of(digest)
        try:
            with self._fs.open(path, "rb") as packed:
                yield cast(IO[bytes], zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True))
        except FileNotFoundError:
            raise NotFound("blob", digest) from None

    def exists(self, digest: str) -> bool:
        """Whether the data of that digest is there."""
        return bool(self._fs.exists(self._of(digest)))

    def delete(self, digest: str) -> None:
        """The data of that digest is no longer kept."""
        self._discard(self._of(digest))

    def digests(self) -> list[str]:
        """Everything that is kept."""
        found = self._fs.find(self._root) if self._fs.exists(self._root) else []
        names = (str(path).rpartition("/")[2].removesuffix(".zst") for path in found)
        return sorted(name for name in names if _DIGEST.fullmatch(name))

    def _place(self, digest: str, packed: bytes) -> None:
        part = self._path(f".part-{uuid.uuid4().hex}")
        try:
            self._fs.makedirs(self._root, exist_ok=True)
            self._fs.pipe_file(part, packed)
            self._move(part, digest)
        except OSError as error:
            self._discard(part)
            raise StoreFault(self.url, str(error)) from error

    def _move(self, part: str, digest: str) -> None:
        """The blob is there whole or not at all: it takes its name only once it is complete."""
        target = self._of(digest)
        self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._fs.mv(part, target)

    def _discard(self, path: str) -> None:
        if self._fs.exists(path):
            self._fs.rm_file(path)

    def _of(self, digest: str) -> str:
        if not _DIGEST.fullmatch(digest):
            raise NotFound("blob", digest)
        return self._path(f"{digest[:2]}/{digest}.zst")

    def _path(self, name: str) -> str:
        return f"{cast(Any, self._root).rstrip('/')}/{name}"
