"""What standings are read from: sums of whole numbers, added to in the transaction that stores a result.

`Sums` is filled the same way from a fresh result and from stored records, so a recomputation compares like with like.
A side is an entry at a table: one seat, or with teams all seats of its team, listed under its lowest seat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from sqlalchemy import Table, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from referee.store.commands.transaction import table
from referee.store.engine import store_of
from referee.store.models import BlockPair, Match, Pair, PairSum, Seat, SeatSum
from referee.store.states import POINT, MatchState

Key = tuple[int, ...]
Row = dict[str, int]


@dataclass(frozen=True, slots=True)
class Side:
    """One entry's outcome of one match; `penalty` is the sum over its seats."""

    entry: int
    seat: int
    place: int
    points: int
    penalty: int
    forfeited: bool


def _rows() -> defaultdict[Key, Row]:
    return defaultdict(lambda: defaultdict(int))


@dataclass(slots=True)
class Sums:
    """Sums over some matches of one tournament, keyed like the tables they go to."""

    seats: defaultdict[Key, Row] = field(default_factory=_rows)
    pair_seats: defaultdict[Key, Row] = field(default_factory=_rows)
    block_pairs: defaultdict[Key, Row] = field(default_factory=_rows)

    def add(self, block: int, sides: Sequence[Side]) -> None:
        """One more match is counted."""
        clean = not any(side.forfeited for side in sides)
        for me in sides:
            row = self.seats[me.entry, me.seat]
            row["matches"] += 1
            row["points"] += me.points
            row["first_places"] += me.place == 1 and not me.forfeited
            row["place_sum"] += me.place
            row["forfeits"] += me.forfeited
            if clean:
                row["clean"] += 1
                row["penalty"] += me.penalty
                row["margin"] += sum(other.penalty - me.penalty for other in sides)
            for other in sides:
                if other is not me:
                    pair = self.pair_seats[me.entry, other.entry, me.seat]
                    pair["matches"] += 1
                    pair["points"] += _against(me, other)
                    if clean:
                        pair["clean"] += 1
                        pair["margin"] += other.penalty - me.penalty
        for low, high in combinations(sorted(sides, key=lambda side: side.entry), 2):
            row = self.block_pairs[block, low.entry, high.entry]
            points = _against(low, high)
            row["wins"] += points == POINT
            row["losses"] += _against(high, low) == POINT
            row["ties"] += points != POINT and _against(high, low) != POINT
            if clean:
                row["clean"] += 1
                row["margin"] += high.penalty - low.penalty

    def pairs(self) -> dict[Key, Row]:
        """The pairs over all these blocks, with the squares that intervals need."""
        pairs = _rows()
        for (_block, low, high), block in self.block_pairs.items():
            _add_block(pairs[low, high], block)
            pairs[low, high]["blocks"] += 1
        return dict(pairs)


def sides_of(entries: Sequence[int], seats: Iterable[tuple[int, int, int, int, bool]]) -> list[Side]:
    """The sides of one match from (seat, place, points, penalty, forfeited) of its seats."""
    grouped: dict[int, list[tuple[int, int, int, int, bool]]] = {}
    for seat in sorted(seats):
        grouped.setdefault(entries[seat[0]], []).append(seat)
    return [
        Side(
            entry=entry,
            seat=own[0][0],
            place=own[0][1],
            points=own[0][2],
            penalty=sum(seat[3] for seat in own),
            forfeited=any(seat[4] for seat in own),
        )
        for entry, own in grouped.items()
    ]


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
            row["blocks"] += 1
            _add_block(row, delta)
            continue
        clean, margin = found
        after = {"clean": clean + delta["clean"], "margin": margin + delta["margin"]}
        _add_block(row, {**delta, **after})
        _add_block(row, {"clean": clean, "margin": margin}, sign=-1)
    _add(session, blocks, tournament_id, ("block", "low_id", "high_id"), sums.block_pairs)
    _add(session, table(Pair), tournament_id, ("low_id", "high_id"), pairs)


def recompute(session: Session, tournament_id: int) -> Sums:
    """The sums as they follow from the match records alone."""
    matches, seats = table(Match), table(Seat)
    query = (
        select(
            matches.c.id, matches.c.block, seats.c.seat, seats.c.entry_id, seats.c.place, seats.c.points,
            seats.c.penalty, seats.c.cause,
        )
        .join(seats, seats.c.match_id == matches.c.id)
        .where(matches.c.tournament_id == tournament_id, matches.c.state == MatchState.DONE)
        .order_by(matches.c.id, seats.c.seat)
    )  # fmt: skip
    sums = Sums()
    current: int | None = None
    block = 0
    entries: list[int] = []
    rows: list[tuple[int, int, int, int, bool]] = []
    for match, number, seat, entry, place, points, penalty, cause in session.execute(
        query.execution_options(yield_per=5_000)
    ):
        if match != current:
            if rows:
                sums.add(block, sides_of(entries, rows))
            current, block, entries, rows = match, number, [], []
        entries.append(entry)
        rows.append((seat, place, points, penalty, cause != "completed"))
    if rows:
        sums.add(block, sides_of(entries, rows))
    return sums


def differences(session: Session, tournament_id: int) -> list[str]:
    """One sentence for each stored sum that is not what the match records give; empty when all agree."""
    sums = recompute(session, tournament_id)
    found: list[str] = []
    for model, keys, expected in (
        (SeatSum, ("entry_id", "seat"), sums.seats),
        (PairSum, ("entry_id", "opponent_id", "seat"), sums.pair_seats),
        (BlockPair, ("block", "low_id", "high_id"), sums.block_pairs),
        (Pair, ("low_id", "high_id"), sums.pairs()),
    ):
        found += _compare(session, table(model), tournament_id, keys, expected)
    return found


def count_done(session: Session, tournament_id: int) -> int:
    """How many match records count."""
    matches = table(Match)
    query = select(func.count()).where(matches.c.tournament_id == tournament_id, matches.c.state == MatchState.DONE)
    return int(session.execute(query).scalar_one())


def _against(me: Side, other: Side) -> int:
    if me.forfeited:
        return 0
    if other.forfeited or me.place < other.place:
        return POINT
    return POINT // 2 if me.place == other.place else 0


def _add_block(row: Row, block: Mapping[str, int], sign: int = 1) -> None:
    clean, margin = block.get("clean", 0), block.get("margin", 0)
    for name in ("wins", "losses", "ties"):
        row[name] += sign * block.get(name, 0)
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
