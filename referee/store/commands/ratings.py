"""Ratings of a tournament: asked for while results come in, fitted from the sums of its blocks, kept as snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import func, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.store.engine import Store, now
from referee.store.models import BlockPair, Entry, RatingSnapshot, Tournament
from referee.store.queries.tournaments import find
from referee.store.rows import key_of, table
from referee.store.states import EntryState, TournamentState

REFIT_SECONDS = 10.0
"""Ratings are fitted at most so often while results come in."""
GROWTH, LATEST_SECONDS = 0.02, 300.0
"""... and not before the results have grown by so much, or so long has passed: a fit reads all results, and a fiftieth
more of them moves no interval by more than a hundredth of its width."""
KEPT_SNAPSHOTS = 200
"""About so many snapshots are kept of one tournament, thinned evenly: enough for a plot."""


@dataclass(frozen=True, slots=True)
class RatingData:
    """What a fit needs: one row (block, low, high, half wins of low, of high) a pair and block; entries by id."""

    tournament_id: int
    watermark: int
    sides: int
    entries: tuple[int, ...]
    withdrawn: tuple[int, ...]
    rows: Sequence[Sequence[int]]


def due_ratings(store: Store) -> list[str]:
    """The tournaments whose ratings are worth fitting and were not asked for within `REFIT_SECONDS`; now they were.

    Worth it is `GROWTH`, or any new result after `LATEST_SECONDS`. One that has ended is due at once: nothing more
    comes in, and everybody is looking.
    """

    def work(session: Session) -> list[str]:
        at, asked = now(session), col(Tournament.rating_requested_at)
        query = (
            select_rows(Tournament)
            .where(
                col(Tournament.done_matches) > col(Tournament.rating_watermark),
                Tournament.kind == "league",
                Tournament.state != TournamentState.DRAFT,
                or_(
                    asked.is_(None),
                    asked <= col(Tournament.ended_at),
                    (asked <= at - timedelta(seconds=REFIT_SECONDS))
                    & (col(Tournament.done_matches) >= col(Tournament.rating_watermark) * (1 + GROWTH)),
                    asked <= at - timedelta(seconds=LATEST_SECONDS),
                ),
            )
            .order_by(col(Tournament.id))
            .with_for_update(skip_locked=True)
        )
        names = []
        for row in session.exec(query):
            row.rating_requested_at = at
            session.add(row)
            names.append(row.name)
        return names

    return store.write(work)


def rating_data(store: Store, tournament: str) -> RatingData | None:
    """The results to fit, as of one moment; None if the latest ratings include them all."""

    def work(session: Session) -> RatingData | None:
        row = find(session, tournament)
        if row.done_matches <= row.rating_watermark:
            return None
        pairs = table(BlockPair)
        query = select(pairs.c.block, pairs.c.low_id, pairs.c.high_id, pairs.c.halves_low, pairs.c.halves_high).where(
            pairs.c.tournament_id == row.id
        )
        entries = session.exec(select_rows(Entry).where(Entry.tournament_id == row.id, col(Entry.number).is_not(None)))
        states = {key_of(entry): entry.state for entry in entries}
        return RatingData(
            tournament_id=key_of(row),
            watermark=row.done_matches,
            sides=int(row.rules.get("teams") or 0) or row.table_size,
            entries=tuple(sorted(states)),
            withdrawn=tuple(sorted(key for key, state in states.items() if state == EntryState.WITHDRAWN)),
            rows=[tuple(found) for found in session.execute(query)],
        )

    return store.fetch(work, patience=30.0)


def store_ratings(store: Store, data: RatingData, ratings: Sequence[dict[str, Any]]) -> bool:
    """The fit is the tournament's latest; False if a later one is stored already. Each row has `entry` and numbers."""

    def work(session: Session) -> bool:
        row = session.exec(select_rows(Tournament).where(Tournament.id == data.tournament_id).with_for_update()).one()
        if row.rating_watermark >= data.watermark:
            return False
        at = now(session)
        session.add(
            RatingSnapshot(
                tournament_id=data.tournament_id, watermark=data.watermark, at=at, ratings=[dict(r) for r in ratings]
            )
        )
        row.rating_watermark, row.rated_at = data.watermark, at
        session.add(row)
        session.flush()
        _thin(session, data.tournament_id)
        return True

    return store.write(work)


def _thin(session: Session, tournament_id: int) -> None:
    """With twice as many snapshots as are kept, every second one goes; the latest stays."""
    rows = table(RatingSnapshot)
    mine = rows.c.tournament_id == tournament_id
    if session.execute(select(func.count()).where(mine)).scalar_one() < 2 * KEPT_SNAPSHOTS:
        return
    keys = list(session.execute(select(rows.c.id).where(mine).order_by(rows.c.watermark.desc())).scalars())
    session.execute(rows.delete().where(rows.c.id.in_(keys[1::2])))
