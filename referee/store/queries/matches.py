"""Lists of matches, page by page, and what is known of one match in whatever state it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, exists, func, literal_column, select
from sqlmodel import Session

from referee.errors import NotFound, Removed
from referee.match.fixture import BOT_CAUSES
from referee.store.engine import Store
from referee.store.models import Block, Bot, Entry, Match, MatchLog, Replay, Seat, Tournament
from referee.store.queries.moments import around
from referee.store.queries.tournaments import PAGE, entry_names, find, find_fixture
from referee.store.retention import why_no_replay
from referee.store.rows import table
from referee.store.states import POINT, MatchState
from referee.wording import counted


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list; empty means any. `cause` is how a match or a seat ended; `faults`: only those with one.

    `played` leaves out matches that were cancelled or dropped before anybody sat down to them.
    `since` and `until` are aware times between which a match ended, the latter left out; `players` is the table's size.
    """

    tournament: str = ""
    bot: str = ""
    opponent: str = ""
    cause: str = ""
    faults: bool = False
    played: bool = False
    game: str = ""
    players: int = 0
    since: datetime | None = None
    until: datetime | None = None


def matches(
    store: Store, wanted: MatchFilter | None = None, *, before: int = 0, limit: int = PAGE
) -> list[dict[str, Any]]:
    """A page of matches, newest first; the next page is `before` the last `key` of this one. At most 200 rows."""
    wanted = wanted or MatchFilter()
    if wanted.opponent and not wanted.bot:
        wanted = replace(wanted, bot=wanted.opponent, opponent="")  # the matches of one bot, by its index

    def work(session: Session) -> list[dict[str, Any]]:
        query = _filtered(session, wanted, before)
        if query is None:
            return []
        keys = [int(key) for key in session.execute(query.limit(max(1, min(limit, PAGE)))).scalars()]
        return _rows(session, keys)

    return store.fetch(work)


def match(store: Store, match_id: str) -> dict[str, Any]:
    """One match: finished, or with the state and reason of its fixture. `NotFound` if there is none (yet)."""

    def work(session: Session) -> dict[str, Any]:
        rows = table(Match)
        key = session.execute(select(rows.c.id).where(rows.c.match_id == match_id)).scalar_one_or_none()
        if key is not None:
            return {**_rows(session, [int(key)])[0], **_neighbours(session, int(key))}
        return _unfinished(session, match_id)

    return store.fetch(work)


def fault_counts(store: Store, bot: str) -> list[dict[str, Any]]:
    """How often the bot forfeited, by cause, most frequent first."""

    def work(session: Session) -> list[dict[str, Any]]:
        seats = table(Seat)
        query = (
            select(seats.c.cause, func.count().label("count"), func.max(seats.c.match_id).label("last"))
            .where(seats.c.bot_id == _bot_id(session, bot), _fault(seats), seats.c.cause.in_(BOT_CAUSES))
            .group_by(seats.c.cause)
            .order_by(func.count().desc(), seats.c.cause)
        )
        return [{"cause": row.cause, "count": int(row[1]), "last_key": row.last} for row in session.execute(query)]

    return store.fetch(work)


def _filtered(session: Session, wanted: MatchFilter, before: int) -> Select[tuple[int]] | None:
    """Keys of matches, newest first, driven by the narrowest index; None if nothing can fit."""
    rows, seats, entries = table(Match), table(Seat), table(Entry)
    tournament = find(session, wanted.tournament).id if wanted.tournament else None
    among = _tournaments(session, wanted)
    if among is not None and not (among if tournament is None else tournament in among):
        return None
    if among is not None and tournament is None and len(among) == 1:
        tournament = among[0]  # then an index of this tournament serves
    bot = _bot_id(session, wanted.bot) if wanted.bot else None
    query: Select[tuple[int]]
    if bot is not None and tournament is not None:
        entry = session.execute(
            select(entries.c.id).where(entries.c.tournament_id == tournament, entries.c.bot_id == bot)
        ).scalar_one_or_none()
        if entry is None:
            return None
        query = select(seats.c.match_id).where(seats.c.entry_id == entry)
        key = seats.c.match_id
    elif bot is not None:
        query, key = select(seats.c.match_id).where(seats.c.bot_id == bot), seats.c.match_id
    elif wanted.cause and wanted.cause != "completed":
        query, key = select(seats.c.match_id).where(seats.c.cause == wanted.cause, _fault(seats)), seats.c.match_id
    else:
        query, key = select(rows.c.id), rows.c.id
        if tournament is not None:
            query = query.where(rows.c.tournament_id == tournament)
    own = key.table is rows
    conditions = []
    if tournament is not None and bot is None and not own:
        conditions.append(rows.c.tournament_id == tournament)
    if among is not None and tournament is None:
        conditions.append(rows.c.tournament_id.in_(among))
    if wanted.cause == "completed":
        conditions.append(rows.c.cause == "completed")
    if wanted.faults:
        conditions.append(_fault(rows))
    if wanted.faults or wanted.played:
        conditions.append(rows.c.state == MatchState.DONE)
    if wanted.since is not None or wanted.until is not None:
        first, last = around(session, wanted.since, wanted.until)
        query = query.where(key >= first, key < last)
        if wanted.since is not None:
            conditions.append(rows.c.ended_at >= wanted.since)
        if wanted.until is not None:
            conditions.append(rows.c.ended_at < wanted.until)
    if conditions:
        if not own:
            query = query.join(rows, rows.c.id == key)
        query = query.where(*conditions)
    if wanted.cause and wanted.cause != "completed" and bot is not None:
        other = seats.alias()
        query = query.where(exists().where(other.c.match_id == key, other.c.cause == wanted.cause))
    if wanted.opponent:
        rival = seats.alias()
        query = query.where(
            exists().where(rival.c.match_id == key, rival.c.bot_id == _bot_id(session, wanted.opponent))
        )
    if before:
        query = query.where(key < before)
    # A bot or a cause can be at several seats of one match: with teams, or where two failed alike.
    return query.distinct().order_by(key.desc()) if not own else query.order_by(key.desc())


def _tournaments(session: Session, wanted: MatchFilter) -> list[int] | None:
    """The tournaments of the game and table size that are wanted; None if all are."""
    if not (wanted.game or wanted.players):
        return None
    rows = table(Tournament)
    query = select(rows.c.id)
    if wanted.game:
        query = query.where(rows.c.game == wanted.game)
    if wanted.players:
        query = query.where(rows.c.table_size == wanted.players)
    return [int(key) for key in session.execute(query).scalars()]


def _rows(session: Session, keys: Sequence[int]) -> list[dict[str, Any]]:
    rows, seats, tournaments, replays, blocks = (
        table(Match),
        table(Seat),
        table(Tournament),
        table(Replay),
        table(Block),
    )
    query = (
        select(
            rows,
            tournaments.c.name.label("tournament"),
            tournaments.c.game,
            exists().where(replays.c.match_id == rows.c.id).label("has_replay"),
            blocks.c.done_at.label("block_done_at"),
        )
        .join(tournaments, tournaments.c.id == rows.c.tournament_id)
        .join(blocks, (blocks.c.tournament_id == rows.c.tournament_id) & (blocks.c.number == rows.c.block))
        .where(rows.c.id.in_(keys))
    )
    found = {row["id"]: dict(row) for row in session.execute(query).mappings()}
    seated: dict[int, list[Any]] = {}
    taken = session.execute(
        select(seats).where(seats.c.match_id.in_(keys)).order_by(seats.c.match_id, seats.c.seat)
    ).mappings()
    for seat in taken:
        seated.setdefault(seat["match_id"], []).append(seat)
    names = entry_names(session, {seat["entry_id"] for row in seated.values() for seat in row})
    for row in found.values():
        if row["state"] == MatchState.DONE and not row["has_replay"] and not row["reason"]:
            why = why_no_replay(session, row["match_id"])
            if isinstance(why, Removed):
                row["reason"] = f"its replay was removed by retention after {counted(why.days, 'day')}"
    return [_public(found[key], seated.get(key, []), names) for key in keys]


def _public(row: dict[str, Any], seats: Sequence[Any], names: dict[int, dict[str, Any]]) -> dict[str, Any]:
    return {
        "key": row["id"],
        "match_id": row["match_id"],
        "fixture_id": row["match_id"].rpartition("/")[0],
        "tournament": row["tournament"],
        "game": row["game"],
        "state": row["state"],
        "cause": row["cause"],
        "reason": row["reason"],
        "ended_at": row["ended_at"],
        "rounds": row["rounds"],
        "plies": row["plies"],
        "machine": row["machine"],
        "speed": row["speed"],
        "attempt": row["attempt"],
        "canonical_sha256": row["canonical_sha256"],
        "has_replay": bool(row["has_replay"]),
        "seed_revealed": row["block_done_at"] is not None,
        "seats": [
            {
                **names[seat["entry_id"]],
                "seat": seat["seat"],
                "place": seat["place"],
                "points": None if seat["place"] is None else seat["points"] / POINT,
                "penalty": seat["penalty"],
                "cause": seat["cause"],
                "detail": seat["detail"],
                "decisions": seat["decisions"],
                "wall_ms": seat["wall_ms"],
                "cpu_ms": seat["cpu_ms"],
            }
            for seat in seats
        ],
    }


def _neighbours(session: Session, key: int) -> dict[str, str | None]:
    rows = table(Match)
    tournament = select(rows.c.tournament_id).where(rows.c.id == key).scalar_subquery()
    of = select(rows.c.match_id).where(rows.c.tournament_id == tournament)
    return {
        "previous": session.execute(of.where(rows.c.id < key).order_by(rows.c.id.desc()).limit(1)).scalar_one_or_none(),
        "next": session.execute(of.where(rows.c.id > key).order_by(rows.c.id).limit(1)).scalar_one_or_none(),
    }


def _unfinished(session: Session, match_id: str) -> dict[str, Any]:
    fixture_id, _, number = match_id.rpartition("/")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise NotFound("match", match_id)
    try:
        fixture, name = find_fixture(session, fixture_id)
    except NotFound:
        raise NotFound("match", match_id) from None
    tournament = find(session, name)
    if not 1 <= int(number) <= tournament.matches_per_fixture:
        raise NotFound("match", match_id)
    names = entry_names(session, set(fixture.entries))
    return {
        "key": None,
        "match_id": match_id,
        "fixture_id": fixture_id,
        "tournament": name,
        "game": tournament.game,
        "state": fixture.state,
        "cause": fixture.cause,
        "reason": fixture.reason or fixture.stage,
        "stage": fixture.stage,
        "progress_at": fixture.progress_at,
        "referee": fixture.referee if fixture.state == "running" else "",
        "machine": fixture.machine,
        "attempt": fixture.attempt,
        "has_replay": False,
        "seed_revealed": False,
        "seats": [{**names[entry], "seat": seat} for seat, entry in enumerate(fixture.entries)],
    }


def _fault(rows: Table) -> ColumnElement[bool]:
    """That a row is one of the few that an index on faults holds, in the words of that index."""
    return rows.c.cause != literal_column("'completed'")


def _bot_id(session: Session, name: str) -> int:
    bots = table(Bot)
    found = session.execute(select(bots.c.id).where(bots.c.name == name)).scalar_one_or_none()
    if found is None:
        raise NotFound("bot", name)
    return int(found)


def logged_seats(session: Session, key: int) -> list[int]:
    """The seats of a match that have a log."""
    logs = table(MatchLog)
    return [int(seat) for seat in session.execute(select(logs.c.seat).where(logs.c.match_id == key)).scalars()]
