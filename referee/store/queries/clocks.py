"""The clocks of tournaments, without all else that is known of them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlmodel import Session

from referee.store.engine import Store
from referee.store.models import Tournament
from referee.store.rows import table


def clocks(store: Store, names: Collection[str]) -> dict[str, tuple[int, int]]:
    """`(bank_ms, increment_ms)` of each of these tournaments that exists, by name."""

    def work(session: Session) -> dict[str, tuple[int, int]]:
        rows = table(Tournament)
        query = select(rows.c.name, rows.c.bank_ms, rows.c.increment_ms).where(rows.c.name.in_(names))
        return {row.name: (int(row.bank_ms), int(row.increment_ms)) for row in session.execute(query)}

    return store.fetch(work)
