"""How fixtures and tournaments end: final rows, counters, blocks that open their seeds.

Callers hold the tournament's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.store.engine import now
from referee.store.models import Block, Entry, Fixture, Match, Seat, Tournament
from referee.store.rows import key_of, table
from referee.store.states import ENDED, LIVE, EntryState, FixtureState, MatchState, TournamentState


def end_unplayed(
    session: Session, tournament: Tournament, fixture: Fixture, *, state: FixtureState, cause: str, reason: str
) -> None:
    """The fixture is cancelled or dropped for good: its matches have rows that say why, which count for nothing."""
    at = now(session)
    fixture.state, fixture.cause, fixture.reason, fixture.stage = state, cause, reason, "ended"
    fixture.ended_at = fixture.progress_at = at
    fixture.lease_owner, fixture.lease_expires_at = "", None
    session.add(fixture)
    session.flush()
    rows: list[dict[str, Any]] = [
        {
            "match_id": f"{tournament.name}/{fixture.block}/{fixture.seating}/{number}",
            "fixture_id": key_of(fixture),
            "tournament_id": tournament.id,
            "block": fixture.block,
            "seating": fixture.seating,
            "number": number,
            "state": MatchState(state.value),
            "cause": cause,
            "reason": reason,
            "canonical_sha256": "",
            "rounds": 0,
            "plies": 0,
            "attempt": fixture.attempt,
            "machine": "",
            "speed": None,
            "ended_at": at,
        }
        for number in range(1, tournament.matches_per_fixture + 1)
    ]
    matches = table(Match)
    ids = [int(i) for i in session.execute(insert(matches).returning(matches.c.id), rows).scalars()]
    bots = bots_of(session, fixture.entries)
    session.execute(
        insert(table(Seat)),
        [
            {
                "match_id": match,
                "seat": seat,
                "entry_id": entry,
                "bot_id": bots[entry],
                "place": None,
                "points": 0,
                "penalty": None,
                "cause": cause,
                "detail": "",
                "sent": "",
                "decisions": 0,
                "wall_ms": None,
                "cpu_ms": None,
            }
            for match in ids
            for seat, entry in enumerate(fixture.entries)
        ],
    )
    if state is FixtureState.DROPPED:
        tournament.dropped_fixtures += 1
        tournament.incomplete = True
    else:
        tournament.cancelled_fixtures += 1
    close_in_block(session, fixture.block_id)
    tournament.progress_at = at
    session.add(tournament)


def close_in_block(session: Session, block_id: int, count: int = 1) -> None:
    """So many more fixtures of the block have ended; with the last one its seeds may be shown."""
    block = session.exec(select_rows(Block).where(Block.id == block_id)).one()
    block.open_fixtures -= count
    if block.open_fixtures == 0:
        block.done_at = now(session)
    session.add(block)


def bots_of(session: Session, entries: Sequence[int]) -> dict[int, int]:
    """The bot of each entry."""
    rows = table(Entry)
    found = session.execute(select(rows.c.id, rows.c.bot_id).where(rows.c.id.in_(set(entries))))
    return {int(entry): int(bot) for entry, bot in found}


def live_fixtures(session: Session, tournament_id: int) -> int:
    """How many fixtures of the tournament have not ended; they are few, whatever the length of the schedule."""
    fixtures = table(Fixture)
    query = select(func.count()).where(fixtures.c.tournament_id == tournament_id, fixtures.c.state.in_(LIVE))
    return int(session.execute(query).scalar_one())


def settle(session: Session, tournament: Tournament) -> None:
    """A tournament whose schedule is laid out and played is done; one with nobody left to play is, too."""
    if tournament.state in ENDED or tournament.state == TournamentState.DRAFT:
        return
    session.flush()
    if not tournament.schedule_done and active_entries(session, key_of(tournament)) < sides(tournament):
        tournament.schedule_done = True
        tournament.stage, tournament.reason = "ending", "withdrawals left too few entries for a table"
        rest = (tournament.total_fixtures or 0) - tournament.planned_fixtures
        tournament.cancelled_fixtures += max(rest, 0)
    session.add(tournament)
    if tournament.schedule_done and live_fixtures(session, key_of(tournament)) == 0:
        tournament.state, tournament.stage = TournamentState.DONE, "ended"
        tournament.ended_at = tournament.progress_at = now(session)


def sides(tournament: Tournament) -> int:
    """How many different entries one table needs: one for each seat, or one for each team."""
    return int(tournament.rules.get("teams") or 0) or tournament.table_size


def active_entries(session: Session, tournament_id: int) -> int:
    """How many entries are still playing."""
    entries = table(Entry)
    query = select(func.count()).where(entries.c.tournament_id == tournament_id, entries.c.state == EntryState.ENTERED)
    return int(session.execute(query).scalar_one())


def fixtures_with(session: Session, tournament_id: int, entry_id: int, states: Sequence[str]) -> list[Fixture]:
    """The fixtures of that entry in those (live) states."""
    query = (
        select_rows(Fixture)
        .where(Fixture.tournament_id == tournament_id, col(Fixture.state).in_(states))
        .order_by(col(Fixture.id))
    )
    return [fixture for fixture in session.exec(query) if entry_id in fixture.entries]
