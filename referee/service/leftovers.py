"""Scratch folders and files that a killed program left behind, on this machine's disk."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from referee.service.league import uploads

KEEP_SECONDS = 24 * 3600.0
"""Longer than any upload, build or backup takes."""
SCRATCH = ("nf-upload-*", "nf-pack-*", "nf-play-*", "nf-restore-*")
"""Of this user, in the system's temporary folder."""


def clear(data_dir: Path) -> int:
    """Nothing is left of uploads and builds that were broken off a day ago; how many files and folders went."""
    return uploads.sweep(data_dir / "uploads") + sum(_removed(path) for path in _old(data_dir))


def _old(data_dir: Path) -> Iterator[Path]:
    limit = time.time() - KEEP_SECONDS
    temporary = Path(tempfile.gettempdir())
    found = [*(data_dir / "builds").glob("upload-*"), *(path for name in SCRATCH for path in temporary.glob(name))]
    for path in found:
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        if status.st_mtime < limit and status.st_uid == os.geteuid() and not path.is_symlink():
            yield path


def _removed(path: Path) -> bool:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    return not path.exists()
