"""Margins by hand, and what duplicate deals are worth where the truth is known."""

from __future__ import annotations

from statistics import mean, stdev

import numpy as np
import pytest

from referee.tournament.crosstable import crosstable, duplicate_effect, margin_sums
from referee.tournament.points import MatchFact
from referee.tournament.results import PairResult, pair_results


def block(number: int, *seatings: tuple[int, int]) -> PairResult:
    return PairResult(number, 0, 1, 2, 2, 2, seatings)


def test_pair_results_by_hand() -> None:
    facts = [
        MatchFact(1, 1, 1, (4, 2), (1, 2), (10, 30), (False, False)),
        MatchFact(1, 2, 1, (2, 4), (1, 1), (20, 20), (False, False)),
        MatchFact(1, 2, 2, (2, 4), (1, 2), (0, 99), (False, True)),
    ]
    expected = [PairResult(1, 2, 4, 3, 3, 3, ((1, -20), (1, 0)))]
    assert pair_results(facts) == pair_results(reversed(facts)) == expected
    assert (expected[0].clean, expected[0].margin) == (2, -20)


def test_mean_and_interval_are_students_over_blocks() -> None:
    margins = [30, 10, 20, 60]  # of two matches a block
    table = crosstable([block(i, (1, m - 5), (1, 5)) for i, m in enumerate(margins)])
    cell = table[0, 1]
    assert (cell.blocks, cell.matches, cell.margin) == (4, 8, 15)
    reach = 3.182446305 * stdev(m / 2 for m in margins) / 2  # t with 3 degrees of freedom, four blocks
    assert cell.low == pytest.approx(15 - reach)
    assert cell.high == pytest.approx(15 + reach)
    assert cell.p_value == pytest.approx(0.0689, abs=2e-3)
    assert not cell.significant
    other = table[1, 0]
    assert (other.margin, other.low, other.high) == (-15, pytest.approx(-15 - reach), pytest.approx(-15 + reach))


def test_little_or_nothing_played_has_dashes() -> None:
    none = crosstable([block(1, (0, 0))])[0, 1]
    assert (none.margin, none.low, none.p_value, none.matches) == (None, None, None, 0)
    one = crosstable([block(1, (2, 30))])[0, 1]
    assert (one.margin, one.low, one.p_value) == (15, None, None)


def test_blocks_that_are_all_alike_prove_no_more_than_a_sign() -> None:
    alike = crosstable([block(i, (1, 10)) for i in range(3)])[0, 1]
    assert (alike.margin, alike.low, alike.high, alike.p_value) == (10, 10, 10, 0.25)
    level = crosstable([block(i, (1, 0)) for i in range(9)])[0, 1]
    assert level.p_value == 1


def test_blocks_weigh_by_their_clean_matches() -> None:
    assert crosstable([block(1, (4, 40)), block(2, (1, 0))])[0, 1].margin == 8


def test_any_order_gives_the_same_table() -> None:
    rng = np.random.default_rng(2)
    rows = [block(i, (5, int(rng.integers(-99, 99))), (5 - i % 2, int(rng.integers(-99, 99)))) for i in range(40)]
    assert crosstable(rows) == crosstable(rows[::-1])


def test_duplicate_effect_by_hand() -> None:
    # the deal's luck, +10 or -10, changes sides with the seats: block sums do not move, single seatings do
    sums = margin_sums([block(1, (1, 14), (1, -6)), block(2, (1, -6), (1, 14))])
    effect = duplicate_effect(sums.values())
    assert (effect.duplicate, effect.independent, effect.saved) == (0, 100, 1)
    assert duplicate_effect([]).saved is None


def test_duplicate_effect_where_half_of_the_variance_is_luck_of_the_deal() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for i in range(4_000):
        luck = rng.normal(0, 30)
        own = rng.normal(0, 30, 2)
        rows.append(block(i, (1, round(luck + own[0])), (1, round(own[1] - luck))))
    effect = duplicate_effect(margin_sums(rows).values())
    assert effect.saved == pytest.approx(0.5, abs=0.03)
    # without duplicates: the same seatings of shuffled blocks
    second = [r.seatings[1][1] for r in rows]
    rng.shuffle(second)
    apart = [(r.seatings[0][1] + s) / 2 for r, s in zip(rows, second, strict=True)]
    assert effect.independent == pytest.approx(stdev(apart) ** 2, rel=0.1)
    assert effect.duplicate == pytest.approx(stdev([r.margin / 2 for r in rows]) ** 2, rel=1e-9)
    assert abs(mean(apart)) < 3
