"""Archives from strangers: read twice, once to judge every byte and once to write, never the other way round.

A zip, tar or tar.gz is judged on what it really unpacks to, not on what its headers say: the first pass reads every
entry through caps on bytes, files and names and keeps nothing; only when all has passed does the second pass write.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from referee.errors import Refused
from referee.submission import paths
from referee.submission.limits import DEFAULT, MIB, UploadLimits

_CHUNK = 64 * 1024
_EOCD = struct.Struct("<4s4H2LH")  # end of central directory: signature, disk numbers, entries, size, offset, comment
_HEADER_BYTES = 1 * MIB  # no header of an honest archive is longer
_CENTRAL_BYTES = 4 * MIB  # 2,000 entries with names of 240 bytes take 0.6 MiB
_BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, RecursionError,
    NotImplementedError, RuntimeError, struct.error, LookupError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One regular file of an archive; `open` reads its bytes."""

    parts: tuple[str, ...]
    executable: bool
    open: Callable[[], IO[bytes]]


def unpack(source: Path, destination: Path, limits: UploadLimits = DEFAULT) -> list[str]:
    """The archive's files lie in `destination` (new or empty), one wrapping folder removed; their paths, sorted.

    `Refused` (stage `unpack`) names the entry and the reason, and then nothing has been written.
    """
    size = source.stat().st_size
    if size > limits.packed_bytes:
        raise Refused(
            "unpack",
            f"the archive has {size:,} bytes, the limit is {limits.packed_bytes:,}",
            "leave out what the bot does not need",
        )
    with source.open("rb") as packed:
        kept = _judge(packed, limits)
        wrapper = _wrapper(kept)
        packed.seek(0)
        budget = _Budget(limits)
        with _entries(packed, limits) as entries:
            for entry in entries:
                parts = paths.checked("/".join(entry.parts), limits)
                inner = parts[1:] if wrapper else parts
                if paths.ignored(parts) or paths.ignored(inner):  # as the digest sees it, which knows no wrapper
                    continue
                target = destination.joinpath(*inner)
                target.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(
                    target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755 if entry.executable else 0o644
                )
                with os.fdopen(descriptor, "wb") as out, entry.open() as data:
                    while chunk := data.read(_CHUNK):
                        budget.spend(len(chunk))
                        out.write(chunk)
    return sorted(str(p.relative_to(destination)) for p in destination.rglob("*") if p.is_file())


class _Budget:
    """Bytes that may still be unpacked."""

    def __init__(self, limits: UploadLimits) -> None:
        self._left, self._limit = limits.unpacked_bytes, limits.unpacked_bytes

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Refused(
                "unpack",
                f"the archive unpacks to more than {self._limit:,} bytes",
                "leave out what the bot does not need",
            )


def _judge(packed: IO[bytes], limits: UploadLimits) -> list[tuple[str, ...]]:
    """Paths of all files that would be written; every byte was read and every rule held."""
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    kept: list[tuple[str, ...]] = []
    budget = _Budget(limits)
    with _entries(packed, limits) as entries:
        for entry in entries:
            name = "/".join(entry.parts)
            parts = paths.checked(name, limits)
            if not parts:
                raise Refused("unpack", f"entry {paths.shown(name)} has no name", "pack the bot's folder anew")
            key = paths.folded(parts)
            if key in seen:
                same = (
                    "is there twice"
                    if seen[key] == "/".join(parts)
                    else f"differs from {paths.shown(seen[key])} only by letter case"
                )
                raise Refused("unpack", f"entry {paths.shown(name)} {same}", "keep one of them")
            seen[key] = "/".join(parts)
            for depth in range(1, len(parts)):
                folder = paths.folded(parts[:depth])
                plain = "/".join(parts[:depth])
                if folders.setdefault(folder, plain) != plain:
                    raise Refused(
                        "unpack",
                        f"folder {paths.shown(plain)} differs from {paths.shown(folders[folder])} only by letter case",
                        "keep one of them",
                    )
            if len(seen) > limits.files:
                raise Refused(
                    "unpack",
                    f"the archive holds more than {limits.files:,} files",
                    "leave out what the bot does not need",
                )
            with entry.open() as data:
                while chunk := data.read(_CHUNK):
                    budget.spend(len(chunk))
            if not paths.ignored(parts):
                kept.append(parts)
    for key, plain in seen.items():
        if key in folders:
            raise Refused("unpack", f"entry {paths.shown(plain)} is both a file and a folder", "keep one of them")
    if not kept:
        raise Refused("unpack", "the archive holds no files", "pack the bot's folder with its bot.toml")
    return kept


def _wrapper(kept: list[tuple[str, ...]]) -> str:
    """The one top-level folder that wraps the bot, or empty; `Refused` if there are several and no bot.toml."""
    if ("bot.toml",) in kept:
        return ""
    tops = sorted({parts[0] for parts in kept if len(parts) > 1})
    loose = [parts[0] for parts in kept if len(parts) == 1]
    if len(tops) == 1 and not loose:
        return tops[0]
    if len(tops) > 1:
        raise Refused(
            "unpack",
            f"the archive has {len(tops)} top-level folders ({', '.join(paths.shown(t) for t in tops[:4])}) "
            "and no bot.toml beside them",
            "pack one bot: its files at the top, or one folder around them",
        )
    return ""  # the manifest stage says that bot.toml is missing


@contextmanager
def _entries(packed: IO[bytes], limits: UploadLimits) -> Iterator[Iterator[Entry]]:
    magic = packed.read(4)
    packed.seek(0)
    try:
        if magic[:2] == b"PK":
            yield _zip_entries(packed, limits)
        elif magic[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=packed, mode="rb") as plain:
                yield _tar_entries(cast(IO[bytes], plain), limits)
        else:
            yield _tar_entries(packed, limits)
    except Refused:
        raise
    except _BROKEN as error:
        raise Refused(
            "unpack",
            f"the archive cannot be read ({str(error)[:120] or type(error).__name__})",
            "send a zip, tar or tar.gz",
        ) from None


def _zip_entries(packed: IO[bytes], limits: UploadLimits) -> Iterator[Entry]:
    _bound_central_directory(packed)
    with zipfile.ZipFile(packed) as archive:
        for info in archive.infolist():
            name = info.filename
            kind = (info.external_attr >> 16) & 0o170000
            if info.is_dir():
                paths.checked(name, limits)
                continue
            if kind not in (0, 0o100000):
                raise Refused(
                    "unpack", f"entry {paths.shown(name)} is a link or a device", "pack plain files and folders only"
                )
            if info.flag_bits & 0x1:
                raise Refused("unpack", f"entry {paths.shown(name)} is encrypted", "pack it without a password")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refused(
                    "unpack",
                    f"entry {paths.shown(name)} is packed by method {info.compress_type}",
                    "use deflate, as zip does by default",
                )
            if not info.flag_bits & 0x800 and not name.isascii():
                raise Refused("unpack", f"entry {paths.shown(name)} has a name that is not UTF-8", "rename it")
            if "\0" in info.orig_filename:
                raise Refused(
                    "unpack",
                    f"entry {paths.shown(info.orig_filename)} has a control character in its name",
                    "rename it",
                )
            executable = bool((info.external_attr >> 16) & 0o100)
            yield Entry((info.orig_filename,), executable, partial(archive.open, info))


def _bound_central_directory(packed: IO[bytes]) -> None:
    """A directory of millions of entries is refused before `zipfile` reads it into memory."""
    size = packed.seek(0, io.SEEK_END)
    start = max(0, size - _EOCD.size - 0xFFFF)
    packed.seek(start)
    tail = packed.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _EOCD.size:
        raise zipfile.BadZipFile("no end of central directory")
    central = _EOCD.unpack_from(tail, at)[5]
    zip64 = at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07"
    if zip64 or central > _CENTRAL_BYTES:
        raise Refused("unpack", "the archive's directory is far too large", "leave out what the bot does not need")
    packed.seek(0)


class _Careful(io.RawIOBase):
    """A tar's bytes with two caps: on the stream as a whole, and on what is asked for at once.

    `tarfile` reads a whole extended header at the length the header itself names; here that cannot fill the memory.
    """

    def __init__(self, inner: IO[bytes], limits: UploadLimits) -> None:
        self._inner = inner
        self._most = limits.unpacked_bytes + limits.files * 4096 + MIB
        self._limit = limits.unpacked_bytes

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._inner.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence != 0 or offset > self._most:
            raise Refused(
                "unpack",
                f"the archive unpacks to more than {self._limit:,} bytes",
                "leave out what the bot does not need",
            )
        return self._inner.seek(offset)

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _HEADER_BYTES:
            raise Refused("unpack", "an archive header is far too large", "pack the folder anew with tar or zip")
        if self._inner.tell() + size > self._most:
            raise Refused(
                "unpack",
                f"the archive unpacks to more than {self._limit:,} bytes",
                "leave out what the bot does not need",
            )
        return self._inner.read(size)


def _tar_entries(plain: IO[bytes], limits: UploadLimits) -> Iterator[Entry]:
    headers = 0
    with tarfile.open(fileobj=_Careful(plain, limits), mode="r:", errorlevel=2) as archive:
        while (info := archive.next()) is not None:
            cast(Any, archive).members = []  # tarfile keeps every header it has seen
            headers += 1
            if headers > 4 * limits.files:
                raise Refused(
                    "unpack",
                    f"the archive holds more than {limits.files:,} files",
                    "leave out what the bot does not need",
                )
            if info.isdir():
                paths.checked(info.name, limits)
                continue
            if not info.isreg() or info.issparse():
                raise Refused(
                    "unpack",
                    f"entry {paths.shown(info.name)} is a link, a device or a sparse file",
                    "pack plain files and folders only",
                )

            def opened(info: tarfile.TarInfo = info) -> IO[bytes]:
                data = archive.extractfile(info)
                if data is None:
                    raise tarfile.ReadError(f"no data for {paths.shown(info.name)}")
                return data

            yield Entry((info.name,), bool(info.mode & 0o100), opened)
