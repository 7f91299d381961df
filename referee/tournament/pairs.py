"""All pairs of a field, one round after the other, by the circle method; any position is reached without the others.

In each round everybody plays once (with an odd field one rests), so that after any number of rounds all bots have
played equally often or differ by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations

Pair = tuple[int, int]


class Pairs:
    """Every pair of `entries` bots once, without the pairs of one owner where `owners` are given.

    Costs nothing up front but one number for each pair left out.
    """

    def __init__(self, entries: int, owners: Sequence[str] | None = None) -> None:
        self._ring = entries - 1 if entries % 2 == 0 else entries  # bots on the circle: always odd
        self._even = entries % 2 == 0
        self._per_round = entries // 2
        left_out = sorted(self._position(pair) for pair in _same_owner(owners)) if owners else []
        self._gaps = [position - i for i, position in enumerate(left_out)]
        self.count = entries * (entries - 1) // 2 - len(left_out)

    def __getitem__(self, index: int) -> Pair:
        """The pair at `index` (from 0) in order of play."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        turn, slot = divmod(index + bisect_right(self._gaps, index), self._per_round)
        if self._even and slot == 0:
            return turn, self._ring  # the bot that stands outside the circle
        step = slot if self._even else slot + 1
        return (turn + step) % self._ring, (turn - step) % self._ring

    def _position(self, pair: Pair) -> int:
        a, b = sorted(pair)
        if self._even and b == self._ring:
            return a * self._per_round
        turn = (a + b) * ((self._ring + 1) // 2) % self._ring  # half of a + b, modulo an odd number
        step = min((a - turn) % self._ring, (b - turn) % self._ring)
        return turn * self._per_round + (step if self._even else step - 1)


def _same_owner(owners: Sequence[str]) -> list[Pair]:
    groups: dict[str, list[int]] = {}
    for entry, owner in enumerate(owners):
        groups.setdefault(owner, []).append(entry)
    return [pair for group in groups.values() for pair in combinations(group, 2)]
