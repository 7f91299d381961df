"""The stopping rule: money by hand, error under constant watching, the same pairs whoever plays."""

from __future__ import annotations

import importlib.util
import math
import sys
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from referee.tournament import stopping
from referee.tournament.results import PairResult
from referee.tournament.schedule import Schedule


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stopping_bench", Path(__file__).parents[1] / "bench" / "stopping.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_money_by_hand() -> None:
    money = np.exp(stopping.log_evidence([1.0, -0.5]))
    shares = stopping.SHARES
    assert money[0] == pytest.approx(sum(1 + b for b in shares) / len(shares))
    assert money[1] == pytest.approx(sum((1 + b) * (1 - b / 2) for b in shares) / len(shares))


def test_eight_clean_wins_decide_a_lone_pair_and_losses_the_other() -> None:
    # 40 = 2 / 0.05 must be reached: 1.98 ** 8 / 5 alone is 47, and seven wins make less than 40
    def mixed(n: int) -> float:
        return sum((1 + b) ** n for b in stopping.SHARES) / len(stopping.SHARES)

    needed = next(n for n in range(1, 20) if mixed(n) >= 40)
    verdict = stopping.judge((3, 5), [1.0] * 12, pairs=1)
    assert (verdict.better, verdict.decided_after, verdict.passes) == (3, needed, 12)
    assert stopping.judge((3, 5), [-1.0] * 12, pairs=1).better == 5
    assert stopping.judge((3, 5), [1.0] * (needed - 1), pairs=1).better is None
    assert stopping.judge((3, 5), [], pairs=1).better is None
    assert stopping.judge((3, 5), [1.0] * needed, pairs=45).better is None  # more pairs share the error


def test_a_verdict_never_changes() -> None:
    rows = [1.0] * 10 + [-1.0] * 200
    assert stopping.judge((0, 1), rows, pairs=1).better == 0


def test_level_results_never_decide() -> None:
    assert stopping.judge((0, 1), [0.0] * 1_000, pairs=1).better is None
    assert stopping.judge((0, 1), [0.5, -0.5] * 500, pairs=1).better is None


def test_the_confidence_sequence_leaves_out_zero_when_the_last_look_decides() -> None:
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.2, 0.5, -0.4):
        rows = np.clip(rng.normal(shift, 0.3, 40), -1, 1).tolist()
        low, high = stopping.interval(rows)
        assert -1 <= low <= float(np.mean(rows)) <= high <= 1
        one_sided = [stopping.log_evidence(s * np.array(rows))[-1] >= stopping.threshold(1) for s in (1, -1)]
        assert [low > 0, high < 0] == one_sided
    assert stopping.interval([]) == (-1, 1)


def test_the_money_of_a_level_pair_is_a_fair_game() -> None:
    # over all 2 ** 10 equally likely histories its mean is exactly 1, whatever is looked at
    histories = np.array(list(np.ndindex(*(2,) * 10))) * 2.0 - 1
    assert np.exp(stopping.log_evidence(histories))[:, -1].mean() == pytest.approx(1)


def results(pair: tuple[int, int], numbers: list[int], halves: list[int]) -> list[PairResult]:
    return [PairResult(n, *pair, 10, h, 20 - h) for n, h in zip(numbers, halves, strict=True)]


def test_differences_wait_for_earlier_blocks_so_the_order_of_play_does_not_matter() -> None:
    schedule = Schedule(3, 2, 5)  # three blocks a pass; the pair (0, 1) has blocks 3, 6, 9 …
    assert set(schedule.block(3).entries) == {0, 1}
    rows = results((0, 1), [9, 3], [20, 15])
    assert stopping.differences(rows, schedule) == {(0, 1): [0.5]}  # pass 2 is missing, so pass 3 waits
    rows += results((0, 1), [6], [5])
    assert stopping.differences(rows, schedule) == {(0, 1): [0.5, -0.5, 1.0]}
    assert stopping.differences(reversed(rows), schedule) == stopping.differences(rows, schedule)


def test_at_larger_tables_a_pass_is_one_observation() -> None:
    schedule = Schedule(4, 3, 2)  # each pair meets in two of the four sets
    numbers = [b.number for b in schedule.iter() if {0, 1} <= set(b.entries)]
    assert stopping.differences(results((0, 1), numbers[:3], [20, 10, 20]), schedule) == {(0, 1): [0.5]}


def test_only_undecided_pairs_under_the_cap_go_on() -> None:
    pairs = list(combinations(range(3), 2))
    stats = {(0, 1): [1.0] * 20, (0, 2): [0.1, -0.1] * 10, (1, 2): [0.2] * 3}
    assert stopping.undecided(stats, pairs, cap=60) == [(0, 2), (1, 2)]
    assert stopping.undecided(stats, pairs, cap=20) == [(1, 2)]
    assert stopping.undecided({}, pairs, cap=20) == pairs
    schedule = Schedule(3, 2, 60)
    blocks = schedule.iter(schedule.blocks_per_pass * 20 + 1, only=stopping.undecided(stats, pairs, 60))
    assert {frozenset(b.entries) for b in blocks} == {frozenset({0, 2}), frozenset({1, 2})}


def test_neighbours() -> None:
    stats = {(0, 1): [-1.0] * 20, (0, 2): [0.0] * 20}
    assert stopping.separated([1, 0, 2], stats, pairs=3) == [True, False]
    assert stopping.separated([0, 1], stats, pairs=3) == [False]  # certain, but the other way round


def test_error_and_savings_in_a_sample_of_leagues() -> None:
    module = bench()
    level = module.simulate(400, 2, 0.0, 60, 1)
    assert level.wrong / level.leagues <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 400)
    usual = module.simulate(20, 8, 300.0, 60, 2)
    assert usual.wrong <= 1
    assert usual.saved > 0.3


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", range(6))
def test_error_over_two_thousand_leagues_watched_after_every_block(
    case: int, capsys: pytest.CaptureFixture[str]
) -> None:
    module = bench()
    what, *arguments = module.CASES[case]
    outcome = module.simulate(2_000, *arguments, case)
    with capsys.disabled():
        print(f"\n{what}, cap {arguments[2]}: {outcome}")
    assert outcome.wrong / outcome.leagues <= 0.05
