"""A bot's folder as files: what belongs to it, its digest, and the archive the command line sends."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.errors import Refused
from referee.submission import paths
from referee.submission.limits import DEFAULT, UploadLimits


def files(folder: Path, limits: UploadLimits = DEFAULT) -> Iterator[tuple[str, Path]]:
    """Every file of the bot with its path relative to the folder, sorted; links and over-large folders are refused."""
    count = total = 0
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if paths.ignored(parts):
            continue
        name = "/".join(parts)
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise Refused("unpack", f"{paths.shown(name)} is a link or a device", "keep plain files and folders only")
        if path.is_dir():
            continue
        paths.checked(name, limits)
        count, total = count + 1, total + path.stat().st_size
        if count > limits.files:
            raise Refused(
                "unpack", f"the folder holds more than {limits.files:,} files", "leave out what the bot does not need"
            )
        if total > limits.unpacked_bytes:
            raise Refused(
                "unpack",
                f"the folder holds more than {limits.unpacked_bytes:,} bytes",
                "leave out what the bot does not need",
            )
        yield name, path


def digest(folder: Path, dependencies: Mapping[str, str] | None = None) -> str:
    """SHA-256, hex, over sorted lines `path NUL sha256 NUL`; fetched dependencies count as files in `dependencies/`.

    `dependencies` gives each fetched file's name and its SHA-256. Permission bits and times do not count.
    """
    lines = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files(folder)}
    lines.update({f"dependencies/{name}": value for name, value in (dependencies or {}).items()})
    whole = hashlib.sha256()
    for name in sorted(lines, key=lambda n: n.encode()):
        whole.update(name.encode() + b"\0" + lines[name].encode() + b"\0")
    return whole.hexdigest()


def pack(folder: Path) -> bytes:
    """The folder as tar.gz: the same bytes for the same files, whoever packs them and when."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in files(folder):
            info = tarfile.TarInfo(name)
            info.size = path.stat().st_size
            info.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as data:
                archive.addfile(info, data)
    return gzip.compress(plain.getvalue(), 6, mtime=0)
