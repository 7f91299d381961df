"""Plays one fixture: the same bots, match after match, each bot started once and anew only after a forfeit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import zstandard

from referee.errors import BotFault, PlatformFault
from referee.games import registry
from referee.games.base import Json
from referee.games.match import Fault, Match
from referee.match import replay
from referee.match.driver import MatchRecord, Observer, SeatRecord, play_match
from referee.match.fixture import FixtureResult, FixtureSpec, MatchResult, MatchSpec, SeatResult
from referee.match.seat import SeatClient, SeatLog
from referee.tournament.points import UNIT, MatchFact, points

OpenSeat = Callable[[int], SeatClient]
"""A new client for the bot at that seat; nothing has been started yet."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the fixture is played, for the record; `speed` is calibrated, 1.0 where nobody did."""

    name: str = "local"
    speed: float = 1.0


async def play_fixture(
    spec: FixtureSpec,
    open_seat: OpenSeat,
    machine: Machine = Machine(),
    *,
    observer: Observer | None = None,
    finished: Callable[[MatchResult], None] | None = None,
) -> FixtureResult:
    """All matches of the fixture, in order; nothing that was started is left, whatever happens.

    A seat that forfeited sits down with a fresh client for the next match. `finished` is told each match as it ends.
    Raises `PlatformFault` when it is our fault that the fixture cannot go on: it is void as a whole.
    """
    sitting = _Sitting(spec, open_seat, machine, observer)
    results: list[MatchResult] = []
    reason = "shutdown"
    try:
        for number, match in enumerate(spec.matches, start=1):
            result = await sitting.play(number, match)
            results.append(result)
            if finished is not None:
                finished(result)
        reason = "done"
    finally:
        await _to_the_end(sitting.close(reason))
    return FixtureResult(spec.fixture_id, spec.attempt, machine.name, machine.speed, tuple(results))


class _Sitting:
    def __init__(self, spec: FixtureSpec, open_seat: OpenSeat, machine: Machine, observer: Observer | None) -> None:
        self.spec, self.open_seat, self.machine, self.observer = spec, open_seat, machine, observer
        self.game = registry.get(spec.game)
        self.rules = self.game.complete(spec.rules, len(spec.seats))
        self.clients: dict[int, SeatClient] = {}

    async def play(self, number: int, spec: MatchSpec) -> MatchResult:
        started = datetime.now(UTC)
        failed = await self._sit_down()
        faults = [Fault(f.seat, f.kind, f.detail, f.ms, f.cpu_ms, f.limit_ms) for f in failed]
        match = Match(self.game, self.rules, len(self.spec.seats), spec.seed, start_faults=faults, pausing=True)
        clients = [self.clients[seat] for seat in range(len(self.spec.seats))]
        record = await play_match(
            match,
            clients,
            seed=spec.seed,
            clock=self.spec.clock,
            profile=self.spec.profile,
            number=number,
            observer=self.observer,
        )
        for fault in failed:
            record.seats[fault.seat].sent = fault.sent
        if number == len(self.spec.matches):  # what is printed at the very end belongs to the last match
            await self.close("done")
        logs = [client.log() for client in clients]
        for seat in match.forfeited:
            self.clients.pop(seat, None)
        return self._result(spec, record, logs, started)

    async def _sit_down(self) -> list[BotFault]:
        """Every seat has a client that has started, or a fault; those that wait for others to start stand still."""
        waiting = list(self.clients.values())
        missing = [seat for seat in range(len(self.spec.seats)) if seat not in self.clients]
        for seat in missing:
            self.clients[seat] = self.open_seat(seat)
        if missing:
            for client in waiting:
                client.pause()
        starts = [asyncio.ensure_future(self._start(seat)) for seat in missing]
        try:
            faults = [fault for fault in await asyncio.gather(*starts) if fault is not None]
        finally:
            for start in starts:
                start.cancel()
            await asyncio.gather(*starts, return_exceptions=True)
            for client in waiting:
                client.resume()
        gone = [seat for seat, client in self.clients.items() if client.failing and seat not in missing]
        for seat in gone:  # between matches
            faults.append(await self.clients[seat].verdict())
            await self.clients[seat].stop("forfeit")
        return sorted(faults, key=lambda fault: fault.seat)

    async def _start(self, seat: int) -> BotFault | None:
        client = self.clients[seat]
        try:
            await client.start()
        except BotFault as fault:
            await client.stop("forfeit")
            return fault
        return None

    async def close(self, reason: str) -> None:
        clients = list(self.clients.values())
        self.clients.clear()
        await asyncio.gather(*(client.stop(reason) for client in clients))

    def _result(self, spec: MatchSpec, record: MatchRecord, logs: Sequence[SeatLog], started: datetime) -> MatchResult:
        match, clock = record.match, self.spec.clock
        document = replay.document(
            match,
            match_id=spec.match_id,
            profile=self.spec.profile,
            clock={"bank_ms": clock.bank_ms, "increment_ms": clock.increment_ms, "charged": record.charged_as},
            played={
                "at": started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "attempt": self.spec.attempt,
                "machine": self.machine.name,
                "speed": self.machine.speed,
            },
            seats=[{"bot": s.bot, "version": s.version, "digest": s.digest} for s in self.spec.seats],
            notes=record.notes,
        )
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        assert match.places is not None
        fact = MatchFact.of_seats(
            1, 1, 1, range(match.players), match.places, match.totals, match.forfeited, _teams(self.rules)
        )
        shares = points(fact)
        causes = {fault["seat"]: fault for fault in match.faults}
        return MatchResult(
            match_id=spec.match_id,
            canonical_sha256=replay.canonical_sha256(document),
            replay=zstandard.ZstdCompressor(level=6).compress(text.encode()),
            rounds=len(document["rounds"]),
            plies=sum(len(played["events"]) for played in document["rounds"]),
            seats=tuple(
                _seat_result(
                    seat, match, shares[seat % len(shares)] / UNIT, causes.get(seat), record.seats[seat], logs[seat]
                )
                for seat in range(match.players)
            ),
        )


def _seat_result(
    seat: int, match: Match, share: float, fault: dict[str, Json] | None, record: SeatRecord, log: SeatLog
) -> SeatResult:
    assert match.places is not None
    return SeatResult(
        seat=seat,
        place=match.places[seat],
        points=share,
        penalty=match.totals[seat],
        cause="completed" if fault is None else fault["kind"],
        detail="" if fault is None else fault["detail"],
        sent=record.sent,
        decisions=record.decisions,
        wall_ms=round(record.wall_ms, 3),
        cpu_ms=record.cpu_ms,
        log=log.text,
        log_cut=log.cut,
    )


def _teams(rules: object) -> int | None:
    """The number of teams where the game has them (K5)."""
    teams = rules.get("teams") if isinstance(rules, dict) else None
    return teams or None


async def _to_the_end(work: Awaitable[None]) -> None:
    """`work` is done even if whoever waits for it is cancelled meanwhile, and again; the cancellation follows it."""
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError


def decompress(replay_bytes: bytes) -> dict[str, Json]:
    """The replay document of a `MatchResult`."""
    document: dict[str, Json] = json.loads(zstandard.ZstdDecompressor().decompress(replay_bytes))
    return document


def fixture_problem(error: BaseException) -> PlatformFault:
    """Whatever ended a fixture, as our fault: nothing that is not a `BotFault` is ever held against a bot."""
    if isinstance(error, PlatformFault):
        return error
    if isinstance(error, MemoryError):
        return PlatformFault("host_memory", "the match process ran out of memory")
    return PlatformFault("internal", f"{type(error).__name__}: {error}")


__all__: Sequence[str] = ("Machine", "OpenSeat", "decompress", "fixture_problem", "play_fixture")
