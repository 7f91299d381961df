"""The heartbeat of a worker process, and how its machine steps back and comes back."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import Any

import structlog

from referee.errors import NinefoldError
from referee.store.commands import services
from referee.store.states import MachineState
from worker.context import Context
from worker.referee_client import Health

log = structlog.get_logger(__name__)
BEAT_SECONDS = 5.0
PROBATION_SECONDS = 30.0
"""A machine that stepped back is tried again after so long, then after twice as long, up to ten minutes.

Once it has played for as long as the longest wait, it starts from the shortest again.
"""
LONGEST_PROBATION_SECONDS = 600.0


class Pulse:
    """Beats on a thread of its own until stopped. A process that is stuck falls silent, and `status` names it."""

    def __init__(self, context: Context, kind: str) -> None:
        self._context, self._kind = context, kind
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)
        self._stepped_back_at: float | None = None
        self._probation = PROBATION_SECONDS
        self._returned_at = 0.0
        self._by_probe = False

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
        stopping = context.stopping.is_set()
        health = Health() if stopping else context.referee.health()
        state = "stopping" if stopping else "waiting" if health.trouble else "running"
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
            reason=health.trouble,
            referee=context.address,
            progress=not health.trouble,
            details=details,
        )
        machine = services.beat(context.store, said)
        if self._kind == "worker" and not stopping:
            self._attend(machine == MachineState.READY, health)

    def _attend(self, ready: bool, health: Health) -> None:
        """A machine whose referee cannot give a guarantee steps back, and comes back with the guarantee; one that
        stepped back because too much failed there is tried again after a while."""
        context = self._context
        if health.trouble:
            if ready and health.reachable:
                log.warning("stepped_back", machine=context.machine, reason=health.trouble)
                services.record_probe(context.store, context.machine, ok=False, reason=health.trouble)
            self._by_probe = self._by_probe or health.reachable  # whatever failed here, this was why
            return
        if ready:
            self._stepped_back_at = None
            if time.monotonic() - self._returned_at > LONGEST_PROBATION_SECONDS:  # it has proved itself
                self._probation = PROBATION_SECONDS
            return
        if self._stepped_back_at is None:
            self._stepped_back_at = time.monotonic()
        if self._by_probe or time.monotonic() - self._stepped_back_at >= self._probation:
            log.info("plays_again", machine=context.machine)
            if not self._by_probe:
                self._probation = min(self._probation * 2, LONGEST_PROBATION_SECONDS)
            self._stepped_back_at, self._by_probe, self._returned_at = None, False, time.monotonic()
            services.record_probe(context.store, context.machine, ok=True)

    def _run(self) -> None:
        try:
            while True:
                with suppress(Exception):  # not even a fault that cannot be reported ends the beating
                    self._try_to_beat()
                if self._done.wait(BEAT_SECONDS):
                    return
        finally:
            if not self._done.is_set():
                _leave()

    def _try_to_beat(self) -> None:
        try:
            self.beat()
        except NinefoldError as error:
            log.warning("beat_failed", error=str(error))
        except Exception:
            log.exception("beat_failed")


def _leave() -> None:
    """A process without a pulse would count as silent for ever, with its machine: it ends, to be started again."""
    log.critical("pulse_lost")
    os._exit(1)
