"""Pair by pair: score and mean margin with its interval, from sums kept by block."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from referee.store.engine import Store
from referee.store.models import Pair
from referee.store.queries.standings import table_of
from referee.store.queries.tournaments import find
from referee.store.rows import table
from referee.tournament.crosstable import MarginSums, cell, mirrored

LIMIT = 60
"""So many bots are shown at most, the best placed."""


def crosstable(store: Store, tournament: str, *, limit: int = LIMIT) -> dict[str, Any]:
    """`bots`: the best `limit`, in the order of the standings. `cells`: one for each ordered pair that met.

    A cell has `row`, `column` (indices in `bots`), `matches`, `score` (0 to 1, of the row), and what
    `tournament.crosstable.Cell` says of the row's margin: `blocks`, `margin`, `low`, `high`, `p_value`, `significant`.
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
            sums = MarginSums(
                blocks=pair["blocks"],
                m=pair["clean"],
                x=pair["margin"],
                mm=pair["clean_squares"],
                xx=pair["margin_squares"],
                mx=pair["margin_clean"],
            )
            one = cell(pair["low_id"], pair["high_id"], sums)
            for seen, halves in ((one, pair["halves_low"]), (mirrored(one), pair["halves_high"])):
                cells.append(
                    {
                        "row": index[seen.a],
                        "column": index[seen.b],
                        "matches": pair["matches"],
                        "score": halves / (2 * pair["matches"]) if pair["matches"] else None,
                        "blocks": seen.blocks,
                        "margin": seen.margin,
                        "low": seen.low,
                        "high": seen.high,
                        "p_value": seen.p_value,
                        "significant": seen.significant,
                    }
                )
        cells.sort(key=lambda cell: (cell["row"], cell["column"]))
        names = [{"entry": s["entry"], "bot": s["bot"], "version": s["version"], "rank": s["rank"]} for s in ranked]
        return {"bots": names, "cells": cells}

    return store.fetch(work)
