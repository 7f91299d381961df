"""The stand-in: a fixed policy that plays a forfeited seat on, so that the others' match counts (S6)."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.base import Action, ShufflerLike


def pick(shuffler: ShufflerLike, seat: int, decision: int, legal: Sequence[Action]) -> Action:
    """The stand-in's choice among `legal` (in the order of S7, two or more).

    `decision` counts this seat's stand-in decisions in the match from 1.
    """
    return legal[shuffler.below(f"seat/{seat}/standin/{decision}", len(legal))]
