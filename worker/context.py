"""What the tasks of one process share: settings, store, the way to the referee, the wish to stop.

Made in the process that uses it. Workers run tasks on threads (README.md), so nothing here is ever forked.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import Unreachable
from referee.match.fixture import PARKING_CAUSES
from referee.service.machine import identify
from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.engine import Store
from referee.store.schema import open_store
from worker.referee_client import GrpcReferee, RefereeClient


@dataclass(slots=True)
class Context:
    """One worker process. `playing` holds the fixtures in play, for its heartbeat."""

    settings: Settings
    store: Store
    blobs: Blobs
    machine: str
    name: str
    referee: RefereeClient
    slots: int = 1
    stopping: threading.Event = field(default_factory=threading.Event)
    playing: set[str] = field(default_factory=set)
    last_fault: str = ""

    @property
    def address(self) -> str:
        """Where a fixture in play here can be followed."""
        return self.settings.public_address or getattr(self.referee, "address", "")

    def note_fault(self, cause: str, reason: str) -> None:
        """The latest of our own faults is shown in the heartbeat."""
        self.last_fault = f"{cause}: {reason}" if cause in (*PARKING_CAUSES, "guarantee") else self.last_fault


_current: Context | None = None


def make(settings: Settings, kind: str, *, slots: int, referee: str = "", name: str = "") -> Context:
    """The context of this process, from now on the current one."""
    machine = identify(settings).name
    fixed = referee or os.environ.get("NINEFOLD_REFEREE")

    def find() -> str:
        return fixed or announced(settings.data_dir)

    return use(
        Context(
            settings=settings,
            store=open_store(settings),
            blobs=Blobs(settings),
            machine=machine,
            name=name or f"{kind}@{machine}",
            referee=GrpcReferee(find(), find),
            slots=slots,
        )
    )


def use(context: Context) -> Context:
    """This context is the current one of the process."""
    global _current
    _current = context
    return context


def current() -> Context:
    """The context of this process."""
    if _current is None:
        raise RuntimeError("no worker was set up in this process; start it by `python -m worker`")
    return _current


def announced(data_dir: Path) -> str:
    """The address that the referee of this data folder wrote down; `Unreachable` if none runs."""
    path = data_dir / "league.json"
    try:
        address = json.loads(path.read_text(encoding="utf-8"))["referee"]
    except (OSError, ValueError, KeyError):
        raise Unreachable(f"no referee has announced itself in {path}; start the league with `ninefold up`") from None
    return str(address)
