"""Each pair's mean margin with its interval, and what duplicate deals are worth. The block is the unit throughout."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from scipy.special import stdtr, stdtrit

from referee.tournament.results import PairResult


@dataclass(slots=True)
class MarginSums:
    """What the crosstable needs of one pair, as whole numbers that add up in any order.

    Over blocks with clean matches: `blocks`; sums of the clean matches m and margins x of each block, of their squares
    and product. `seatings[r]` has, over blocks in which every seating had clean matches, the count, sum and sum of
    squares of the margin in seating r; `whole` the same of the blocks' sums.
    """

    blocks: int = 0
    m: int = 0
    x: int = 0
    mm: int = 0
    xx: int = 0
    mx: int = 0
    seatings: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    whole: tuple[int, int, int] = (0, 0, 0)

    def add(self, result: PairResult) -> None:
        """One more block is counted."""
        m, x = result.clean, result.margin
        if m == 0:
            return
        self.blocks += 1
        self.m, self.x = self.m + m, self.x + x
        self.mm, self.xx, self.mx = self.mm + m * m, self.xx + x * x, self.mx + m * x
        if len(result.seatings) > 1 and len({clean for clean, _ in result.seatings}) == 1:
            for r, (_, margin) in enumerate(result.seatings):
                n, s, ss = self.seatings.get(r, (0, 0, 0))
                self.seatings[r] = n + 1, s + margin, ss + margin * margin
            n, s, ss = self.whole
            self.whole = n + 1, s + x, ss + x * x


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean margin of `a` over `b` in clean matches (positive: a is better), from a's side of the table.

    `low` and `high` are its 95% interval and `p_value` the chance of so large a margin between equals (two-sided, t
    test over blocks); None under two blocks. `margin` is None if no clean match was played.
    """

    a: int
    b: int
    blocks: int
    matches: int
    margin: float | None
    low: float | None
    high: float | None
    p_value: float | None

    @property
    def significant(self) -> bool:
        """Whether the margin differs from 0 at 95%."""
        return self.p_value is not None and self.p_value < 0.05


def margin_sums(results: Iterable[PairResult]) -> dict[tuple[int, int], MarginSums]:
    """The sums of each pair (a < b) over these blocks."""
    sums: dict[tuple[int, int], MarginSums] = {}
    for result in results:
        sums.setdefault((result.a, result.b), MarginSums()).add(result)
    return sums


def cell(a: int, b: int, sums: MarginSums) -> Cell:
    """One pair's cell from its sums; a < b as in the sums. The other half of the table is `mirrored`."""
    n, m, x = sums.blocks, sums.m, sums.x
    if m == 0:
        return Cell(a, b, 0, 0, None, None, None, None)
    mean = x / m
    if n < 2:
        return Cell(a, b, n, m, mean, None, None, None)
    # residuals x - mean * m of the blocks, squared and summed, exact up to the last division
    squares = max(0, sums.xx * m * m - 2 * x * m * sums.mx + x * x * sums.mm) / (m * m)
    error = sqrt(squares * n / (n - 1)) / m
    reach = float(stdtrit(n - 1, 0.975)) * error
    alike = 1.0 if x == 0 else 2.0 ** (1 - n)  # without any variance no more is known than that all have one sign
    p_value = 2 * float(stdtr(n - 1, -abs(mean) / error)) if error else alike
    return Cell(a, b, n, m, mean, mean - reach, mean + reach, p_value)


def mirrored(cell: Cell) -> Cell:
    """The same cell seen by the other bot."""
    flip = [None if v is None else 0.0 - v for v in (cell.margin, cell.high, cell.low)]
    return Cell(cell.b, cell.a, cell.blocks, cell.matches, flip[0], flip[1], flip[2], cell.p_value)


def crosstable(results: Iterable[PairResult]) -> dict[tuple[int, int], Cell]:
    """A cell for each ordered pair of entries that met."""
    table = {}
    for (a, b), sums in sorted(margin_sums(results).items()):
        table[a, b] = cell(a, b, sums)
        table[b, a] = mirrored(table[a, b])
    return table


@dataclass(frozen=True, slots=True)
class DuplicateEffect:
    """Variance of a pair's mean margin over a block, as played (`duplicate`) and as it would be if each seating had
    deals of its own (`independent`), pooled over pairs; None where too little was played.
    """

    blocks: int
    duplicate: float | None
    independent: float | None

    @property
    def saved(self) -> float | None:
        """The share of blocks that duplicate deals save at equal certainty; negative if they cost some."""
        if self.duplicate is None or not self.independent:
            return None
        return 1 - self.duplicate / self.independent


def duplicate_effect(sums: Iterable[MarginSums]) -> DuplicateEffect:
    """What duplicate deals are worth in this tournament.

    The variance of a sum of seatings is measured over blocks; that of independent seatings is the sum of each seating's
    own variance. Both are per match squared only up to the same factor, which the share saved does not need.
    """
    blocks = freedom = 0
    together = apart = 0.0
    for pair in sums:
        n, s, ss = pair.whole
        if n < 2 or len({count for count, _, _ in pair.seatings.values()}) != 1:
            continue
        scale = (pair.m / pair.blocks) ** 2  # matches in a block: margins become means
        blocks, freedom = blocks + n, freedom + n - 1
        together += (ss - s * s / n) / scale
        apart += sum((qq - q * q / n) / scale for _, q, qq in pair.seatings.values())
    if not freedom:
        return DuplicateEffect(0, None, None)
    return DuplicateEffect(blocks, together / freedom, apart / freedom)
