"""Early certainty: which of two bots is better, said as soon as it is certain, however often one looks.

Two bots' scores against each other in one pass of the schedule differ by d, between -1 and 1, with some mean. Whoever
doubts that the first is better loses money to this game: start with 1, stake a fixed share b of it on every pass, so
that it is multiplied by 1 + b d. If the mean is 0 or less the money is a supermartingale, and the chance that it ever
reaches 1/alpha is at most alpha (J. Ville, "Etude critique de la notion de collectif", 1939), at whatever moment one
looks or stops. The stake is spread over several shares (H. Robbins, "Statistical methods related to the law of the
iterated logarithm", Ann. Math. Statist. 41 (1970)); that this gives confidence sequences for means of bounded
observations is due to I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", J. R.
Statist. Soc. B 86 (2024). Both directions of all pairs share the error equally (Bonferroni), so with 95% confidence not
one of all statements ever made in the tournament is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from referee.tournament.results import PairResult
from referee.tournament.schedule import Schedule

Pair = tuple[int, int]
ERROR = 0.05
DEFAULT_CAP = 100
"""Blocks a pair is dealt at most, unless the organiser says otherwise."""
SHARES = (0.12, 0.25, 0.45, 0.7, 0.98)
"""Stakes that the money is spread over, equally: small ones suit close pairs, large ones clear pairs."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is certain about a pair: `better` is the entry that is, None while undecided; it never changes afterwards.

    `passes` are those looked at; `decided_after` is the pass after which it became certain.
    """

    a: int
    b: int
    passes: int
    better: int | None
    decided_after: int | None


def log_evidence(differences: ArrayLike) -> NDArray[np.float64]:
    """Log money of the game against "the first is not better" after each pass; passes are the last axis."""
    d = np.asarray(differences, dtype=float)
    money = np.cumsum(np.log1p(np.multiply.outer(np.array(SHARES), d)), axis=-1)
    return np.asarray(logsumexp(money, axis=0) - log(len(SHARES)))


def threshold(pairs: int, error: float = ERROR) -> float:
    """The log money that decides, where `pairs` pairs share the error, each in two directions."""
    return log(2 * pairs / error)


def judge(pair: Pair, differences: Sequence[float], pairs: int, error: float = ERROR) -> Verdict:
    """The verdict on a pair after these passes, in order; `differences` are a's score less b's, -1 to 1."""
    a, b = pair
    if not len(differences):
        return Verdict(a, b, 0, None, None)
    limit = threshold(pairs, error)
    first: list[tuple[float, int]] = []
    for entry, sign in ((a, 1.0), (b, -1.0)):
        reached = np.flatnonzero(log_evidence(sign * np.asarray(differences, dtype=float)) >= limit)
        first.append((float(reached[0]) if len(reached) else inf, entry))
    when, entry = min(first)
    if when == inf:
        return Verdict(a, b, len(differences), None, None)
    return Verdict(a, b, len(differences), entry, int(when) + 1)


def interval(differences: Sequence[float], pairs: int = 1, error: float = ERROR) -> tuple[float, float]:
    """The confidence sequence of the mean difference after these passes: it holds at all times at once.

    It leaves out 0 exactly when the last look alone would decide.
    """
    d = np.asarray(differences, dtype=float)
    limit = threshold(pairs, error)

    def lower(values: NDArray[np.float64]) -> float:
        def surplus(mean: float) -> float:
            return float(log_evidence((values - mean) / (1 + mean))[-1]) - limit

        if not len(values) or surplus(-1 + 1e-9) <= 0:
            return -1.0
        return float(brentq(surplus, -1 + 1e-9, 1.0, xtol=1e-9))

    return lower(d), 0.0 - lower(-d)


def differences(results: Iterable[PairResult], schedule: Schedule) -> dict[Pair, list[float]]:
    """For each pair its score differences, pass by pass, as far as all its blocks of every earlier pass are in.

    The score is wins, ties half, as a share of matches. At tables over two a pair meets several times in a pass; the
    mean of these meetings is one observation.
    """
    expected: dict[Pair, list[int]] = {}
    sums: dict[Pair, dict[int, list[int]]] = {}
    for r in results:
        row = sums.setdefault((r.a, r.b), {}).setdefault(schedule.pass_of(r.block), [0, 0, 0])
        row[0] += 1
        row[1] += r.halves_a - r.halves_b
        row[2] += 2 * r.matches
    if schedule.sides > 2:
        for number in range(1, schedule.total_blocks + 1):
            for pair in combinations(sorted(schedule.block(number).entries), 2):
                expected.setdefault(pair, [0] * schedule.blocks)[schedule.pass_of(number) - 1] += 1
    found: dict[Pair, list[float]] = {}
    for pair, passes in sums.items():
        wanted = expected.get(pair, [1] * schedule.blocks)
        found[pair] = []
        for turn in range(1, schedule.blocks + 1):
            blocks, gain, matches = passes.get(turn, (0, 0, 0))
            if blocks < wanted[turn - 1]:
                break
            if matches:
                found[pair].append(gain / matches)
    return found


def undecided(
    stats: Mapping[Pair, Sequence[float]], pairs: Collection[Pair], cap: int, error: float = ERROR
) -> list[Pair]:
    """The pairs to deal another block to, for `Schedule.iter(only=...)`: not certain yet and under the cap of passes.

    `pairs` are all that may meet: they share the error whether or not they have played. A pair's fate depends on
    its own passes in order and nothing else, so it is the same whoever plays the blocks and whenever.
    """
    open_pairs = []
    for pair in sorted(pairs):
        seen = stats.get(pair, ())
        if len(seen) < cap and judge(pair, seen, len(pairs), error).better is None:
            open_pairs.append(pair)
    return open_pairs


def separated(
    order: Sequence[int], stats: Mapping[Pair, Sequence[float]], pairs: int, error: float = ERROR
) -> list[bool]:
    """For each two neighbours of the table, from the top, whether it is certain that the upper one is better."""
    verdicts = []
    for upper, lower in pairwise(order):
        pair = (min(upper, lower), max(upper, lower))
        verdicts.append(judge(pair, stats.get(pair, ()), pairs, error).better == upper)
    return verdicts
