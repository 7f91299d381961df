"""The Bradley–Terry likelihood with a normal prior, its derivatives, and Newton's method for many data sets at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]
_ROUNDS, _LONGEST_STEP, _CLOSE = 60, 1.0, 1e-12


class Likelihood:
    """The model for `n` entries that met in the given pairs (`left`, `right`, each pair once).

    Strengths are log odds, one row for each data set; wins have a row for each data set and a column for each pair.
    `prior` is one over the prior's variance.
    """

    def __init__(self, n: int, left: NDArray[Any], right: NDArray[Any], prior: float) -> None:
        self.n, self.left, self.right, self.prior = n, left, right, prior
        self.pairs = len(left)

    def chances(self, strengths: Floats) -> Floats:
        """The chance of the left entry of each pair."""
        return np.asarray(expit(strengths[:, self.left] - strengths[:, self.right]))

    def cost(self, strengths: Floats, won: Floats, lost: Floats) -> float:
        """Minus the log posterior of one data set, without constants."""
        gap = strengths[self.left] - strengths[self.right]
        fit = won @ np.logaddexp(0, -gap) + lost @ np.logaddexp(0, gap)
        return float(fit + self.prior / 2 * (strengths @ strengths))

    def slope(self, strengths: Floats, won: Floats, lost: Floats, centre: Floats | float = 0.0) -> Floats:
        """The derivative of the log posterior by each strength; `centre` is where the prior has its mean."""
        surplus = won - (won + lost) * self.chances(strengths)
        return self._spread(surplus, -surplus) - self.prior * (strengths - centre)

    def curvature(self, strengths: Floats, games: Floats) -> Floats:
        """Minus the second derivatives: one symmetric positive definite matrix for each data set."""
        chance = self.chances(strengths)
        weight = games * chance * (1 - chance)
        found = np.zeros((len(strengths), self.n, self.n))
        found[:, self.left, self.right] = found[:, self.right, self.left] = -weight
        ends = np.arange(self.n)
        found[:, ends, ends] = self._spread(weight, weight) + self.prior
        return found

    def newton(self, strengths: Floats, won: Floats, lost: Floats, centre: Floats | float = 0.0) -> Floats:
        """The strengths of highest posterior for each data set, from a starting point, by Newton's method.

        No step moves a strength by more than one unit of log odds, which is what keeps it from overshooting.
        """
        found = np.array(strengths, dtype=float)
        for _ in range(_ROUNDS):
            step = np.linalg.solve(
                self.curvature(found, won + lost), self.slope(found, won, lost, centre)[:, :, None]
            )[:, :, 0]
            longest = np.abs(step).max(axis=1, keepdims=True)
            found += step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
            if longest.max() < _CLOSE * max(1.0, float(np.abs(found).max())):
                break
        return found

    def _spread(self, to_left: Floats, to_right: Floats) -> Floats:
        """Sums by entry of what each pair gives to its two ends."""
        rows = len(to_left)
        flat = (np.arange(rows) * self.n)[:, None]
        where = np.concatenate([(flat + self.left).ravel(), (flat + self.right).ravel()])
        given = np.concatenate([to_left.ravel(), to_right.ravel()])
        sums: Floats = np.bincount(where, weights=given, minlength=rows * self.n).astype(np.float64)
        return sums.reshape(rows, self.n)
