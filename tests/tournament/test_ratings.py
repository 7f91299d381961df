"""Ratings: against hand-worked cases, two independent fits, simulated truth, and the situations that must hold."""

from __future__ import annotations

import importlib.util
import math
from itertools import combinations
from pathlib import Path
from types import ModuleType

import choix
import numpy as np
import pytest

from referee.tournament.points import MatchFact
from referee.tournament.ratings import ELO, PRIOR_ELO, rate
from referee.tournament.results import PairColumns, pair_results

Game = tuple[int, int, int, int]  # a, b, half wins of a, half wins of b: one block


def columns(games: list[Game]) -> PairColumns:
    rows = [(number, *game) for number, game in enumerate(games, start=1)]
    return PairColumns.from_arrays(*zip(*rows, strict=True)) if rows else PairColumns.of([])


def numbers(games: list[Game], sides: int = 2) -> dict[int, float]:
    found = {e: r.rating for e, r in rate(columns(games), sides=sides, replicates=20).rows.items()}
    assert all(x is not None and math.isfinite(x) for x in found.values())
    return {e: x for e, x in found.items() if x is not None}


def by_hand_mm(games: list[Game], bots: int) -> list[float]:
    """Zermelo's and Hunter's fixed point for the same posterior, the prior's pull as a change of each bot's wins.

    Strength p solves wins = sum of games * p / (p + q) + ln(p) * prior; iterated on p with ln(p) by bisection.
    """
    prior = (ELO / PRIOR_ELO) ** 2
    strength = [0.0] * bots
    for _ in range(4_000):
        change = 0.0
        for bot in range(bots):
            low, high = -30.0, 30.0
            for _ in range(60):
                x = (low + high) / 2
                pull = -prior * x
                for a, b, won, lost in games:
                    if bot in (a, b):
                        other = b if bot == a else a
                        mine = won if bot == a else lost
                        pull += mine / 2 - (won + lost) / 2 / (1 + math.exp(strength[other] - x))
                low, high = (x, high) if pull > 0 else (low, x)
            change = max(change, abs(strength[bot] - x))
            strength[bot] = x
        if change < 1e-11:
            break
    mean = sum(strength) / bots
    return [1500 + ELO * (x - mean) for x in strength]


LEAGUE: list[Game] = [(0, 1, 13, 7), (0, 2, 20, 0), (1, 2, 9, 11), (1, 3, 15, 5), (2, 3, 12, 8), (0, 3, 18, 2), (0, 1, 9, 11)]


def test_two_bots_by_hand() -> None:
    # three wins in four games: the gap d solves 3 - 4 / (1 + exp(-d)) = prior * d / 2; without the prior 400 log10 3
    found = numbers([(0, 1, 6, 2)])
    d = (found[0] - found[1]) / ELO
    assert 3 - 4 / (1 + math.exp(-d)) == pytest.approx((ELO / PRIOR_ELO) ** 2 * d / 2, abs=1e-4)
    assert 180 < found[0] - found[1] < 400 * math.log10(3)
    many = numbers([(0, 1, 6_000, 2_000)])
    assert many[0] - many[1] == pytest.approx(400 * math.log10(3), abs=0.05)


def test_agrees_with_an_independent_fixed_point() -> None:
    found = numbers(LEAGUE)
    assert [found[i] for i in range(4)] == pytest.approx(by_hand_mm(LEAGUE, 4), abs=2e-3)


def test_agrees_with_choix() -> None:
    wins = [(a, b) for a, b, won, _ in LEAGUE for _ in range(won)] + [(b, a) for a, b, _, lost in LEAGUE for _ in range(lost)]
    # choix counts whole wins: each half win once, with twice the prior; its penalty is alpha times the sum of squares
    theirs = choix.opt_pairwise(4, wins, alpha=(ELO / PRIOR_ELO) ** 2, tol=1e-12)
    found = numbers(LEAGUE)
    assert [found[i] for i in range(4)] == pytest.approx(list(1500 + ELO * (theirs - theirs.mean())), abs=0.02)


def test_larger_tables_break_into_pairs_that_weigh_one_in_k_minus_one() -> None:
    table = MatchFact(1, 1, 1, (0, 1, 2), (1, 2, 3), (0, 0, 0), (False, False, False))
    pairs = pair_results([table])
    assert [(p.a, p.b, p.halves_a, p.halves_b) for p in pairs] == [(0, 1, 2, 0), (0, 2, 2, 0), (1, 2, 2, 0)]
    three = numbers([(p.a, p.b, p.halves_a, p.halves_b) for p in pairs] * 2, sides=3)
    two = numbers([(p.a, p.b, p.halves_a, p.halves_b) for p in pairs])
    assert three == two


def test_the_same_results_in_any_order_give_the_same_numbers_to_the_last_bit() -> None:
    rng = np.random.default_rng(3)
    rows = [(i, a, b, int(w), 20 - int(w)) for i, (a, b) in enumerate(list(combinations(range(9), 2)) * 5) for w in [rng.integers(0, 21)]]
    straight = PairColumns.from_arrays(*zip(*rows, strict=True))
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    turned = [(n, b, a, y, x) if n % 2 else (n, a, b, x, y) for n, a, b, x, y in shuffled]
    for other in (shuffled, turned):
        assert rate(PairColumns.from_arrays(*zip(*other, strict=True))).rows == rate(straight).rows


def test_many_bots_in_any_order_too() -> None:
    rng = np.random.default_rng(4)
    a, b = np.triu_indices(70, 1)
    halves = rng.integers(0, 21, len(a))
    p = rng.permutation(len(a))
    straight = PairColumns.from_arrays(np.arange(len(a)), a, b, halves, 20 - halves)
    assert rate(PairColumns.from_arrays(p, a[p], b[p], halves[p], 20 - halves[p])).rows == rate(straight).rows


def test_equal_records_against_equal_opponents_rate_equal_whatever_name_or_order() -> None:
    games = [(0, 2, 14, 6), (1, 2, 14, 6), (0, 3, 9, 11), (1, 3, 9, 11), (0, 1, 10, 10), (2, 3, 3, 17)]
    found = numbers(games)
    assert found[0] == found[1]
    renamed = {0: 3, 1: 0, 2: 1, 3: 2}
    again = numbers([(renamed[a], renamed[b], x, y) for a, b, x, y in reversed(games)])
    assert {renamed[e]: r for e, r in found.items()} == again


@pytest.mark.parametrize("seed", range(12))
def test_one_more_match_moves_ratings_the_right_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bots = int(rng.integers(2, 7))
    games = [(a, b, int(w), int(rng.integers(0, 12))) for a, b in combinations(range(bots), 2) for w in [rng.integers(0, 12)] if rng.random() < 0.8]
    games.append((0, 1, 3, 1))
    before = numbers(games)
    a, b = rng.permutation(sorted(before))[:2].tolist()
    win = numbers([*games, (a, b, 2, 0)])
    assert win[a] >= before[a]
    assert win[b] <= before[b]
    draw = numbers([*games, (a, b, 1, 1)])
    assert abs(draw[a] - draw[b]) <= abs(before[a] - before[b])


def test_no_games_only_wins_and_only_draws_are_finite_or_a_dash() -> None:
    played = [(0, 1, 20, 0), (0, 2, 20, 0), (2, 3, 10, 10), (1, 3, 10, 10)]
    found = rate(columns(played * 6), entries=range(6)).rows
    assert set(found) == set(range(6))
    for entry in (4, 5):
        row = found[entry]
        assert (row.rating, row.low, row.high, row.games, row.blocks, row.provisional) == (None, None, None, 0, 0, True)
    for entry in range(4):
        row = found[entry]
        assert row.rating is not None
        assert row.low is not None
        assert row.high is not None
        assert all(map(math.isfinite, (row.rating, row.low, row.high)))
        assert row.low < row.high
        assert row.low <= row.rating <= row.high
    assert found[0].games == 6 * 20
    assert rate(columns([]), entries=[0, 1]).rows[1].rating is None
    level = numbers([(0, 1, 10, 10), (1, 2, 10, 10)])
    assert set(level.values()) == {1500.0}


def test_a_match_that_both_forfeit_says_nothing_about_either() -> None:
    lost = MatchFact(1, 1, 1, (0, 1), (1, 1), (0, 0), (True, True))
    assert rate(PairColumns.of(pair_results([lost]))).rows[0].rating is None


def test_provisional_under_thirty_blocks() -> None:
    assert [rate(columns([(0, 1, 11, 9)] * n)).rows[0].provisional for n in (29, 30)] == [True, False]


def test_under_six_blocks_there_is_a_rating_but_no_interval() -> None:
    for blocks in (1, 5):
        row = rate(columns([(0, 1, 12, 8)] * blocks)).rows[0]
        assert row.rating is not None
        assert (row.low, row.high, row.blocks, row.provisional) == (None, None, blocks, True)
    row = rate(columns([(0, 1, 12, 8), (0, 1, 9, 11)] * 3)).rows[0]
    assert row.low is not None
    assert row.high is not None
    few = rate(columns([(0, 1, 15, 5)] * 3 + [(0, 2, 15, 5)] * 3))
    assert few.rows[0].low is not None
    assert (few.rows[1].low, few.difference(0, 1), few.separated(0, 1)) == (None, None, False)


def test_level_matches_rate_level_whatever_the_margin() -> None:
    assert numbers([(0, 1, 10, 10)]) == {0: 1500.0, 1: 1500.0}
    assert numbers([(0, 1, 6, 4), (0, 1, 4, 6)]) == {0: 1500.0, 1: 1500.0}


def test_withdrawn_bots_leave_the_table_and_the_field_mean_to_the_others() -> None:
    found = rate(columns(LEAGUE), withdrawn={2}).rows
    assert set(found) == {0, 1, 3}
    assert sum(r.rating or 0 for r in found.values()) / 3 == pytest.approx(1500, abs=0.002)
    whole = numbers(LEAGUE)
    assert (found[0].rating or 0) - (found[1].rating or 0) == pytest.approx(whole[0] - whole[1], abs=0.002)


def test_neighbours_are_separated_by_the_interval_of_their_difference() -> None:
    found = rate(columns([(0, 1, 15, 5)] * 20 + [(0, 2, 15, 5), (1, 2, 10, 10)] * 20))
    assert found.separated(0, 1)
    assert not found.separated(1, 2)
    assert found.difference(0, 9) is None
    gap = found.difference(0, 1)
    assert gap is not None
    assert gap[1] < gap[0] < gap[2]


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ratings_bench", Path(__file__).parents[1] / "bench" / "ratings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_intervals_hold_the_truth_in_a_sample_of_leagues() -> None:
    assert 0.90 <= bench().coverage(60, 4, 30, 100.0, 1) <= 0.99


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", range(3))
def test_intervals_hold_the_truth_in_a_thousand_leagues(case: int, capsys: pytest.CaptureFixture[str]) -> None:
    module = bench()
    share = module.coverage(1_000, *module.CASES[case], case)
    with capsys.disabled():
        print(f"\n{module.CASES[case]}: {100 * share:.2f}% of intervals hold the truth over 1,000 leagues")
    assert 0.93 <= share <= 0.97


def test_resampling_and_its_limit_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    _, results = bench().league(10, 30, 100.0, np.random.default_rng(9))
    drawn = rate(results).rows
    monkeypatch.setattr("referee.tournament.ratings.RESAMPLE_UP_TO", 0)
    direct = rate(results).rows
    for entry in drawn:
        widths = [(r.high or 0) - (r.low or 0) for r in (drawn[entry], direct[entry])]
        assert drawn[entry].rating == direct[entry].rating
        assert widths[0] == pytest.approx(widths[1], rel=0.15)
