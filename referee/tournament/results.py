"""Blocks as statistics sees them: for each pair at the table, one row of whole-number sums.

The block is the unit of everything that claims certainty: its matches share their deals, so they are not independent,
but blocks are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.tournament.points import MatchFact, halves

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class PairResult:
    """What one block says about two of its entries, `a` < `b`.

    `halves_a` and `halves_b` are half wins over each other: 2 a match for the one placed before, 1 each if level, 0
    each if both forfeited. `seatings` holds, for each seating in order, its clean matches and their sum of margins
    (penalty of b less penalty of a).
    """

    block: int
    a: int
    b: int
    matches: int
    halves_a: int
    halves_b: int
    seatings: tuple[tuple[int, int], ...] = ()

    @property
    def clean(self) -> int:
        """Matches without any forfeit."""
        return sum(clean for clean, _ in self.seatings)

    @property
    def margin(self) -> int:
        """Sum of a's margins over b in clean matches."""
        return sum(margin for _, margin in self.seatings)


def pair_results(facts: Iterable[MatchFact]) -> list[PairResult]:
    """The rows of these matches, sorted by block and pair; the order of the matches does not matter."""
    sums: dict[tuple[int, int, int], list[int]] = {}
    by_seating: dict[tuple[int, int, int], dict[int, list[int]]] = {}
    for fact in facts:
        for i, first in enumerate(fact.entries):
            for j, second in enumerate(fact.entries):
                if first >= second:
                    continue
                key = fact.block, first, second
                row = sums.setdefault(key, [0, 0, 0])
                row[0] += 1
                row[1] += halves(fact, i, j)
                row[2] += halves(fact, j, i)
                seating = by_seating.setdefault(key, {}).setdefault(fact.seating, [0, 0])
                if fact.clean:
                    seating[0] += 1
                    seating[1] += fact.penalties[j] - fact.penalties[i]
    return [
        PairResult(*key, row[0], row[1], row[2], tuple((s[0], s[1]) for _, s in sorted(by_seating[key].items())))
        for key, row in sorted(sums.items())
    ]


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Many pair rows as columns, sorted by block and pair: a million blocks fit where objects do not."""

    block: Ints
    a: Ints
    b: Ints
    halves_a: Ints
    halves_b: Ints

    @classmethod
    def of(cls, results: Iterable[PairResult]) -> PairColumns:
        """The columns of these rows, given in any order."""
        rows = [(r.block, r.a, r.b, r.halves_a, r.halves_b) for r in results]
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        return cls.from_arrays(*(table[:, i] for i in range(5)))

    @classmethod
    def from_arrays(
        cls,
        block: Sequence[int] | Ints,
        a: Sequence[int] | Ints,
        b: Sequence[int] | Ints,
        halves_a: Sequence[int] | Ints,
        halves_b: Sequence[int] | Ints,
    ) -> PairColumns:
        """The columns from raw ones in any order of rows; in each row a and b may come in either order."""
        number, first, second, for_first, for_second = (
            np.asarray(column, dtype=np.int64) for column in (block, a, b, halves_a, halves_b)
        )
        swap = first > second
        low, high = np.minimum(first, second), np.maximum(first, second)
        for_low, for_high = np.where(swap, for_second, for_first), np.where(swap, for_first, for_second)
        order = np.lexsort((for_high, for_low, high, low, number))
        return cls(number[order], low[order], high[order], for_low[order], for_high[order])

    def __len__(self) -> int:
        return len(self.block)
