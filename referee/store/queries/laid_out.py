"""The schedule of a tournament as it has been laid out, block by block, whatever has become of it."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from referee.store.engine import Store
from referee.store.models import Fixture
from referee.store.queries.tournaments import entry_names, find


def laid_out(store: Store, tournament: str, *, block: int = 1, limit: int = 30) -> dict[str, Any]:
    """`fixtures` from that block on, at most `limit` (6 or more) and whole blocks only; `earlier` and `later` are the
    blocks at which the pages before and after begin, None at either end."""

    def work(session: Session) -> dict[str, Any]:
        key = find(session, tournament).id
        mine = select(Fixture).where(Fixture.tournament_id == key)
        rows = session.exec(
            mine.where(col(Fixture.block) >= block).order_by(col(Fixture.block), col(Fixture.seating)).limit(limit + 1)
        ).all()
        later = None
        if len(rows) > limit:
            later = rows[-1].block
            rows = [row for row in rows if row.block < later]
        before = session.exec(
            select(Fixture.block)
            .where(Fixture.tournament_id == key, col(Fixture.block) < block)
            .order_by(col(Fixture.block).desc(), col(Fixture.seating).desc())
            .limit(limit + 1)
        ).all()
        earlier = None
        if before:  # one row more than fits was asked for: where it came, its block begins before this page
            earlier = before[-1] if len(before) <= limit else min(number for number in before if number > before[-1])
        names = entry_names(session, {entry for row in rows for entry in row.entries})
        return {
            "earlier": earlier,
            "later": later,
            "fixtures": [
                {
                    "fixture_id": f"{tournament}/{row.block}/{row.seating}",
                    "block": row.block,
                    "seating": row.seating,
                    "seats": [names[entry] for entry in row.entries],
                    "state": row.state,
                    "cause": row.cause,
                    "voids": row.voids,
                    "ended_at": row.ended_at,
                }
                for row in rows
            ],
        }

    return store.fetch(work)
