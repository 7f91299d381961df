"""The conductor, `python -m worker.conductor`: keeps a small window of fixtures queued and takes back expired leases.

Each tick looks at what is live, never at the length of a schedule. Several may run: one at a time holds the lease to
conduct, and even two at once would make nothing double, because the store decides (README.md).
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import structlog
from sqlmodel import Session

from referee import logs
from referee.errors import NinefoldError, StoreBusy, UsageError
from referee.settings import Settings, load
from referee.store.commands import fixtures, ratings, schedule, services, submissions, tournaments
from referee.store.engine import Store
from referee.store.queries.bots import waiting_submissions
from referee.store.schema import open_store
from referee.wording import masked
from worker import app
from worker.planning import Planner

log = structlog.get_logger(__name__)
TICK_SECONDS = 0.5
"""Between ticks; the window holds several fixtures for each slot, and none takes less than a second."""
IDLE_SECONDS = 1.0
"""Between ticks once nothing was handed out for `IDLE_AFTER` of them: a resting league costs next to nothing."""
IDLE_AFTER = 10
CHORES_SECONDS = 1.0
"""Between looks at what is not the next fixture: leases, uploads, ratings, what is old."""
LEASE_SECONDS = 10.0
RENEW_SECONDS = LEASE_SECONDS / 4
BEAT_SECONDS = 5.0
RESEND_SECONDS = 15.0
BROKER_SECONDS = 10.0
"""A broker that took no hint for so long is asked whether it is there; one that is not is left alone as long."""
FIRST_TIDY_SECONDS = 60.0
SLOW_SECONDS = 3.0
"""A tick that took longer found the store locked or away."""


class Conductor:
    """One conductor. `sent` remembers when an upload's hint was last sent."""

    def __init__(self, store: Store, settings: Settings, name: str = "") -> None:
        self.store, self.settings = store, settings
        self._machine = settings.machine or os.uname().nodename
        self.name = name or f"conductor@{self._machine}"  # one that is started again takes the place of the old one
        self.leading = False
        self.planner = Planner(store)
        self.broker_trouble = ""
        self._broker_at = time.monotonic()
        self.sent: dict[int, float] = {}
        self._writable_since: datetime | None = None
        self._since: datetime | None = None
        self._renewed = 0.0
        self._beaten = 0.0
        self._tidied: float | None = None
        self._tidying: threading.Thread | None = None
        self._chores_at = -CHORES_SECONDS
        self._ending = threading.Event()

    def tick(self, *, all_chores: bool = False) -> bool:
        """Everything that was due has been done, or all there is; whether there was anything to hand out."""
        began = time.monotonic()
        since = self._lead()
        self._beat()
        if since is None:
            return False
        writable = max(filter(None, (since, self._writable_since)))
        chores = all_chores or began - self._chores_at >= CHORES_SECONDS
        if chores:
            self._chores_at = began
            for worker in fixtures.expire_leases(self.store, writable_since=writable):
                log.warning("lease_expired", worker=worker)
            submissions.expire_submissions(self.store)
        busy = self._lay_out()
        messages = schedule.dispatch(self.store, window=self.settings.window)
        if time.monotonic() - began > SLOW_SECONDS:
            self._not_writable()
        for message in messages:
            self._send("ninefold.play_fixture", message.fixture_id, app.fixture_queue(message.machine))
        if chores:
            self._send_builds()
            for tournament in ratings.due_ratings(self.store):
                self._send("ninefold.rate", tournament, app.BUILDS)
            self._reach_broker()
            self._tidy()
        return busy or bool(messages)

    def _lead(self) -> datetime | None:
        """Since when this conductor has conducted without a gap; None if another does."""
        if self._since is None or time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._renewed, self._since = time.monotonic(), None  # nobody leads whose renewal fails
            self._since = services.hold_lease(self.store, "conductor", self.name, seconds=LEASE_SECONDS)
        self.leading = self._since is not None
        return self._since

    def run(self, stopping: threading.Event) -> None:
        """Ticks until told to stop; whatever fails is said and tried again."""
        resting = 0
        while not stopping.is_set():
            began = time.monotonic()
            try:
                resting = 0 if self.tick() else resting + 1
            except StoreBusy as error:
                log.warning("store_busy", error=str(error))
                self._not_writable_from_here()
            except NinefoldError as error:
                log.error("tick_failed", error=str(error))
            except Exception:
                log.exception("tick_failed")
            pause = TICK_SECONDS if resting < IDLE_AFTER else IDLE_SECONDS
            stopping.wait(max(pause - (time.monotonic() - began), 0.05))
        self._ending.set()
        if self._tidying is not None:
            self._tidying.join(5)
        try:
            services.release_lease(self.store, "conductor", self.name)
            services.stopped(self.store, self.name, reason="stopped by a signal")
        except NinefoldError as error:
            log.warning("last_beat_failed", error=str(error))

    def _tidy(self) -> None:
        """What is kept no longer is being removed, in a thread of its own: dispatch must not wait for a slow disk."""
        every = self.settings.tidy_seconds
        if self._tidied is None:  # the first time soon after a start, but not in the rush of it
            self._tidied = time.monotonic() - max(every - FIRST_TIDY_SECONDS, 0)
        running = self._tidying is not None and self._tidying.is_alive()
        if not running and time.monotonic() - self._tidied >= every:
            self._tidied = time.monotonic()
            self._tidying = threading.Thread(target=self._remove_old, name="tidy", daemon=True)
            self._tidying.start()

    def _remove_old(self) -> None:
        """What is kept no longer has been removed; or why not is noted for `status`, whatever went wrong."""
        from referee.store.blobs import Blobs  # a conductor that stands by needs none of it
        from referee.store.retention import Policy, note_failure
        from referee.store.sweep import tidy

        try:
            services.forget_requests(self.store)
            services.forget_silent(self.store)
            done = tidy(self.store, Blobs(self.settings), Policy.of(self.settings), self._ending.is_set)
            log.info("tidied", **done)
            return
        except NinefoldError as error:
            log.warning("tidying_failed", error=str(error))
            why = str(error)
        except Exception as error:
            log.exception("tidying_failed")
            why = f"{type(error).__name__}: {error}"
        try:
            note_failure(self.store, masked(why))
        except NinefoldError as error:
            log.warning("trouble_not_noted", error=str(error))

    def _lay_out(self) -> bool:
        def look(session: Session) -> tuple[int, list[schedule.Shortage]]:
            slots = sum(schedule.playing_slots(session).values())
            target = max(2 * self.settings.window * slots, 8)
            return target, schedule.shortages(session, target)

        target, short = self.store.fetch(look)
        for shortage in short:
            try:
                coming = self.planner.next(shortage, target)
            except UsageError as error:  # such as a field that no schedule fits
                tournaments.pause(self.store, shortage.tournament, by="conductor", reason=str(error))
                continue
            if coming is None:
                continue
            schedule.plan_blocks(
                self.store,
                shortage.tournament_id,
                seen=shortage.planned_blocks,
                upto=coming.upto,
                blocks=coming.blocks,
                last=coming.last,
                total_fixtures=coming.total_fixtures,
            )
        return bool(short)

    def _send_builds(self) -> None:
        waiting = waiting_submissions(self.store, limit=4)
        self.sent = {key: at for key, at in self.sent.items() if key in waiting}
        for key in waiting:
            if time.monotonic() - self.sent.get(key, -RESEND_SECONDS) >= RESEND_SECONDS:
                self.sent[key] = time.monotonic()
                self._send("ninefold.build_bot", key, app.BUILDS)

    def _send(self, task: str, argument: object, queue: str) -> None:
        """A hint that cannot be sent is only late: what it was about is found waiting and sent again."""
        if not self.broker_trouble:  # a stuck broker costs seconds each time it is asked
            self._with_broker(lambda: app.send(task, argument, queue))

    def _reach_broker(self) -> None:
        if time.monotonic() - self._broker_at >= BROKER_SECONDS:
            self._with_broker(app.reach)

    def _with_broker(self, do: Callable[[], None]) -> None:
        """It is done; or what is wrong with the broker will be in the heartbeat."""
        try:
            do()
            self.broker_trouble = ""
        except Exception as error:
            why = masked(str(error)) or type(error).__name__
            if not self.broker_trouble:
                log.warning("broker_unreachable", error=why)
            self.broker_trouble = f"the broker is dead or stuck ({why}); restart it"
            self._beaten = 0.0
        self._broker_at = time.monotonic()

    def _beat(self) -> None:
        if time.monotonic() - self._beaten < BEAT_SECONDS:
            return
        self._beaten = time.monotonic()
        services.beat(
            self.store,
            services.Beat(
                name=self.name,
                kind="conductor",
                machine=self._machine,
                pid=os.getpid(),
                stage="conducting" if self.leading else "standing by",
                reason=self.broker_trouble,
            ),
        )

    def _not_writable(self) -> None:
        self._writable_since = self.store.fetch(self.store.now)

    def _not_writable_from_here(self) -> None:
        try:
            self._not_writable()
        except NinefoldError:  # the database itself is away: say so once it is back
            self._writable_since = self._since = None
            self.leading = False


def main() -> int:
    logs.configure()
    parser = argparse.ArgumentParser(prog="python -m worker.conductor", description=__doc__)
    parser.add_argument("--data", type=Path, help="data folder of the league")
    parser.add_argument("--name", default="", help="name of this conductor in status")
    arguments = parser.parse_args()
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    try:
        settings = load(arguments.data)
        store = open_store(settings)
        app.configure(settings)
    except NinefoldError as error:
        print(f"ninefold: {error}", file=sys.stderr)
        return 1
    try:
        Conductor(store, settings, arguments.name).run(stopping)
    finally:
        store.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
