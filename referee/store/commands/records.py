"""The rows that a finished fixture becomes."""

from __future__ import annotations

import math
from typing import Any

import zstandard
from sqlalchemy import insert
from sqlmodel import Session

from referee.errors import PlatformFault
from referee.match.fixture import BOT_CAUSES, FixtureResult, FixtureSpec, MatchResult, SeatResult
from referee.store.commands.endings import bots_of, close_in_block
from referee.store.commands.sums import Sums, apply
from referee.store.engine import now
from referee.store.facts import fact
from referee.store.models import Fixture, Match, MatchLog, Replay, Seat, Tournament
from referee.store.rows import key_of, table
from referee.store.states import POINT, FixtureState, MatchState

LOG_BYTES = 256 * 1024
"""What is kept of one seat's log of one match; more is cut, and marked."""
TEXT_CHARACTERS = 500
_zstd = zstandard.ZstdCompressor(level=3)


def store_matches(
    session: Session, tournament: Tournament, fixture: Fixture, spec: FixtureSpec, result: FixtureResult
) -> None:
    """The fixture is done and everything it brought is stored. The caller holds the tournament's lock."""
    _check(fixture, spec, result)
    at = now(session)
    matches = table(Match)
    rows = [_match_row(tournament, fixture, number, match) for number, match in enumerate(result.matches, start=1)]
    for row in rows:
        row |= {"machine": result.machine, "speed": _finite(result.speed), "ended_at": at}
    returned = session.execute(insert(matches).returning(matches.c.id, matches.c.number), rows).all()
    ids = {number: int(key) for key, number in returned}
    bots = bots_of(session, fixture.entries)
    seats: list[dict[str, Any]] = []
    logs: list[dict[str, Any]] = []
    sums = Sums()
    faults = 0
    for number, match in enumerate(result.matches, start=1):
        for seat in match.seats:
            entry = fixture.entries[seat.seat]
            seats.append(_seat_row(ids[number], entry, bots[entry], seat))
            if seat.log or seat.log_cut:
                cut = seat.log_cut or len(seat.log) > LOG_BYTES
                data = _zstd.compress(seat.log[:LOG_BYTES])
                logs.append({"match_id": ids[number], "seat": seat.seat, "data": data, "cut": cut})
        faults += any(seat.cause != "completed" for seat in match.seats)
        outcome = [
            (fixture.entries[seat.seat], seat.place, seat.penalty, seat.cause != "completed")
            for seat in sorted(match.seats, key=lambda seat: seat.seat)
        ]
        sums.add(fact(tournament, fixture.block, fixture.seating, number, outcome))
    session.execute(insert(table(Seat)), seats)
    session.execute(
        insert(table(Replay)),
        [{"match_id": ids[number], "data": match.replay} for number, match in enumerate(result.matches, start=1)],
    )
    if logs:
        session.execute(insert(table(MatchLog)), logs)
    apply(session, key_of(tournament), sums)
    fixture.state, fixture.stage, fixture.cause, fixture.reason = FixtureState.DONE, "ended", "completed", ""
    fixture.ended_at = fixture.progress_at = at
    fixture.lease_owner, fixture.lease_expires_at = "", None
    session.add(fixture)
    close_in_block(session, fixture.block_id)
    tournament.done_fixtures += 1
    tournament.done_matches += len(result.matches)
    tournament.fault_matches += faults
    tournament.progress_at = at
    session.add(tournament)


def _check(fixture: Fixture, spec: FixtureSpec, result: FixtureResult) -> None:
    asked = [match.match_id for match in spec.matches]
    got = [match.match_id for match in result.matches]
    if asked != got or result.fixture_id != spec.fixture_id:
        raise PlatformFault("internal", f"fixture {spec.fixture_id} was asked to play {asked} and the result has {got}")
    for match in result.matches:
        if sorted(seat.seat for seat in match.seats) != list(range(len(fixture.entries))):
            raise PlatformFault(
                "internal", f"match {match.match_id} has results of seats {[s.seat for s in match.seats]}"
            )
        for seat in match.seats:
            if seat.cause != "completed" and seat.cause not in BOT_CAUSES:
                raise PlatformFault("internal", f"match {match.match_id} seat {seat.seat} ended by {seat.cause!r}")
            if not (math.isfinite(seat.points) and 0 <= seat.points <= 1):
                raise PlatformFault("internal", f"match {match.match_id} seat {seat.seat} has {seat.points} points")


def _match_row(tournament: Tournament, fixture: Fixture, number: int, match: MatchResult) -> dict[str, Any]:
    return {
        "match_id": match.match_id,
        "fixture_id": fixture.id,
        "tournament_id": tournament.id,
        "block": fixture.block,
        "seating": fixture.seating,
        "number": number,
        "state": MatchState.DONE,
        "cause": next((seat.cause for seat in match.seats if seat.cause != "completed"), "completed"),
        "reason": "",
        "canonical_sha256": match.canonical_sha256,
        "rounds": match.rounds,
        "plies": match.plies,
        "attempt": fixture.attempt,
    }


def _seat_row(match: int, entry: int, bot: int, seat: SeatResult) -> dict[str, Any]:
    return {
        "match_id": match,
        "seat": seat.seat,
        "entry_id": entry,
        "bot_id": bot,
        "place": seat.place,
        "points": round(seat.points * POINT),
        "penalty": seat.penalty,
        "cause": seat.cause,
        "detail": _text(seat.detail),
        "sent": _text(seat.sent),
        "decisions": seat.decisions,
        "wall_ms": _finite(seat.wall_ms),
        "cpu_ms": _finite(seat.cpu_ms),
    }


def _text(value: str) -> str:
    """Text that both databases take: without NUL or lone surrogates, and not without end."""
    return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")[:TEXT_CHARACTERS]


def _finite(value: float | None) -> float | None:
    """A number, or None where it is not one."""
    return value if value is not None and math.isfinite(value) else None
