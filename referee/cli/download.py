"""Files that a league sends: streamed with progress, gone on with after a dropped connection."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.progress import DownloadColumn

from referee.cli.client import STREAM_SECONDS, League
from referee.cli.output import progress
from referee.errors import ReplayError, Unreachable
from referee.wording import printable

RETRIES = 6


def save_one(league: League, method: str, request: Any, to: Path | None) -> None:
    """The one file that answers the call is in `to`, or on stdout."""
    chunks = [chunk.data for chunk in league.stream(method, request, seconds=120)]
    data = b"".join(chunks)
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)
        return
    if sys.stdout.isatty():  # a log may hold any bytes: a terminal is shown characters only
        text = data.decode("utf-8", "replace")
        sys.stdout.write(printable(text))
    else:
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def save_files(league: League, method: str, request: Callable[[int], Any], folder: Path) -> int:
    """All files that answer the call lie in `folder`; how many.

    A dropped connection goes on after the last whole file.
    """
    done = failures = 0
    with progress(DownloadColumn()) as shown:
        task = shown.add_task("downloading", total=None)
        while True:
            current: Path | None = None
            pieces: list[bytes] = []
            try:
                for chunk in league.stream(method, request(done), seconds=STREAM_SECONDS):
                    if chunk.name:
                        if current is not None:
                            done += _finish(current, pieces)
                        current, pieces = inside(folder, chunk.name), []
                    pieces.append(chunk.data)
                    shown.advance(task, len(chunk.data))
                    failures = 0
                if current is not None:
                    done += _finish(current, pieces)
                return done
            except Unreachable:
                failures += 1
                if failures >= RETRIES:
                    raise
                time.sleep(min(2**failures * 0.5, 8))


def _finish(path: Path, pieces: list[bytes]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(b"".join(pieces))
    part.replace(path)
    return 1


def inside(folder: Path, name: str) -> Path:
    """The file of that name below `folder`: what a league sends does not choose a place outside it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ReplayError(
            f"the league sent a file called {name!r}, which lies outside {folder}; nothing more was written"
        )
    return path
