"""Large things by the SHA-256 of their content: archives, build logs, images. Kept compressed, in a folder or wherever
an fsspec address leads (`s3://…`, `memory://…`), so that every machine of a league can read them.

Replays and logs of matches are not here but in the store, where they land in one transaction with their result.

A blob is removed in two steps (`sweep.py`): it is set aside, and gone for good a grace later. Meanwhile it reads as if
it were in its place, and who puts it again, or asks whether it exists, has it back there.
"""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

import fsspec
import zstandard
from fsspec.implementations.local import LocalFileSystem

from referee.errors import NotFound, StoreFault, UsageError
from referee.settings import Settings
from referee.wording import masked

_DIGEST = re.compile(r"[0-9a-f]{64}")
_ASIDE = re.compile(r"(\d+)-([0-9a-f]{64})\.zst")
_CHUNK = 1 << 20


class Blobs:
    """The blob store of a league. What is in it never changes: the name is the content's digest."""

    def __init__(self, settings: Settings) -> None:
        url = settings.blob_url or str(settings.data_dir / "blobs")
        self.place = masked(url)
        """Where they are, for people."""
        if "://" in url:
            try:
                self._fs, self._root = fsspec.core.url_to_fs(url)
            except Exception as error:  # each kind of storage has its own
                why = masked(str(error)) or type(error).__name__
                raise UsageError(f"blob_url {self.place!r} cannot be used ({why}); correct it") from None
        else:  # a folder, whatever characters mean something in an address
            folder = Path(settings.blob_url).expanduser() if settings.blob_url else settings.data_dir / "blobs"
            self._fs, self._root = LocalFileSystem(), str(folder.absolute())

    @property
    def near(self) -> bool:
        """Whether the blobs lie in a folder of this machine, so that looking through them costs little."""
        return "file" in self._fs.protocol

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
            raise StoreFault(self.place, str(error)) from error

    def get(self, digest: str) -> bytes:
        """The data of that digest, checked; `NotFound` if it is not there."""
        with self.open(digest) as stream:
            data = stream.read()
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreFault(self.place, f"blob {digest} is damaged")
        return data

    @contextmanager
    def open(self, digest: str) -> Iterator[IO[bytes]]:
        """A stream of the data of that digest; `NotFound` if it is not there."""
        with self._packed(digest) as packed:
            yield cast(IO[bytes], zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True))

    def exists(self, digest: str) -> bool:
        """Whether the data of that digest is there; from now on it is in its place."""
        return bool(self._fs.exists(self._of(digest))) or self.put_back(digest)

    def delete(self, digest: str) -> None:
        """The data of that digest is no longer kept."""
        self._discard(self._of(digest))

    def digests(self) -> list[str]:
        """Everything that is kept, set aside or not."""
        return sorted({*self.sizes(), *(digest for _, digest in self.aside())})

    def sizes(self) -> dict[str, int]:
        """How many bytes each blob in its place takes."""
        found: dict[str, Any] = {}
        if self._fs.exists(self._root):
            found = self._fs.find(self._root, detail=True)
        names = {str(path).rpartition("/")[2].removesuffix(".zst"): info for path, info in found.items()}
        return {name: int(info.get("size") or 0) for name, info in names.items() if _DIGEST.fullmatch(name)}

    # ---- removal, step by step

    def set_aside(self, digest: str) -> None:
        """The blob is out of its place, and will be gone for good unless somebody wants it."""
        self._fs.makedirs(self._path("aside"), exist_ok=True)
        self._moved(self._of(digest), self._path(f"aside/{int(time.time())}-{digest}.zst"))

    def aside(self) -> list[tuple[float, str]]:
        """What is set aside, with the time (seconds since 1970) at which that was done."""
        folder = self._path("aside")
        self._fs.invalidate_cache()  # another machine may have moved things
        names = self._fs.ls(folder, detail=False) if self._fs.exists(folder) else []
        found = (_ASIDE.fullmatch(str(name).rpartition("/")[2]) for name in names)
        return sorted((float(match[1]), match[2]) for match in found if match)

    def put_back(self, digest: str) -> bool:
        """The blob is in its place again; False if it was not set aside, or is gone."""
        if not _DIGEST.fullmatch(digest):
            return False
        back = [
            self._moved(self._aside_of(since, name), self._of(name)) for since, name in self.aside() if name == digest
        ]
        return any(back)

    def forget(self, since: float, digest: str) -> None:
        """A blob set aside at that time is gone for good, unless it was put back meanwhile."""
        self._discard(self._aside_of(since, digest))

    def clear_parts(self, older_than: float) -> None:
        """What was left half-written so many seconds ago is gone."""
        for path in self._fs.ls(self._root, detail=False) if self._fs.exists(self._root) else []:
            if str(path).rpartition("/")[2].startswith(".part-"):
                try:
                    if self._fs.modified(path).timestamp() < time.time() - older_than:
                        self._discard(path)
                except (FileNotFoundError, NotImplementedError):
                    continue

    def owner(self) -> str:
        """Which league these blobs belong to, by its own word; empty if none has said so."""
        path = self._path("league")
        return bytes(self._fs.cat_file(path)).decode("ascii", "replace") if self._fs.exists(path) else ""

    def own(self, league: str) -> None:
        """The blobs are that league's."""
        self._fs.makedirs(self._root, exist_ok=True)
        self._fs.pipe_file(self._path("league"), league.encode())

    @contextmanager
    def _packed(self, digest: str) -> Iterator[Any]:
        place = self._of(digest)
        paths = [place]
        if not self._fs.exists(place):  # set aside, perhaps; or put back while we look
            paths = [*(self._aside_of(since, name) for since, name in self.aside() if name == digest), place]
        for path in paths:
            try:
                packed = self._fs.open(path, "rb")
            except FileNotFoundError:
                continue
            with packed:
                yield packed
            return
        raise NotFound("blob", digest)

    def _moved(self, path: str, target: str) -> bool:
        """Whether it is there now; another may have moved or removed it first."""
        try:
            self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._fs.mv(path, target)
        except FileNotFoundError:
            return False
        return True

    def _aside_of(self, since: float, digest: str) -> str:
        return self._path(f"aside/{int(since)}-{digest}.zst")

    def _place(self, digest: str, packed: bytes) -> None:
        part = self._path(f".part-{uuid.uuid4().hex}")
        try:
            self._fs.makedirs(self._root, exist_ok=True)
            self._fs.pipe_file(part, packed)
            self._move(part, digest)
        except OSError as error:
            self._discard(part)
            raise StoreFault(self.place, str(error)) from error

    def _move(self, part: str, digest: str) -> None:
        """The blob is there whole or not at all: it takes its name only once it is complete."""
        target = self._of(digest)
        self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._fs.mv(part, target)

    def _discard(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._fs.rm_file(path)

    def _of(self, digest: str) -> str:
        if not _DIGEST.fullmatch(digest):
            raise NotFound("blob", digest)
        return self._path(f"{digest[:2]}/{digest}.zst")

    def _path(self, name: str) -> str:
        return f"{cast(Any, self._root).rstrip('/')}/{name}"
