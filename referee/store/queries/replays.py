"""Replays, logs and exports. A seed leaves the store only once its block is complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import zstandard
from sqlalchemy import select
from sqlmodel import Session

from referee.errors import NotFound
from referee.store.engine import Store
from referee.store.models import Block, Bot, Entry, Match, MatchLog, Replay, Seat, User
from referee.store.queries.tournaments import find
from referee.store.retention import noted, why_no_log, why_no_replay
from referee.store.rows import table
from referee.store.states import ENDED, MatchState

_LIMIT = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Log:
    """What one seat printed during one match: the bytes kept, and whether there were more. `key` is the page cursor."""

    key: int
    match_id: str
    seat: int
    bot: str
    data: bytes
    cut: bool

    @property
    def text(self) -> str:
        """The log to read: bytes that are no text are replaced, and a cut is said."""
        text = self.data.decode("utf-8", "replace")
        return text + ("\n[the log was longer and was cut here]\n" if self.cut else "")


def replay(store: Store, match_id: str) -> dict[str, Any]:
    """The REPLAY document of a finished match; its seed is None until its block is complete.

    `NotFound` without one; `Removed` (which is one too) if retention has removed it.
    """

    def work(session: Session) -> dict[str, Any]:
        matches, replays, blocks = table(Match), table(Replay), table(Block)
        row = session.execute(
            select(replays.c.data, blocks.c.done_at)
            .join(matches, matches.c.id == replays.c.match_id)
            .join(blocks, (blocks.c.tournament_id == matches.c.tournament_id) & (blocks.c.number == matches.c.block))
            .where(matches.c.match_id == match_id)
        ).one_or_none()
        if row is None:
            state = session.execute(select(matches.c.state).where(matches.c.match_id == match_id)).scalar_one_or_none()
            if state == MatchState.DONE:
                raise why_no_replay(session, match_id)
            raise NotFound("replay of match", match_id)
        return _document(row.data, row.done_at is not None)

    return store.fetch(work)


def replays(store: Store, tournament: str, *, page: int = 50) -> Iterator[dict[str, Any]]:
    """Every replay of a tournament, in the order of recording, read page by page."""
    after = 0
    while True:

        def work(session: Session, after: int = after) -> list[Any]:
            matches, rows, blocks = table(Match), table(Replay), table(Block)
            query = (
                select(matches.c.id, rows.c.data, blocks.c.done_at)
                .join(rows, rows.c.match_id == matches.c.id)
                .join(
                    blocks, (blocks.c.tournament_id == matches.c.tournament_id) & (blocks.c.number == matches.c.block)
                )
                .where(matches.c.tournament_id == find(session, tournament).id, matches.c.id > after)
                .order_by(matches.c.id)
                .limit(page)
            )
            return list(session.execute(query).all())

        found = store.fetch(work)
        for row in found:
            yield _document(row.data, row.done_at is not None)
        if len(found) < page:
            return
        after = found[-1].id


def bot_replays(store: Store, bot: str, *, after: int = 0, limit: int = 50) -> list[tuple[int, dict[str, Any]]]:
    """A bot's replays, oldest match first, going on after a match key: each key with its document, empty if removed."""

    def work(session: Session) -> list[tuple[int, dict[str, Any]]]:
        matches, seats, rows, blocks, bots = table(Match), table(Seat), table(Replay), table(Block), table(Bot)
        played = (
            select(seats.c.match_id)
            .join(bots, bots.c.id == seats.c.bot_id)
            .where(bots.c.name == bot, seats.c.match_id > after)
            .distinct()
            .order_by(seats.c.match_id)
            .limit(limit)
        )
        query = (
            select(matches.c.id, rows.c.data, blocks.c.done_at)
            .join(rows, rows.c.match_id == matches.c.id)
            .join(blocks, (blocks.c.tournament_id == matches.c.tournament_id) & (blocks.c.number == matches.c.block))
            .where(matches.c.id.in_(keys := list(session.execute(played).scalars())))
        )
        found = {row.id: _document(row.data, row.done_at is not None) for row in session.execute(query)}
        return [(key, found.get(key, {})) for key in keys]

    return store.fetch(work)


def logs(store: Store, match_id: str, *, owner: str | None = None) -> list[Log]:
    """The logs of a match by seat; with `owner`, only those of that user's bots."""

    def work(session: Session) -> list[Log]:
        return [_log(row) for row in session.execute(_logs(owner).where(table(Match).c.match_id == match_id))]

    return store.fetch(work)


def no_log(store: Store, match_id: str, bot: str) -> NotFound:
    """What to say of a match of the bot's for which there is no log: `Removed` if retention may have removed it,
    `Silent` if nothing was printed."""

    def work(session: Session) -> NotFound:
        matches, seats, bots = table(Match), table(Seat), table(Bot)
        query = (
            select(seats.c.seat)
            .join(matches, matches.c.id == seats.c.match_id)
            .join(bots, bots.c.id == seats.c.bot_id)
            .where(matches.c.match_id == match_id, bots.c.name == bot)
        )
        if session.execute(query.limit(1)).first() is None:
            return NotFound(f"match of {bot}", match_id)
        return why_no_log(session, match_id, bot)

    return store.fetch(work)


def logs_removed(store: Store, bot: str) -> dict[str, Any] | None:
    """Before which moment, and after how many `days`, the bot's logs were removed; None if none can have been."""

    def work(session: Session) -> dict[str, Any] | None:
        gone = noted(session).get("logs")
        if gone is None:
            return None
        seats, bots = table(Seat), table(Bot)
        query = select(seats.c.match_id).join(bots, bots.c.id == seats.c.bot_id)
        played = session.execute(query.where(bots.c.name == bot, seats.c.match_id <= gone["upto"]).limit(1)).first()
        return None if played is None else {"before": gone["before"], "days": gone["days"]}

    return store.fetch(work)


def bot_logs(store: Store, bot: str, *, owner: str | None = None, before: int = 0, limit: int = 50) -> list[Log]:
    """A bot's logs, newest match first, going on `before` a match key; with `owner`, only if it is theirs."""

    def work(session: Session) -> list[Log]:
        seats = table(Seat)
        query = _logs(owner).where(table(Bot).c.name == bot).order_by(None).order_by(seats.c.match_id.desc())
        if before:
            query = query.where(seats.c.match_id < before)
        return [_log(row) for row in session.execute(query.limit(limit))]

    return store.fetch(work)


def sent(store: Store, match_id: str, *, owner: str | None = None) -> list[dict[str, Any]]:
    """What forfeited seats had sent (shortened), for their bots' owner."""

    def work(session: Session) -> list[dict[str, Any]]:
        matches, seats, bots, users = table(Match), table(Seat), table(Bot), table(User)
        query = (
            select(seats.c.seat, bots.c.name, seats.c.cause, seats.c.detail, seats.c.sent)
            .join(matches, matches.c.id == seats.c.match_id)
            .join(bots, bots.c.id == seats.c.bot_id)
            .join(users, users.c.id == bots.c.owner_id)
            .where(matches.c.match_id == match_id, seats.c.cause != "completed")
            .order_by(seats.c.seat)
        )
        if owner is not None:
            query = query.where(users.c.name == owner)
        return [
            {"seat": row.seat, "bot": row.name, "cause": row.cause, "detail": row.detail, "sent": row.sent}
            for row in session.execute(query)
        ]

    return store.fetch(work)


def seed_chain(store: Store, tournament: str) -> dict[str, Any]:
    """What anyone needs to check the seeds: commitment, salt, digests; the master seed once all has ended."""

    def work(session: Session) -> dict[str, Any]:
        row = find(session, tournament)
        entries = table(Entry)
        digests = session.execute(
            select(entries.c.digest)
            .where(entries.c.tournament_id == row.id, entries.c.number.is_not(None))
            .order_by(entries.c.number)
        ).scalars()
        return {
            "commitment": row.commitment,
            "seed_chosen": row.seed_chosen,
            "salt": row.salt or None,
            "digests": list(digests),
            "master_seed": row.master_seed if row.state in ENDED else None,
        }

    return store.fetch(work)


def _document(data: bytes, revealed: bool) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(zstandard.ZstdDecompressor().decompress(data, max_output_size=_LIMIT))
    if not revealed:
        document["seed"] = None
    return document


def _logs(owner: str | None) -> Any:
    matches, seats, rows, bots, users = table(Match), table(Seat), table(MatchLog), table(Bot), table(User)
    query = (
        select(matches.c.id, matches.c.match_id, rows.c.seat, bots.c.name, rows.c.data, rows.c.cut)
        .select_from(seats)
        .join(rows, (rows.c.match_id == seats.c.match_id) & (rows.c.seat == seats.c.seat))
        .join(matches, matches.c.id == seats.c.match_id)
        .join(bots, bots.c.id == seats.c.bot_id)
        .join(users, users.c.id == bots.c.owner_id)
        .order_by(matches.c.id, rows.c.seat)
    )
    return query if owner is None else query.where(users.c.name == owner)


def _log(row: Any) -> Log:
    data = zstandard.ZstdDecompressor().decompress(row.data, max_output_size=_LIMIT)
    return Log(row.id, row.match_id, row.seat, row.name, data, row.cut)
