"""What standings are read from: sums of whole numbers, added to in the transaction that stores a result.

`Sums` is filled the same way from a fresh result and from stored records, so a recomputation compares like with like.
What one match adds is settled in `referee.tournament`; a team counts under its first seat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from referee.store.engine import store_of
from referee.store.facts import facts
from referee.store.models import BlockPair, Pair, PairSum, SeatSum, Tournament
from referee.store.rows import key_of, table
from referee.tournament.points import MatchFact, halves
from referee.tournament.standings import Tally, increments

Key = tuple[int, ...]
Row = dict[str, int]
_TALLY = tuple(f.name for f in fields(Tally))


def _rows() -> defaultdict[Key, Row]:
    return defaultdict(lambda: defaultdict(int))


@dataclass(slots=True)
class Sums:
    """Sums over some matches of one tournament, keyed like the tables they go to."""

    seats: defaultdict[Key, Row] = field(default_factory=_rows)
    pair_seats: defaultdict[Key, Row] = field(default_factory=_rows)
    block_pairs: defaultdict[Key, Row] = field(default_factory=_rows)

    def add(self, fact: MatchFact) -> None:
        """One more match is counted."""
        for entry, seat, opponent, tally in increments(fact):
            row = self.seats[entry, seat] if opponent is None else self.pair_seats[entry, opponent, seat]
            for name in _TALLY:
                row[name] += getattr(tally, name)
        for side, entry in enumerate(fact.entries):
            row = self.seats[entry, side]
            row["first_places"] += fact.places[side] == 1 and not fact.forfeited[side]
            row["place_sum"] += fact.places[side]
        for i, j in combinations(range(len(fact.entries)), 2):
            low, high = (i, j) if fact.entries[i] < fact.entries[j] else (j, i)
            row = self.block_pairs[fact.block, fact.entries[low], fact.entries[high]]
            row["matches"] += 1
            row["halves_low"] += halves(fact, low, high)
            row["halves_high"] += halves(fact, high, low)
            if fact.clean:
                row["clean"] += 1
                row["margin"] += fact.penalties[high] - fact.penalties[low]

    def pairs(self) -> dict[Key, Row]:
        """The pairs over all these blocks, with the squares that intervals need."""
        pairs = _rows()
        for (_block, low, high), block in self.block_pairs.items():
            _add_block(pairs[low, high], block)
        return dict(pairs)


def apply(session: Session, tournament_id: int, sums: Sums) -> None:
    """The stored sums include these too. The caller holds the tournament's lock."""
    _add(session, table(SeatSum), tournament_id, ("entry_id", "seat"), sums.seats)
    _add(session, table(PairSum), tournament_id, ("entry_id", "opponent_id", "seat"), sums.pair_seats)
    pairs = _rows()
    blocks = table(BlockPair)
    for (block, low, high), delta in sums.block_pairs.items():
        found = session.execute(
            select(blocks.c.clean, blocks.c.margin).where(
                blocks.c.tournament_id == tournament_id,
                blocks.c.block == block,
                blocks.c.low_id == low,
                blocks.c.high_id == high,
            )
        ).one_or_none()
        row = pairs[low, high]
        if found is None:
            _add_block(row, delta)
            continue
        clean, margin = found
        after = {"clean": clean + delta["clean"], "margin": margin + delta["margin"]}
        _add_block(row, {**delta, **after})
        _add_block(row, {"clean": clean, "margin": margin}, sign=-1)
    _add(session, blocks, tournament_id, ("block", "low_id", "high_id"), sums.block_pairs)
    _add(session, table(Pair), tournament_id, ("low_id", "high_id"), pairs)


def recompute(session: Session, tournament: Tournament) -> Sums:
    """The sums as they follow from the match records alone."""
    sums = Sums()
    for fact in facts(session, tournament):
        sums.add(fact)
    return sums


def differences(session: Session, tournament: Tournament) -> list[str]:
    """One sentence for each stored sum that is not what the match records give; empty when all agree."""
    sums = recompute(session, tournament)
    found: list[str] = []
    for model, keys, expected in (
        (SeatSum, ("entry_id", "seat"), sums.seats),
        (PairSum, ("entry_id", "opponent_id", "seat"), sums.pair_seats),
        (BlockPair, ("block", "low_id", "high_id"), sums.block_pairs),
        (Pair, ("low_id", "high_id"), sums.pairs()),
    ):
        found += _compare(session, table(model), key_of(tournament), keys, expected)
    return found


def _add_block(row: Row, block: Mapping[str, int], sign: int = 1) -> None:
    clean, margin = block.get("clean", 0), block.get("margin", 0)
    for name in ("matches", "halves_low", "halves_high"):
        row[name] += sign * block.get(name, 0)
    row["blocks"] += sign * (clean > 0)
    row["clean"] += sign * clean
    row["margin"] += sign * margin
    row["margin_squares"] += sign * margin * margin
    row["margin_clean"] += sign * margin * clean
    row["clean_squares"] += sign * clean * clean


def _add(session: Session, target: Table, tournament_id: int, keys: Sequence[str], rows: Mapping[Key, Row]) -> None:
    if not rows:
        return
    names = [c.name for c in target.columns if c.name not in keys and c.name != "tournament_id"]
    values: list[dict[str, Any]] = [
        {
            "tournament_id": tournament_id,
            **dict(zip(keys, key, strict=True)),
            **{name: int(row.get(name, 0)) for name in names},
        }
        for key, row in sorted(rows.items())
    ]
    insert = sqlite.insert if store_of(session).sqlite else postgresql.insert
    statement = insert(target)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["tournament_id", *keys],
            set_={name: target.c[name] + statement.excluded[name] for name in names},
        ),
        values,
    )


def _compare(
    session: Session, target: Table, tournament_id: int, keys: Sequence[str], expected: Mapping[Key, Row]
) -> list[str]:
    names = [c.name for c in target.columns if c.name not in keys and c.name != "tournament_id"]
    left = dict(expected)
    found = []
    query = select(target).where(target.c.tournament_id == tournament_id).execution_options(yield_per=5_000)
    for row in session.execute(query).mappings():
        key = tuple(row[name] for name in keys)
        want = left.pop(key, None)
        for name in names:
            right = int(want.get(name, 0)) if want is not None else 0
            if row[name] != right:
                place = ", ".join(f"{k} {v}" for k, v in zip(keys, key, strict=True))
                found.append(f"{target.name} ({place}): {name} is {row[name]}, the records give {right}")
    for key, want in left.items():
        if any(want.values()):
            place = ", ".join(f"{k} {v}" for k, v in zip(keys, key, strict=True))
            found.append(f"{target.name} ({place}): missing, the records give {dict(want)}")
    return found
