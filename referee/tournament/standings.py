"""The table: sums that any order of results leaves the same, and the one order in which every view shows it.

Order: match points per match; then mean margin; then mean penalty, lower first; then share of forfeits, lower first;
then the number of the entry (who entered first). All exact: no rounding decides a place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction

from referee.tournament.points import UNIT, MatchFact, halves, points


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over matches of one entry, of one entry against one opponent, or of one entry at one seat.

    `points` and `margin` are in units of 1/120. `won`, `drawn` and `lost` count opponents placed behind, level and
    before (two that both forfeited have both lost). `penalty` and `margin` are over the `clean` matches: those without
    any forfeit. Tallies add up.
    """

    matches: int = 0
    points: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeits: int = 0
    clean: int = 0
    penalty: int = 0
    margin: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)))

    @property
    def score(self) -> Fraction | None:
        """Match points per match, 0 to 1; None without matches."""
        return Fraction(self.points, UNIT * self.matches) if self.matches else None

    @property
    def mean_penalty(self) -> Fraction | None:
        """Mean penalty over clean matches; None without any."""
        return Fraction(self.penalty, self.clean) if self.clean else None

    @property
    def mean_margin(self) -> Fraction | None:
        """Mean of the opponents' penalties less one's own, over clean matches; None without any."""
        return Fraction(self.margin, UNIT * self.clean) if self.clean else None


def increments(fact: MatchFact) -> Iterator[tuple[int, int, int | None, Tally]]:
    """What a match adds: (entry, seat, opponent, tally) for each side against each other, and with opponent None.

    The seat is the side's first. The store adds these to its sums in the transaction that stores the result.
    """
    n = len(fact.entries)
    all_points = points(fact)
    for side, entry in enumerate(fact.entries):
        won = drawn = lost = margin = 0
        for other in range(n):
            if other == side:
                continue
            half = halves(fact, side, other)
            one = Tally(
                1,
                half * UNIT // 2,
                int(half == 2),
                int(half == 1),
                int(half == 0),
                int(fact.forfeited[side]),
                int(fact.clean),
                fact.penalties[side] if fact.clean else 0,
                UNIT * (fact.penalties[other] - fact.penalties[side]) if fact.clean else 0,
            )
            won, drawn, lost = won + one.won, drawn + one.drawn, lost + one.lost
            margin += one.margin // (n - 1)  # exact: n - 1 divides 120
            yield entry, side, fact.entries[other], one
        penalty = fact.penalties[side] if fact.clean else 0
        failed, clean = int(fact.forfeited[side]), int(fact.clean)
        yield entry, side, None, Tally(1, all_points[side], won, drawn, lost, failed, clean, penalty, margin)


@dataclass(slots=True)
class Sums:
    """All sums of a tournament: by entry, by (entry, opponent) and by (entry, seat)."""

    entries: dict[int, Tally] = field(default_factory=dict)
    opponents: dict[tuple[int, int], Tally] = field(default_factory=dict)
    seats: dict[tuple[int, int], Tally] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[MatchFact]) -> Sums:
        """The sums over these matches, whatever their order."""
        sums = cls()
        for fact in facts:
            sums.add(fact)
        return sums

    def add(self, fact: MatchFact) -> None:
        """One more match is counted."""
        for entry, seat, opponent, tally in increments(fact):
            if opponent is None:
                self.entries[entry] = self.entries.get(entry, Tally()) + tally
                self.seats[entry, seat] = self.seats.get((entry, seat), Tally()) + tally
            else:
                self.opponents[entry, opponent] = self.opponents.get((entry, opponent), Tally()) + tally

    def merge(self, other: Sums) -> None:
        """The other's matches, which must be different ones, are counted too."""
        for mine, theirs in ((self.opponents, other.opponents), (self.seats, other.seats)):
            for pair, tally in theirs.items():
                mine[pair] = mine.get(pair, Tally()) + tally
        for entry, tally in other.entries.items():
            self.entries[entry] = self.entries.get(entry, Tally()) + tally


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the table. `decided_by` names what put it below the row above: `points`, `margin`, `penalty`,
    `forfeits` or `entry` (exactly level, the earlier entry first); empty in the first row.
    """

    rank: int
    entry: int
    tally: Tally
    decided_by: str


def standings(
    tallies: Mapping[int, Tally], entries: Iterable[int] | None = None, withdrawn: Collection[int] = ()
) -> list[Standing]:
    """The table, best first; `entries` adds those that have no match yet, `withdrawn` drops rows but no results."""
    listed = (set(tallies) | set(entries or ())) - set(withdrawn)
    rows = sorted((_key(entry, tallies.get(entry, Tally())), entry) for entry in listed)
    table: list[Standing] = []
    above: tuple[Fraction | int, ...] | None = None
    for rank, (key, entry) in enumerate(rows, start=1):
        decided_by = "" if above is None else next(w for w, x, y in zip(_CRITERIA, above, key, strict=True) if x != y)
        table.append(Standing(rank, entry, tallies.get(entry, Tally()), decided_by))
        above = key
    return table


_CRITERIA = ("points", "points", "margin", "margin", "penalty", "forfeits", "entry")


def _key(entry: int, tally: Tally) -> tuple[Fraction | int, ...]:
    return (
        int(tally.score is None),  # no match yet: below everyone who has played
        -(tally.score or 0),
        int(tally.mean_margin is None),
        -(tally.mean_margin or 0),
        tally.mean_penalty or 0,
        Fraction(tally.forfeits, tally.matches) if tally.matches else 0,
        entry,
    )
