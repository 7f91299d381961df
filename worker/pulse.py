"""The heartbeat of a worker process, and how its machine steps back and comes back."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import structlog

from referee.errors import NinefoldError
from referee.store.commands import services
from referee.store.states import MachineState
from worker.context import Context

log = structlog.get_logger(__name__)
BEAT_SECONDS = 5.0
PROBATION_SECONDS = 30.0
"""A machine that stepped back is tried again after so long, then after twice as long, up to ten minutes."""
LONGEST_PROBATION_SECONDS = 600.0


class Pulse:
    """Beats on a thread of its own until stopped. A process that is stuck falls silent, and `status` names it."""

    def __init__(self, context: Context, kind: str) -> None:
        self._context, self._kind = context, kind
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)
        self._stepped_back_at: float | None = None
        self._probation = PROBATION_SECONDS

    def start(self) -> None:
        self._thread.start()

    def stop(self, reason: str) -> None:
        """The last word: the process ends by itself."""
        self._done.set()
        self._thread.join(BEAT_SECONDS)
        try:
            services.stopped(self._context.store, self._context.name, reason=reason)
        except NinefoldError as error:
            log.warning("last_beat_failed", error=str(error))

    def beat(self) -> None:
        """One heartbeat: alive, well or why not, and what is being played."""
        context = self._context
        trouble = "" if context.stopping.is_set() else context.referee.trouble()
        state = "stopping" if context.stopping.is_set() else "waiting" if trouble else "running"
        details: dict[str, Any] = {"playing": sorted(context.playing)}
        if context.last_fault:
            details["last_fault"] = context.last_fault
        said = services.Beat(
            name=context.name,
            kind=self._kind,
            machine=context.machine,
            pid=os.getpid(),
            slots=context.slots,
            state=state,
            stage=f"playing {len(context.playing)}" if context.playing else "idle",
            reason=trouble,
            referee=getattr(context.referee, "address", ""),
            progress=not trouble,
            details=details,
        )
        machine = services.beat(context.store, said)
        if self._kind == "worker":
            self._attend(machine, trouble)

    def _attend(self, machine: str, trouble: str) -> None:
        """A machine that stepped back is tried again once its referee is well and its time is over."""
        if machine == MachineState.READY:
            self._stepped_back_at = None
            return
        if self._stepped_back_at is None:
            self._stepped_back_at = time.monotonic()
            log.warning("stepped_back", machine=self._context.machine, seconds=self._probation)
        if not trouble and time.monotonic() - self._stepped_back_at >= self._probation:
            log.info("tries_again", machine=self._context.machine)
            self._probation = min(self._probation * 2, LONGEST_PROBATION_SECONDS)
            self._stepped_back_at = None
            services.record_probe(self._context.store, self._context.machine, ok=True)

    def _run(self) -> None:
        while True:
            try:
                self.beat()
            except NinefoldError as error:
                log.warning("beat_failed", error=str(error))
            except Exception:
                log.exception("beat_failed")
            if self._done.wait(BEAT_SECONDS):
                return
