"""Pair by pair: score and mean margin with its interval, from sums kept by block."""

from __future__ import annotations

from typing import Any

from scipy.stats import t as student
from sqlalchemy import select
from sqlmodel import Session

from referee.store.engine import Store
from referee.store.models import Pair
from referee.store.queries.standings import table_of
from referee.store.queries.tournaments import find
from referee.store.rows import table

LIMIT = 60
"""So many bots are shown at most, the best placed."""


def crosstable(store: Store, tournament: str, *, limit: int = LIMIT) -> dict[str, Any]:
    """`bots`: the best `limit`, in the order of the standings. `cells`: one for each ordered pair that met.

    A cell has `row`, `column` (indices in `bots`), `matches`, `blocks`, `score` (0 to 1, of the row), and over matches
    without forfeits `margin` (mean, of the row) with `low` and `high`, its 95% interval from whole blocks (None under
    two blocks), and `significant` where that leaves out 0.
    """

    def work(session: Session) -> dict[str, Any]:
        row = find(session, tournament)
        ranked = table_of(session, row)[:limit]
        index = {standing["entry"]: i for i, standing in enumerate(ranked)}
        pairs = table(Pair)
        query = select(pairs).where(
            pairs.c.tournament_id == row.id, pairs.c.low_id.in_(index), pairs.c.high_id.in_(index)
        )
        cells = []
        for pair in session.execute(query).mappings():
            low, high = index[pair["low_id"]], index[pair["high_id"]]
            margin = _margin(pair)
            for me, other, halves, sign in (
                (low, high, pair["halves_low"], 1),
                (high, low, pair["halves_high"], -1),
            ):
                cells.append(
                    {
                        "row": me,
                        "column": other,
                        "matches": pair["matches"],
                        "blocks": pair["blocks"],
                        "score": halves / (2 * pair["matches"]) if pair["matches"] else None,
                        **_turned(margin, sign),
                    }
                )
        cells.sort(key=lambda cell: (cell["row"], cell["column"]))
        names = [{"entry": s["entry"], "bot": s["bot"], "version": s["version"], "rank": s["rank"]} for s in ranked]
        return {"bots": names, "cells": cells}

    return store.fetch(work)


def _margin(pair: Any) -> tuple[float | None, float | None]:
    """Mean margin of the lower entry, and how far its 95% interval reaches to either side.

    A ratio of sums over blocks, its spread from the blocks' deviations from it; blocks, not matches, are independent.
    """
    blocks, clean = pair["blocks"], pair["clean"]
    if not clean:
        return None, None
    mean = pair["margin"] / clean
    if blocks < 2:
        return mean, None
    spread = pair["margin_squares"] - 2 * mean * pair["margin_clean"] + mean * mean * pair["clean_squares"]
    variance = max(spread, 0.0) * blocks / (blocks - 1) / clean**2
    return mean, float(student.ppf(0.975, blocks - 1)) * variance**0.5


def _turned(margin: tuple[float | None, float | None], sign: int) -> dict[str, Any]:
    mean, reach = margin
    if mean is None or reach is None:
        return {"margin": None if mean is None else sign * mean, "low": None, "high": None, "significant": False}
    low, high = sign * mean - reach, sign * mean + reach
    return {"margin": sign * mean, "low": low, "high": high, "significant": low > 0 or high < 0}
