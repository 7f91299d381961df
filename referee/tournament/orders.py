"""In which cyclic order each set sits down, so that over the tournament every bot follows every other equally often.

A block plays all rotations of one cyclic order, so everybody takes every seat once and neighbours stay neighbours; only
the order matters. Each set walks, pass by pass, through a fixed system of orders over which everybody follows everybody
equally often: 2 orders for three bots, 6 for four, 4 for five, 10 for six (an order and its reverse side by side; for
four and six no shorter system exists: T. W. Tillson, "A Hamiltonian decomposition of K*_2m, 2m >= 8", J. Combin. Theory
B 29 (1980)). What remains are the passes after the last whole walk: by which bot takes which part in its system, the
sets make up for each other. That is found by annealing with a seed and a fixed number of steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import exp
from random import Random

from referee.tournament.designs import Orbit

Order = tuple[int, ...]
_CIRCLES: dict[int, tuple[Order, ...]] = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)),
    5: ((0, 1, 2, 3, 4), (0, 2, 4, 1, 3)),
    6: ((0, 1, 2, 3, 4, 5), (0, 2, 4, 1, 5, 3), (0, 2, 5, 1, 3, 4), (0, 1, 2, 3, 5, 4), (0, 3, 1, 4, 2, 5)),
}
"""Circles that hold each pair as neighbours equally often; the first two and the last two share no neighbours."""
_STEPS, _STEPS_PER_ORBIT = 150_000, 5_000
"""Steps of a search, at most and for each orbit: up to a few seconds."""


def system(size: int) -> tuple[Order, ...]:
    """The orders that a set of `size` walks through: each circle, then the same backwards."""
    return tuple(order for circle in _CIRCLES[size] for order in (circle, (circle[0], *circle[:0:-1])))


def assign_parts(orbits: Sequence[Orbit], entries: int, size: int, passes: int) -> tuple[list[Order], int]:
    """For each orbit its bots in the order of the parts they take, and the spread of who follows whom that is left.

    `passes` is how many orders of the system are played beyond whole walks.
    """
    search = _Search(orbits, entries, size, passes)
    search.run()
    return search.parts, search.spread()


class _Search:
    """Who follows whom how often: a part by distance, for whole orbits, and a part by pair, for single sets."""

    def __init__(self, orbits: Sequence[Orbit], entries: int, size: int, passes: int) -> None:
        self._n, self._orbits = entries, orbits
        self._steps = [(order[i - 1], order[i]) for order in system(size)[:passes] for i in range(size)]
        self._rng = Random(f"{entries}/{size}/{passes}/{len(orbits)}")  # noqa: S311 - reproducible, not secret
        self._by_distance = [0] * entries
        self._by_pair = [[0] * entries for _ in range(entries)]  # by entry and distance to its follower
        self._pair_sums = [0] * entries  # by distance
        self.parts: list[Order] = [orbit.base for orbit in orbits]
        for place, parts in enumerate(self.parts):
            self._count(place, parts, 1)
        self._meet = sorted(  # who meets at all, by entry and distance: with owners kept apart not everybody does
            {
                ((a + shift) % entries, (b - a) % entries)
                for orbit in orbits
                for shift in orbit.shifts
                for a, b in permutations(orbit.base, 2)
            }
        )
        arcs = sum(len(orbit.shifts) for orbit in orbits) * len(self._steps)
        self._target = 0 if arcs % len(self._meet) == 0 else 1

    def run(self) -> None:
        """The parts leave the least spread that was found."""
        size = len(self.parts[0])
        best, kept = self.spread(), list(self.parts)
        warm, cold = (0.8, 0.08) if all(len(orbit.shifts) == 1 for orbit in self._orbits) else (2.0, 0.15)
        steps = min(_STEPS, _STEPS_PER_ORBIT * len(self.parts)) if self._steps else 0
        for step in range(steps):
            if step % 32 == 0 and (spread := self.spread()) < best:
                best, kept = spread, list(self.parts)
            if best <= self._target:
                break
            place = self._rng.randrange(len(self.parts))
            i, j = self._rng.sample(range(size), 2)
            old = self.parts[place]
            new = list(old)
            new[i], new[j] = new[j], new[i]
            heat = warm * (1 - step / steps) + cold
            change = self._count(place, old, -1) + self._count(place, tuple(new), 1)
            if change <= 0 or self._rng.random() < exp(-change / heat):
                self.parts[place] = tuple(new)
            else:
                self._count(place, tuple(new), -1)
                self._count(place, old, 1)
        self.parts = kept

    def spread(self) -> int:
        """The greatest difference between two counts of who follows whom."""
        if not any(self._pair_sums):
            real = self._by_distance[1:]
            return max(real) - min(real)
        counts = [self._by_distance[d] + self._by_pair[entry][d] for entry, d in self._meet]
        return max(counts) - min(counts)

    def _count(self, place: int, parts: Order, by: int) -> float:
        """An orbit's followers are added or taken away; the change of the sum of squares over pairs, in proportion."""
        n, change = self._n, 0.0
        shifts = self._orbits[place].shifts
        if len(shifts) == 1:
            for one, next_one in self._steps:
                d = (parts[next_one] - parts[one]) % n
                row = self._by_pair[(parts[one] + shifts[0]) % n]
                change += 2 * by * (self._by_distance[d] + row[d]) + 1
                row[d] += by
                self._pair_sums[d] += by
        else:
            for one, next_one in self._steps:
                d = (parts[next_one] - parts[one]) % n
                change += 2 * by * (self._by_distance[d] + self._pair_sums[d] / n) + 1
                self._by_distance[d] += by
        return change
