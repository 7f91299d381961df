"""What one match is worth to each side of the table, in whole numbers, so that sums are exact in any order.

A side is a seat, or a team where there are teams. Points count in units of 1/120 of a match point: half a win over one
of k - 1 opponents is 120 / (2 (k - 1)) units, a whole number at every table from 2 to 6.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

UNIT = 120
"""Units in one match point, and in one point of mean margin."""


@dataclass(frozen=True, slots=True)
class MatchFact:
    """One finished match as the table counts it; the tuples are indexed by side, in seat order of the first seats.

    `block`, `seating` and `match` are its numbers (from 1). `penalties` are the final totals, a team's being the sum
    of its seats'; `forfeited` says which sides failed.
    """

    block: int
    seating: int
    match: int
    entries: tuple[int, ...]
    places: tuple[int, ...]
    penalties: tuple[int, ...]
    forfeited: tuple[bool, ...]

    @classmethod
    def of_seats(
        cls,
        block: int,
        seating: int,
        match: int,
        entries: Sequence[int],
        places: Sequence[int],
        penalties: Sequence[int],
        forfeited: Collection[int] = (),
        sides: int | None = None,
    ) -> MatchFact:
        """The fact of a match given by seat; `forfeited` are seats, `sides` the number of teams (None: none, K5)."""
        n = sides or len(entries)
        return cls(
            block,
            seating,
            match,
            tuple(entries[:n]),
            tuple(places[:n]),  # partners share their team's place (K5.3)
            tuple(sum(penalties[side::n]) for side in range(n)),
            tuple(any(seat % n == side for seat in forfeited) for side in range(n)),
        )

    @property
    def clean(self) -> bool:
        """Whether nobody forfeited: only such matches count for penalties and margins."""
        return not any(self.forfeited)


def halves(fact: MatchFact, side: int, other: int) -> int:
    """Half wins of `side` over `other`: 2 if placed before it, 1 if level, else 0; a forfeit never scores (F3)."""
    if fact.forfeited[side]:
        return 0
    if fact.forfeited[other]:
        return 2
    mine, theirs = fact.places[side], fact.places[other]
    return 2 if mine < theirs else 1 if mine == theirs else 0


def points(fact: MatchFact) -> tuple[int, ...]:
    """Match points of each side in units of 1/120: the share of opponents placed behind it, ties half.

    A side that forfeited scores 0 and is behind everyone; where all forfeited nobody scores.
    """
    sides = range(len(fact.entries))
    per_half = UNIT // (2 * (len(fact.entries) - 1))
    return tuple(per_half * sum(halves(fact, side, other) for other in sides if other != side) for side in sides)
