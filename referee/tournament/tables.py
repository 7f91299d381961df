"""Sets of three and more bots for one table, in order of play, and the order in which each set sits down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.tournament import designs
from referee.tournament.designs import Orbit
from referee.tournament.orders import assign_parts, system

_INTERLEAVE_UP_TO = 5_000
"""Sets up to so many are put into the evenest order of play; more come orbit by orbit, which is nearly as even."""
_SINGLY_UP_TO = 1_000
"""Sets up to so many may be seated one by one, where whole orbits cannot be seated evenly."""


class Tables:
    """The sets of `size` out of `entries` bots that meet in each of `blocks` passes, each once in a pass."""

    def __init__(self, entries: int, size: int, blocks: int, owners: Sequence[int] | None, max_sets: int) -> None:
        self._n, self._size = entries, size
        self.complete = designs.count_sets(entries, size, owners) <= max_sets
        if owners is not None:
            apart = designs.all_apart(owners, size) if self.complete else None
            groups = [apart if apart is not None else designs.choose_apart(owners, size, max_sets)]
        elif self.complete:
            groups = [designs.all_orbits(entries, size)]
        else:
            groups = designs.choose_orbits(entries, size, max_sets, blocks)
        self._system = system(size)
        # each set walks through the system of orders as its group's turn comes: every pass, if there is one group
        left_over = blocks // len(groups) % len(self._system)
        self._groups, self._parts = self._seated(groups, left_over)
        self._sets = [self._interleaved(group) for group in self._groups]
        self.count = len(self._sets[0])

    def order(self, turn: int, index: int) -> tuple[int, ...]:
        """The set at `index` in pass `turn` (both from 0), each followed by the one to its left."""
        walks, group = divmod(turn, len(self._groups))
        place, shift = self._sets[group][index]
        parts = self._parts[group][place]
        return tuple((parts[i] + shift) % self._n for i in self._system[walks % len(self._system)])

    def _seated(
        self, groups: list[list[Orbit]], left_over: int
    ) -> tuple[list[list[Orbit]], list[list[tuple[int, ...]]]]:
        """The groups and who takes which part; split into single sets where that is evener."""
        flat = [orbit for group in groups for orbit in group]
        parts, spread = assign_parts(flat, self._n, self._size, left_over)
        sets = sum(len(orbit.shifts) for orbit in flat)
        if spread > 1 and len(flat) < sets <= _SINGLY_UP_TO and len(groups) == 1:
            singles = [Orbit(orbit.base, range(s, s + 1)) for orbit in flat for s in orbit.shifts]
            finer, finer_spread = assign_parts(singles, self._n, self._size, left_over)
            if finer_spread < spread:
                groups, parts = [singles], finer
        remaining = iter(parts)
        return groups, [[next(remaining) for _ in group] for group in groups]

    def _interleaved(self, group: list[Orbit]) -> list[tuple[int, int]]:
        """The sets in the order in which all bots keep playing equally often: next is whose bots have played least."""
        where = [(place, shift) for place, orbit in enumerate(group) for shift in orbit.shifts]
        if len(where) > _INTERLEAVE_UP_TO:
            return where
        sets = np.array([[(e + shift) % self._n for e in group[place].base] for place, shift in where])
        plays = np.zeros(self._n, dtype=np.int64)
        waiting = np.arange(len(sets))
        order = []
        while len(waiting):
            played = plays[sets[waiting]]
            chosen = int(np.argmin(played.max(axis=1) * self._size * len(sets) + played.sum(axis=1)))
            order.append(where[waiting[chosen]])
            plays[sets[waiting[chosen]]] += 1
            waiting = np.delete(waiting, chosen)
        return order
