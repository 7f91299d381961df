"""Places at the end of a match (N5.5, K5.3, F3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def places(
    totals: Sequence[int],
    sides: Sequence[Collection[int]],
    forfeited: Collection[int],
    winners: Collection[int] = (),
) -> list[int]:
    """The place of each seat, 1 = best, lowest total first, equal totals sharing; sides are counted, not seats.

    `winners` are the seats that a playoff left in front of all others with their total (N5.4); empty without a playoff.
    Sides with a forfeited seat share the place after all others (F3).
    """
    standing = [side for side in sides if not any(seat in forfeited for seat in side)]
    scores = {
        tuple(side): (sum(totals[seat] for seat in side), not any(seat in winners for seat in side))
        for side in standing
    }
    result = [len(standing) + 1] * len(totals)
    for side, score in scores.items():
        for seat in side:
            result[seat] = 1 + sum(other < score for other in scores.values())
    return result
