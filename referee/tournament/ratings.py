"""Ratings: the strengths under which all results together are likeliest, with intervals, in Elo units.

Bradley and Terry's model: a is placed before b with probability 1 / (1 + 10 ** ((rating_b - rating_a) / 400)); level
counts as half a win each. A table of k breaks into its pairs, each weighing 1 / (k - 1), so that a match weighs the
same for its bots at every table. A normal prior around the field's mean with a standard deviation of `PRIOR_ELO` keeps
every rating finite; because it is normal, ratings sum to the mean of themselves, and one more win moves its winner up
more than any other. Intervals come from resampling whole blocks (see README.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_array

from referee.tournament.enough import INTERVAL_BLOCKS, PROVISIONAL_BLOCKS
from referee.tournament.likelihood import Floats, Likelihood
from referee.tournament.results import Ints, PairColumns

FIELD_MEAN = 1500.0
ELO = 400 / log(10)
"""Elo points in one unit of log odds."""
PRIOR_ELO = 1000.0
RESAMPLE_UP_TO = 64
"""Fields up to so many bots are refitted to every resample; above, the limit of resampling is computed directly."""
REPLICATES = 1_000
DECIMALS = 3
"""Ratings are rounded to this many decimals: far above the error of arithmetic, far below any meaning."""
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rating:
    """One bot's rating with its 95% interval (`low`, `high`); all three None for a bot without games.

    `games` counts its pair results, `blocks` its blocks; under 30 blocks the rating is `provisional`, and under
    `INTERVAL_BLOCKS` its interval is None: too few draws of whole blocks differ for them to say anything.
    """

    entry: int
    rating: float | None
    low: float | None
    high: float | None
    games: int
    blocks: int
    provisional: bool


@dataclass(frozen=True)
class Ratings:
    """All ratings of a tournament, by entry number."""

    rows: dict[int, Rating]
    _index: dict[int, int] = field(default_factory=dict, repr=False)
    _exact: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    _replicates: Floats | None = field(default=None, repr=False)
    _covariance: Floats | None = field(default=None, repr=False)

    def difference(self, a: int, b: int) -> tuple[float, float, float] | None:
        """How far `a` is rated above `b`, and the 95% interval of that; None if one has no interval of its own.

        Where the interval leaves out 0, the two are separated at 95%, if this is the one look at the planned end.
        For looking after every block see `stopping`.
        """
        rows = (self.rows.get(a), self.rows.get(b))
        if any(row is None or row.low is None for row in rows):
            return None
        i, j = self._index[a], self._index[b]
        gap = float(self._exact[i] - self._exact[j])
        if self._replicates is not None:
            low, high = np.quantile(self._replicates[:, i] - self._replicates[:, j], (0.025, 0.975))
        else:
            assert self._covariance is not None
            c = self._covariance
            reach = _Z * float(np.sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j])))
            low, high = gap - reach, gap + reach
        return round(gap, DECIMALS), round(float(low), DECIMALS), round(float(high), DECIMALS)

    def separated(self, a: int, b: int) -> bool:
        """Whether the 95% interval of the difference between `a` and `b` leaves out 0."""
        gap = self.difference(a, b)
        return gap is not None and (gap[1] > 0 or gap[2] < 0)


def rate(
    results: PairColumns,
    *,
    sides: int = 2,
    entries: Collection[int] = (),
    withdrawn: Collection[int] = (),
    replicates: int = REPLICATES,
) -> Ratings:
    """The ratings of everybody in `results` and `entries`; the order of results changes no bit of them.

    `sides` is the table size (with teams, their number). Games against `withdrawn` bots count, but these get no row
    and the mean of 1500 is over the others.
    """
    played = (results.halves_a + results.halves_b) > 0
    ids = np.unique(np.concatenate([results.a[played], results.b[played]]))
    index = {int(entry): i for i, entry in enumerate(ids)}
    games, blocks = _counts(results)
    everybody = (set(entries) | {int(e) for e in np.concatenate([results.a, results.b])}) - set(withdrawn)
    if not index:
        return Ratings({e: Rating(e, None, None, None, 0, 0, True) for e in sorted(everybody)})
    fit = _Fit(results, played, ids, sides)
    listed = np.array([i for entry, i in index.items() if entry not in withdrawn] or list(range(len(ids))))
    exact = _elo(fit.strengths[None, :], listed)[0]
    drawn = covariance = None
    if len(ids) <= RESAMPLE_UP_TO:
        drawn = _elo(fit.resampled(replicates), listed)
        low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    else:
        covariance = _centred(fit.covariance * ELO**2, listed)
        reach = _Z * np.sqrt(np.maximum(0.0, np.diag(covariance)))
        low, high = exact - reach, exact + reach
    rows = {}
    for entry in sorted(everybody):
        n = blocks.get(entry, 0)
        if entry in index:
            i = index[entry]
            rating = round(float(exact[i]), DECIMALS)
            enough = n >= INTERVAL_BLOCKS
            lowest, highest = (round(float(x[i]), DECIMALS) if enough else None for x in (low, high))
            rows[entry] = Rating(entry, rating, lowest, highest, games[entry], n, n < PROVISIONAL_BLOCKS)
        else:
            rows[entry] = Rating(entry, None, None, None, 0, n, True)
    return Ratings(rows, index, exact, drawn, covariance)


class _Fit:
    """Strengths in log odds around 0, and what resampling does to them; entries are indices into `ids`."""

    def __init__(self, results: PairColumns, played: NDArray[np.bool_], ids: Ints, sides: int) -> None:
        a = np.searchsorted(ids, results.a[played])
        b = np.searchsorted(ids, results.b[played])
        self._n = len(ids)
        self._halves = np.stack([results.halves_a[played], results.halves_b[played]], axis=1)
        self._blocks, self._block = np.unique(results.block[played], return_inverse=True)
        keys, self._pair = np.unique(a * self._n + b, return_inverse=True)
        self._weight = 1 / (2 * (sides - 1))
        wins = np.zeros((len(keys), 2), dtype=np.int64)
        np.add.at(wins, self._pair, self._halves)  # whole numbers: exact in any order
        self._won, self._lost = self._weighed(wins)
        self.likelihood = Likelihood(self._n, keys // self._n, keys % self._n, (ELO / PRIOR_ELO) ** 2)

    @cached_property
    def strengths(self) -> Floats:
        """The maximum of the likelihood with its prior."""
        won, lost, model = self._won, self._lost, self.likelihood

        def cost(x: Floats) -> float:
            return model.cost(x, won, lost)

        def slope(x: Floats) -> Floats:
            downhill: Floats = -model.slope(x[None, :], won[None, :], lost[None, :])[0]
            return downhill

        def curvature(x: Floats) -> Floats:
            matrix: Floats = model.curvature(x[None, :], (won + lost)[None, :])[0]
            return matrix

        found = minimize(cost, np.zeros(self._n), jac=slope, hess=curvature, method="trust-exact")
        start: Floats = np.asarray(found.x, dtype=np.float64)[None, :]
        exact: Floats = model.newton(start, won[None, :], lost[None, :])[0]
        return exact

    def resampled(self, replicates: int) -> Floats:
        """Strengths refitted to `replicates` draws of as many blocks with replacement, by replicate and entry.

        The prior's centre is drawn anew each time too, or a bot that always wins would have an interval of no width.
        """
        rng = self._random()
        count, pairs = len(self._blocks), self.likelihood.pairs
        centre = rng.standard_normal((replicates, self._n)) * (PRIOR_ELO / ELO)
        centre -= centre.mean(axis=1, keepdims=True)
        rows = (self._block, self._pair)
        won_in = csr_array((self._halves[:, 0].astype(float), rows), shape=(count, pairs))
        lost_in = csr_array((self._halves[:, 1].astype(float), rows), shape=(count, pairs))
        found = np.empty((replicates, self._n))
        step = max(1, min(replicates, 4_000_000 // max(count, pairs, self._n**2)))
        for start in range(0, replicates, step):
            part = slice(start, min(start + step, replicates))
            size = part.stop - part.start
            drawn = rng.integers(0, count, size=(size, count)) + np.arange(size)[:, None] * count
            times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(float)
            begin = np.broadcast_to(self.strengths, (size, self._n))
            won, lost = (times @ won_in) * self._weight, (times @ lost_in) * self._weight
            found[part] = self.likelihood.newton(begin, won, lost, centre[part])
        return found

    @cached_property
    def covariance(self) -> Floats:
        """What the covariance of `resampled` tends to in large samples: the sandwich estimate, blocks as clusters."""
        model, x = self.likelihood, self.strengths
        chance = model.chances(x[None, :])[0][self._pair]
        won, lost = self._weighed(self._halves)
        surplus = won - (won + lost) * chance
        left, right = model.left[self._pair], model.right[self._pair]
        where = (np.concatenate([self._block, self._block]), np.concatenate([left, right]))
        scores = csr_array((np.concatenate([surplus, -surplus]), where), shape=(len(self._blocks), self._n))
        meat = (scores.T @ scores).toarray() + model.prior * np.eye(self._n)
        factor = cho_factor(model.curvature(x[None, :], (self._won + self._lost)[None, :])[0])
        half: Floats = cho_solve(factor, meat)
        return np.asarray(cho_solve(factor, half.T))

    def _weighed(self, wins: Ints) -> tuple[Floats, Floats]:
        """Wins of the left and of the right entry, from half wins."""
        weighed: Floats = wins.T * np.float64(self._weight)
        return weighed[0], weighed[1]

    def _random(self) -> np.random.Generator:
        """A generator whose seed is the data, so that the same results always give the same intervals."""
        digest = hashlib.sha256()
        for column in (self._block, self._pair, self._halves):
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return np.random.Generator(np.random.PCG64(int.from_bytes(digest.digest(), "big")))


def _elo(strengths: Floats, listed: Ints) -> Floats:
    """Elo numbers whose mean over the listed is 1500, row by row."""
    shifted: Floats = strengths - strengths[:, listed].mean(axis=1, keepdims=True)
    return FIELD_MEAN + ELO * shifted


def _centred(covariance: Floats, listed: Ints) -> Floats:
    """The covariance of the entries less the mean of the listed."""
    mean = covariance[:, listed].mean(axis=1)
    centred: Floats = covariance - mean[:, None] - mean[None, :] + mean[listed].mean()
    return centred


def _counts(results: PairColumns) -> tuple[dict[int, int], dict[int, int]]:
    """Games and blocks by entry."""
    both = np.concatenate([results.a, results.b])
    entries, who = np.unique(both, return_inverse=True)
    games = np.zeros(len(entries), dtype=np.int64)
    np.add.at(games, who, np.concatenate([(results.halves_a + results.halves_b) // 2] * 2))
    numbers, block = np.unique(results.block, return_inverse=True)
    seen = np.unique(who * max(1, len(numbers)) + np.concatenate([block, block])) // max(1, len(numbers))
    blocks = np.bincount(seen, minlength=len(entries))
    return (
        dict(zip(entries.tolist(), games.tolist(), strict=True)),
        dict(zip(entries.tolist(), blocks.tolist(), strict=True)),
    )
