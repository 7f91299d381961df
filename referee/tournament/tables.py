"""Sets of three and more bots for one table, and the order in which each set sits down."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


class Tables:
    """The sets of `size` out of `entries` bots that meet, in order of play."""

    def __init__(self, entries: int, size: int, blocks: int, owners: Sequence[str] | None, max_sets: int) -> None:
        sets = combinations(range(entries), size)
        self._sets = [s for s in sets if owners is None or len({owners[e] for e in s}) == size]
        self.count = len(self._sets)
        self.complete = True

    def order(self, turn: int, index: int) -> tuple[int, ...]:
        """The set at `index` in pass `turn` (both from 0), each followed by the one to its left."""
        return self._sets[index]
