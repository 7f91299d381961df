"""Tournaments: what there is, how far they are, who plays, which fixtures are live."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.errors import NotFound
from referee.store.engine import Store, now
from referee.store.models import Entry, Fixture, Tournament, User
from referee.store.rows import key_of, table
from referee.store.states import ENDED, LIVE, EntryState, FixtureState, TournamentState

PAGE = 200
"""Rows of one page."""


def tournament_names(store: Store) -> list[str]:
    """All tournaments, newest first."""
    return store.fetch(lambda s: list(s.exec(select_rows(Tournament.name).order_by(col(Tournament.id).desc()))))


def tournaments(store: Store, *, state: str = "", kind: str = "") -> list[dict[str, Any]]:
    """A line for each tournament, newest first."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = select_rows(Tournament).order_by(col(Tournament.id).desc())
        if state:
            query = query.where(Tournament.state == state)
        if kind:
            query = query.where(Tournament.kind == kind)
        return [_line(session, row) for row in session.exec(query)]

    return store.fetch(work)


def tournament(store: Store, name: str) -> dict[str, Any]:
    """Everything that may be told of a tournament: settings, progress, entries, live fixtures by state."""

    def work(session: Session) -> dict[str, Any]:
        row = find(session, name)
        fixtures = table(Fixture)
        counts = dict.fromkeys((str(state) for state in LIVE), 0)
        live = (
            select(fixtures.c.state, func.count())
            .where(fixtures.c.tournament_id == row.id, fixtures.c.state.in_(LIVE))
            .group_by(fixtures.c.state)
        )
        counts.update({state: int(count) for state, count in session.execute(live)})
        return {
            **_line(session, row),
            "rules": row.rules,
            "profile": row.profile,
            "format": row.format,
            "clock": {"bank_ms": row.bank_ms, "increment_ms": row.increment_ms},
            "same_author": row.same_author,
            "options": row.options,
            "until_separated": row.until_separated,
            "commitment": row.commitment,
            "seed_chosen": row.seed_chosen,
            "salt": row.salt or None,
            "master_seed": row.master_seed if row.state in ENDED else None,
            "live": counts,
            "entries": _entries(session, key_of(row)),
            "seconds_left": _seconds_left(row, now(session)),
        }

    return store.fetch(work)


def entries(store: Store, name: str) -> list[dict[str, Any]]:
    """The entries of a tournament by name, withdrawn ones with their reason."""
    return store.fetch(lambda session: _entries(session, key_of(find(session, name))))


def fixtures(
    store: Store, name: str = "", *, states: tuple[str, ...] = LIVE, after: int = 0, limit: int = PAGE
) -> list[dict[str, Any]]:
    """Fixtures in these states, oldest first, from `after` (a `key`) on; of all tournaments without a name."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = (
            select_rows(Fixture, Tournament.name)
            .join(Tournament, col(Tournament.id) == col(Fixture.tournament_id))
            .where(col(Fixture.state).in_(states), col(Fixture.id) > after)
            .order_by(col(Fixture.id))
            .limit(min(limit, PAGE))
        )
        if name:
            query = query.where(Fixture.tournament_id == find(session, name).id)
        found = session.exec(query).all()
        names = entry_names(session, {entry for fixture, _ in found for entry in fixture.entries})
        return [_fixture(fixture, tournament, names) for fixture, tournament in found]

    return store.fetch(work)


def fixture(store: Store, fixture_id: str) -> dict[str, Any]:
    """One fixture by its public name; `NotFound` if it has not been laid out."""

    def work(session: Session) -> dict[str, Any]:
        row, name = find_fixture(session, fixture_id)
        return _fixture(row, name, entry_names(session, set(row.entries)))

    return store.fetch(work)


def find(session: Session, name: str) -> Tournament:
    """The tournament of that name, or `NotFound`."""
    row = session.exec(select_rows(Tournament).where(Tournament.name == name)).one_or_none()
    if row is None:
        raise NotFound("tournament", name)
    return row


def find_fixture(session: Session, fixture_id: str) -> tuple[Fixture, str]:
    """The fixture `<tournament>/<block>/<seating>` and its tournament's name, or `NotFound`."""
    parts = fixture_id.split("/")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts[1:]):
        raise NotFound("fixture", fixture_id)
    row = session.exec(
        select_rows(Fixture)
        .join(Tournament, col(Tournament.id) == col(Fixture.tournament_id))
        .where(Tournament.name == parts[0], Fixture.block == int(parts[1]), Fixture.seating == int(parts[2]))
    ).one_or_none()
    if row is None:
        raise NotFound("fixture", fixture_id)
    return row, parts[0]


def entry_names(session: Session, ids: set[int]) -> dict[int, dict[str, Any]]:
    """Bot and version of each of these entries."""
    rows = table(Entry)
    found = session.execute(select(rows.c.id, rows.c.bot, rows.c.version, rows.c.digest).where(rows.c.id.in_(ids)))
    return {row.id: {"entry": row.id, "bot": row.bot, "version": row.version, "digest": row.digest} for row in found}


def _line(session: Session, row: Tournament) -> dict[str, Any]:
    entered = session.exec(
        select_rows(func.count())
        .select_from(Entry)
        .where(Entry.tournament_id == row.id, Entry.state == EntryState.ENTERED)
    ).one()
    return {
        "name": row.name,
        "kind": row.kind,
        "game": row.game,
        "state": row.state,
        "stage": row.stage,
        "reason": row.reason,
        "progress_at": row.progress_at,
        "table_size": row.table_size,
        "blocks": row.blocks,
        "matches_per_fixture": row.matches_per_fixture,
        "entries_count": int(entered),
        "created_by": row.created_by,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "incomplete": row.incomplete,
        "total_fixtures": row.total_fixtures,
        "planned_fixtures": row.planned_fixtures,
        "done_fixtures": row.done_fixtures,
        "cancelled_fixtures": row.cancelled_fixtures,
        "dropped_fixtures": row.dropped_fixtures,
        "done_matches": row.done_matches,
        "total_matches": None if row.total_fixtures is None else row.total_fixtures * row.matches_per_fixture,
        "fault_matches": row.fault_matches,
        "rated_at": row.rated_at,
        "rating_watermark": row.rating_watermark,
    }


def _seconds_left(row: Tournament, at: datetime) -> float | None:
    """How long the rest takes at the pace so far; None while that cannot be said."""
    if row.state != TournamentState.RUNNING or row.started_at is None or not row.done_fixtures:
        return None
    left = (row.total_fixtures or 0) - row.done_fixtures - row.cancelled_fixtures - row.dropped_fixtures
    return max(left, 0) * (at - row.started_at).total_seconds() / row.done_fixtures


def _entries(session: Session, tournament_id: int) -> list[dict[str, Any]]:
    query = (
        select_rows(Entry, User.name)
        .join(User, col(User.id) == col(Entry.owner_id))
        .where(Entry.tournament_id == tournament_id)
        .order_by(col(Entry.bot))
    )
    return [
        {
            "entry": row.id,
            "number": row.number,
            "bot": row.bot,
            "version": row.version,
            "digest": row.digest,
            "owner": owner,
            "state": row.state,
            "reason": row.reason,
            "withdrawn_at": row.withdrawn_at,
        }
        for row, owner in session.exec(query)
    ]


def _fixture(row: Fixture, name: str, names: dict[int, dict[str, Any]]) -> dict[str, Any]:
    return {
        "key": row.id,
        "fixture_id": f"{name}/{row.block}/{row.seating}",
        "tournament": name,
        "block": row.block,
        "seating": row.seating,
        "seats": [names[entry] for entry in row.entries],
        "state": row.state,
        "stage": row.stage,
        "reason": row.reason,
        "cause": row.cause,
        "progress_at": row.progress_at,
        "attempt": row.attempt,
        "voids": row.voids,
        "machine": row.machine,
        "worker": row.lease_owner,
        "lease_expires_at": row.lease_expires_at,
        "referee": row.referee if row.state == FixtureState.RUNNING else "",
        "started_at": row.started_at,
        "ended_at": row.ended_at,
    }
