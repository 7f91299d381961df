"""The broker that needs no server: messages as files in one folder.

Kombu's own file-system transport with two things put right. There a message appears under its name before it is
written, so a reader can catch it empty; here it takes its name when it is whole. There a message being read passes
through the system's temporary folder, and stays there if the reader is killed; here it stays in the queue's own.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils import json

_STALE_SECONDS = 60.0
_pack: Any = json.dumps
_unpack: Any = json.loads


class Channel(filesystem.Channel):
    """Messages of a queue are its `*.msg` files, in order of their names."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns():020}_{uuid.uuid4().hex}"
        part = folder / f".{name}.part"
        part.write_text(_pack(payload), encoding="utf-8")
        part.rename(folder / f"{name}.{queue}.msg")

    def _get(self, queue: str, timeout: Any = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(entry for entry in os.listdir(folder) if _queue_of(entry) == queue):
            taken = folder / f".{name}.taken"
            try:
                (folder / name).rename(taken)  # only one reader can
            except FileNotFoundError:
                continue
            text = taken.read_text(encoding="utf-8")
            taken.unlink(missing_ok=True)
            return _unpack(text)
        raise Empty

    def _purge(self, queue: str) -> int:
        purged = 0
        for name in os.listdir(self.data_folder_in):
            if _queue_of(name) == queue:
                (Path(self.data_folder_in) / name).unlink(missing_ok=True)
                purged += 1
        return purged

    def _size(self, queue: str) -> int:
        return sum(_queue_of(name) == queue for name in os.listdir(self.data_folder_in))


class Transport(filesystem.Transport):
    """See `Channel`."""

    Channel = Channel


def prepare(folder: Path) -> None:
    """The folder exists, and what killed programs left half-written or half-read in it is gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(".*"):
        try:
            if path.stat().st_mtime < time.time() - _STALE_SECONDS:
                path.unlink()
        except FileNotFoundError:
            continue


def _queue_of(name: str) -> str:
    """The queue of a message file; empty for anything else."""
    return "" if name.startswith(".") or not name.endswith(".msg") else name.partition(".")[2].removesuffix(".msg")
