"""A match process: plays one fixture at a time, asked and heard over a socket.

It is a process of its own, forked by the nursery (`nursery.py`), so that a crash here touches one fixture alone.
Frames go both ways, each four bytes of length, one letter, and a body:

    in   C config (JSON, first)   R a FixtureSpec to play   S a StopRequest   W "1" or "0": whether somebody watches
    out  U a FixtureUpdate        L a WatchUpdate

It ends when the other end of the socket is closed, and leaves nothing behind: no container, no socket.
"""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import PlatformFault
from referee.games.base import Json
from referee.games.match import Match
from referee.match.fixture import FixtureSpec, MatchResult
from referee.match.sitting import Machine, fixture_problem, play_fixture
from referee.sandbox.engine import Engine
from referee.sandbox.handle import Sandbox
from referee.sandbox.limits import Limits
from referee.sandbox.rundir import RunDir
from referee.service import fixture_codec
from referee.service.live import LiveFeed
from referee.service.seat import open_seat

HEARTBEAT_S = 2.0
SOON_S = 0.1
"""Progress and live updates that come in quick succession are sent together."""
ENGINE_LOOK_S = 2.0
MAX_FRAME = 64 * 1024 * 1024
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class HostConfig:
    """What a match process needs to know of its league; travels as JSON."""

    league: str
    sandbox: str = "docker"
    """`docker`, or `process`: bots as plain processes, for development and for shipped bots only."""
    runtime: str = "runc"
    machine: str = "local"
    speed: float = 1.0
    limits: dict[str, Any] = field(default_factory=dict)
    """Of `Limits`, what differs from the defaults."""

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()


async def read_frame(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    """The next frame, None at the end of the stream."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(4))
        frame = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return chr(frame[0]), frame[1:]


def frame(kind: str, body: bytes) -> bytes:
    """One frame as it goes over a pipe."""
    return _LENGTH.pack(len(body) + 1) + kind.encode() + body


class Platform:
    """Where bots run in this process: the sandbox, its folder for sockets, and the engine where there is one."""

    def __init__(self, config: HostConfig) -> None:
        self.config = config
        self.limits = Limits(**config.limits)
        self.rundir = RunDir(config.league)
        self.engine: Engine | None = None
        self.sandbox: Sandbox
        if config.sandbox == "docker":
            from referee.sandbox.container import ContainerSandbox

            self.engine = Engine()
            self.sandbox = ContainerSandbox(self.engine, config.league, self.limits, config.runtime)
        else:
            from referee.sandbox.process import ProcessSandbox

            self.sandbox = ProcessSandbox(self.limits)

    async def play(
        self,
        spec: FixtureSpec,
        machine: Machine,
        observer: Callable[[Match], None] | None = None,
        finished: Callable[[MatchResult], None] | None = None,
    ) -> None:
        """The fixture has been played; `PlatformFault` when it is void. An engine that is gone voids it at once."""
        images = [(seat.image, seat.runtime) for seat in spec.seats]
        label = f"{spec.fixture_id}/{spec.attempt}"
        seats = open_seat(self.sandbox, self.limits, self.rundir.seat_folder, label, images)
        play = asyncio.ensure_future(play_fixture(spec, seats, machine, observer=observer, finished=finished))
        guard = asyncio.ensure_future(self._guard())
        try:
            await asyncio.wait({play, guard}, return_when=asyncio.FIRST_COMPLETED)
            if not play.done():
                guard.result()
            await play
        finally:
            guard.cancel()
            if not play.done():
                play.cancel()
            await asyncio.gather(play, guard, return_exceptions=True)

    async def _guard(self) -> None:
        """Never returns; raises `PlatformFault` when the engine is gone."""
        while self.engine is not None:
            await asyncio.sleep(ENGINE_LOOK_S)
            await self.engine.call(self.engine.api.ping)
        await asyncio.Event().wait()

    async def close(self) -> None:
        if self.engine is not None:
            await self.engine.close()
        self.rundir.remove()


class Host:
    """The match process's side of the pipes."""

    def __init__(self, config: HostConfig, send: Callable[[bytes], None]) -> None:
        self.config, self._send = config, send
        self.platform = Platform(config)
        self.machine = Machine(config.machine, config.speed)
        self.live = LiveFeed(self._live)
        self._progress = pb.Progress()
        self._matches: dict[str, int] = {}
        self._soon: asyncio.TimerHandle | None = None
        self._playing: asyncio.Task[None] | None = None
        self._stop_cause = "shutdown"

    def take(self, kind: str, body: bytes) -> None:
        """One frame has been acted on."""
        if kind == "R":
            spec = fixture_codec.decode_spec(pb.FixtureSpec.FromString(body))
            self._playing = asyncio.ensure_future(self._play(spec))
        elif kind == "S":
            self.stop(pb.StopRequest.FromString(body).cause or "cancelled")
        elif kind == "W" and body == b"1":
            self.live.watch()
        elif kind == "W":
            self.live.unwatch()

    def stop(self, cause: str) -> None:
        """The fixture in play ends as void with this cause."""
        self._stop_cause = cause
        if self._playing is not None:
            self._playing.cancel()

    async def close(self) -> None:
        self.stop("shutdown")
        if self._playing is not None:
            await asyncio.gather(self._playing, return_exceptions=True)
        await self.platform.close()

    async def _play(self, spec: FixtureSpec) -> None:
        self._progress = pb.Progress(stage="starting", match=1)
        self._matches = {match.match_id: number for number, match in enumerate(spec.matches, start=1)}
        self._update(pb.FixtureUpdate(progress=self._progress))
        beat = asyncio.ensure_future(self._beat())
        try:
            await self.platform.play(spec, self.machine, self._observe, self._finished)
            last = pb.FixtureUpdate(finished=pb.Finished(machine=self.machine.name, speed=self.machine.speed))
        except asyncio.CancelledError:
            last = fixture_codec.void(PlatformFault(self._stop_cause, "the fixture was stopped"))
        except Exception as error:
            if not isinstance(error, PlatformFault):
                import traceback

                traceback.print_exc()
            last = fixture_codec.void(fixture_problem(error))
        finally:
            beat.cancel()
            if self._soon is not None:
                self._soon.cancel()
                self._soon = None
        if self.live.watched:
            self.live.flush()
            self.live.unwatch()
        self._playing = None
        self._update(last)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self._update(pb.FixtureUpdate(progress=self._progress))

    def _finished(self, result: MatchResult) -> None:
        self.live.flush()
        progress = self._progress
        progress.matches_finished += 1
        progress.match = min(progress.match + 1, len(self._matches))
        self._update(fixture_codec.encode_match(result))

    def _observe(self, match: Match) -> None:
        self.live(match)
        progress = self._progress
        number = match.rounds_finished + (match.round is not None)
        if progress.stage != "playing" or progress.round != number:
            progress.stage, progress.round = "playing", number
            progress.totals[:] = match.totals
            self._later()
        elif self.live.watched:
            self._later()

    def _later(self) -> None:
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_S, self._now)

    def _now(self) -> None:
        self._soon = None
        self._update(pb.FixtureUpdate(progress=self._progress))
        self.live.flush()

    def _live(self, whole: bool, update: dict[str, Json]) -> None:
        number = self._progress.match
        match_id = next((name for name, n in self._matches.items() if n == number), "")
        text = json.dumps(update, separators=(",", ":"))
        message = pb.WatchUpdate(match_id=match_id, match=number, whole=whole, json=text)
        self._send(frame("L", message.SerializeToString()))

    def _update(self, update: pb.FixtureUpdate) -> None:
        self._send(frame("U", update.SerializeToString()))


def settle() -> None:
    """What is loaded now stays: collecting it again and again would cost a tenth of each decision."""
    gc.enable()
    gc.freeze()  # without collecting first, which would write to pages that are shared with the nursery
    gc.set_threshold(20_000, 20, 50)


async def main(table: socket.socket) -> None:
    """Serves the other end of `table` until that is closed or a signal comes."""
    loop = asyncio.get_running_loop()
    reader, writer = await asyncio.open_connection(sock=table, limit=2**20)
    ending = asyncio.ensure_future(asyncio.Event().wait())
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.cancel)
    first = await read_frame(reader)
    if first is None:
        return
    host = Host(HostConfig(**json.loads(first[1])), writer.write)
    try:
        while True:
            reading = asyncio.ensure_future(read_frame(reader))
            await asyncio.wait({reading, ending}, return_when=asyncio.FIRST_COMPLETED)
            if ending.done() or (got := reading.result()) is None:
                reading.cancel()
                break
            host.take(*got)
    finally:
        await host.close()
        with suppress(OSError):
            writer.close()


def run(table: socket.socket) -> int:
    """The exit code of a match process at that socket."""
    settle()
    try:
        asyncio.run(main(table))
    except PlatformFault as fault:
        print(f"match process: {fault}", file=sys.stderr)
        return 1
    return 0
