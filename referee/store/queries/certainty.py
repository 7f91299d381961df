"""How sure a table is: which neighbours are separated, and what the duplicate deals were worth.

Both go through single blocks or matches, so they are given for fields and tournaments up to a size; above it a dash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlmodel import Session

from referee.store.engine import Store
from referee.store.facts import facts
from referee.store.field import Field, field_of
from referee.store.models import BlockPair
from referee.store.queries.standings import table_of
from referee.store.queries.tournaments import find
from referee.store.rows import table

if TYPE_CHECKING:
    from referee.tournament.results import PairResult

MOST_BOTS = 40
MOST_MATCHES = 50_000


def block_results(session: Session, known: Field, upto: int | None = None) -> list[PairResult]:
    """What blocks 1 to `upto` (None: all) said about each pair, entries by their number in the schedule."""
    from referee.tournament.results import PairResult  # numpy: not for a conductor that only hands out fixtures

    numbers = {entry: number for number, entry in enumerate(known.entry_ids)}
    rows = table(BlockPair)
    query = select(rows).where(rows.c.tournament_id == known.tournament_id)
    if upto is not None:
        query = query.where(rows.c.block <= upto)
    results = []
    for row in session.execute(query).mappings():
        low, high = numbers[row["low_id"]], numbers[row["high_id"]]
        for_low, for_high = row["halves_low"], row["halves_high"]
        if low > high:
            low, high, for_low, for_high = high, low, for_high, for_low
        results.append(PairResult(row["block"], low, high, row["matches"], for_low, for_high))
    return results


def certainty(store: Store, tournament: str) -> dict[str, Any]:
    """`separated`: for each two neighbours of the standings, from the top, whether it is certain at 95%, whenever one
    looks, that the upper one is better head to head. `duplicates`: what share of blocks the duplicate deals saved.

    None where the field or the tournament is too large to say on the spot, or too little was played.
    """

    def work(session: Session) -> dict[str, Any]:
        row = find(session, tournament)
        known = field_of(session, row)
        if not row.started_at or not 2 <= len(known.bots) <= MOST_BOTS or row.done_matches > MOST_MATCHES:
            return {"separated": None, "duplicates": None}
        from referee.tournament import stopping  # numpy and scipy: not for whoever only lists tournaments
        from referee.tournament.crosstable import duplicate_effect, margin_sums
        from referee.tournament.results import pair_results

        numbers = {entry: number for number, entry in enumerate(known.entry_ids)}
        order = [numbers[standing["entry"]] for standing in table_of(session, row)]
        schedule = known.schedule()
        stats = stopping.differences(block_results(session, known), schedule)
        pairs = len(known.bots) * (len(known.bots) - 1) // 2
        effect = duplicate_effect(margin_sums(pair_results(facts(session, row))).values())
        return {
            "separated": stopping.separated(order, stats, pairs),
            "duplicates": {
                "blocks": effect.blocks,
                "variance": effect.duplicate,
                "variance_without": effect.independent,
                "saved": effect.saved,
            },
        }

    return store.fetch(work)
