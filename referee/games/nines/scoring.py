"""What cards left in a hand cost (N5.1, N6.4)."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.nines.moves import RANK_NINE

VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 15, 10, 10, 10, 10)
"""Points by rank, ace to king; a nine is 15."""
HARD_NINE = 25

_SUIT = 0x1FFF


def _points_of_suits(nine: int) -> tuple[int, ...]:
    """The points of every set of ranks of one suit, indexed by the set's 13 bits."""
    table = [0]
    for rank, value in enumerate(VALUES):
        points = nine if rank == RANK_NINE else value
        table += [points + rest for rest in table]
    return tuple(table)


PLAIN: Sequence[int] = _points_of_suits(VALUES[RANK_NINE])
HARD: Sequence[int] = _points_of_suits(HARD_NINE)


def penalty(hand: int, points: Sequence[int]) -> int:
    """The points of a hand; `points` is `PLAIN`, or `HARD` with `hard_nines`."""
    total = 0
    while hand:  # one suit of one pack after another
        total += points[hand & _SUIT]
        hand >>= 13
    return total
