"""Running fixtures for the browser: one `Watch` stream for all viewers of a fixture, server-sent events to each.

Events: `whole` (the match so far, as steps), `part` (new steps), `waiting` (a sentence), `over` (it has ended).
Who reconnects gets `whole` again; the viewer keeps the reader's place.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import structlog
from starlette.concurrency import run_in_threadpool

from dashboard import source
from dashboard.closed import Story
from protos.ninefold.v1 import referee_pb2, referee_pb2_grpc
from referee import settings as league_settings
from referee.errors import NinefoldError
from referee.settings import Settings

log = structlog.get_logger(__name__)


class UnreadableCertificate(NinefoldError):
    """The file of `tls_ca` (or `tls_cert`) cannot be read: path, why."""

    def __str__(self) -> str:
        return f"the certificate file {self.args[0]!r} cannot be read ({self.args[1]}); correct the setting tls_ca"


MOST_VIEWERS = 500
STILL_HERE_SECONDS = 15.0
MOST_WAITING = 200
"""Events kept for one slow viewer; one who falls further behind starts anew."""
END = ("over", {})
LOST = ("lost", {})
"""The stream ends without `over`: the browser comes back after a moment and asks anew."""
AGAIN = "retry: 3000\n\n"


def message(event: str, data: Any) -> str:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


def channel_to(announced: str, settings: Settings) -> grpc.aio.Channel:
    """A channel to the referee that announced itself there, or to `referee_address`; under TLS where the league has it.

    A socket file of this machine never has TLS; an address does if `tls_ca` is set, or if this league itself has a
    certificate, which then is trusted. `UnreadableCertificate` names a file that cannot be read.
    """
    where = settings.referee_address or announced
    trusted = settings.tls_ca or settings.tls_cert
    if where.startswith("unix:") or not trusted:
        return grpc.aio.insecure_channel(where)
    try:
        root = None if trusted == "system" else Path(trusted).read_bytes()
    except OSError as error:
        raise UnreadableCertificate(trusted, error.strerror or str(error)) from None
    return grpc.aio.secure_channel(where, grpc.ssl_channel_credentials(root))


class Hub:
    """One fixture followed for all its viewers, for as long as there is one."""

    def __init__(self, row: dict[str, Any], tournament: dict[str, Any]) -> None:
        self.row, self.tournament = row, tournament
        self.story: Story | None = None
        self.viewers: set[asyncio.Queue[tuple[str, Any]]] = set()
        self.ended = False
        self.task = asyncio.create_task(self._follow())

    def join(self) -> asyncio.Queue[tuple[str, Any]]:
        queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue(MOST_WAITING)
        if self.story is not None:
            queue.put_nowait(("whole", self.story.document()))
        if self.ended:
            queue.put_nowait(END)
        self.viewers.add(queue)
        return queue

    def leave(self, queue: asyncio.Queue[tuple[str, Any]]) -> None:
        self.viewers.discard(queue)
        if not self.viewers:
            self.task.cancel()

    def _tell(self, event: str, data: Any) -> None:
        for queue in self.viewers:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                if self.story is not None and event not in ("over", "lost"):
                    event, data = "whole", self.story.document()
            queue.put_nowait((event, data))

    async def _follow(self) -> None:
        try:
            async with channel_to(self.row["referee"], league_settings.load()) as channel:
                stub = referee_pb2_grpc.RefereeStub(channel)
                async for update in stub.Watch(referee_pb2.WatchRequest(fixture_id=self.row["fixture_id"])):
                    self._take(update)
            last = END
        except grpc.aio.AioRpcError as error:
            last = LOST
            text = "The referee that plays this fixture does not answer; trying again."
            if error.code() is grpc.StatusCode.NOT_FOUND:  # the store said so a moment ago, or will in a moment
                text = "This fixture is not being played just now; trying again."
            else:
                log.warning("watch_lost", fixture=self.row["fixture_id"], code=error.code().name)
            self._tell("waiting", {"text": text})
        except Exception:  # the organiser's mistake or ours: the cause is in the log, not on a public page
            last = END
            log.exception("watch_failed", fixture=self.row["fixture_id"])
            self._tell("waiting", {"text": "This fixture cannot be followed from here; its replays come when it ends."})
        self.ended = True
        self._tell(*last)

    def _take(self, update: referee_pb2.WatchUpdate) -> None:
        found = json.loads(update.json)
        if self.story is None or self.story.match_id != update.match_id:
            row = self.tournament
            self.story = Story(update.match_id, row["game"], row["rules"], row["profile"], self.row["seats"])
            self.story.take(found, whole=update.whole)
            self._tell("whole", self.story.document())
        elif (part := self.story.take(found, whole=update.whole))["steps"]:
            self._tell("part", part)


HUBS: dict[str, Hub] = {}


async def events(fixture_id: str, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[str]:
    """The server-sent events of one viewer of a fixture, until it ends or the viewer leaves."""
    try:
        row = await run_in_threadpool(source.fixture, fixture_id)
        tournament = await run_in_threadpool(source.tournament, row["tournament"])
    except NinefoldError as error:
        yield message("waiting", {"text": str(error)})
        yield message(*END)
        return
    if row["state"] != "running" or not row["referee"]:
        yield message("waiting", {"text": f"This fixture is not being played now: it is {row['state']}."})
        yield message(*END)
        return
    if sum(len(hub.viewers) for hub in HUBS.values()) >= MOST_VIEWERS:
        yield message("waiting", {"text": "Too many people are watching; try again in a moment."})
        return
    hub = HUBS.get(fixture_id)
    if hub is None or hub.ended or hub.row["attempt"] != row["attempt"]:
        hub = HUBS[fixture_id] = Hub(row, tournament)
    queue = hub.join()
    try:
        while True:
            try:
                event, data = await asyncio.wait_for(queue.get(), STILL_HERE_SECONDS)
            except TimeoutError:
                if await gone():
                    return
                yield ": still here\n\n"
                continue
            if event == "lost":
                yield AGAIN
                return
            yield message(event, data)
            if event == "over":
                return
    finally:
        hub.leave(queue)
        if not hub.viewers and HUBS.get(fixture_id) is hub:
            del HUBS[fixture_id]
