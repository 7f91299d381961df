"""A round of Nine in the middle of play, as data: for tests, tools, and bots that search.

A position is a mapping with `hands` (seat -> cards; keys may be text), `stock` (last = next drawn), `discards` (oldest
first), `dealer`, `totals` (by seat), `turns_taken` (seat -> finished turns), `reshuffles` so far, `phase` (`draw` or
`discard`), `drawn` (the card just drawn or taken, in phase `discard`), and `seat`, who acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.games.base import Rules, ShufflerLike
from referee.games.nine.cards import NUMBERS
from referee.games.nine.rules import NineRound


def from_position(
    rules: Rules,
    position: Mapping[str, Any],
    shuffler: ShufflerLike,
    *,
    number: int = 1,
    kind: str = "round",
    forfeited: frozenset[int] = frozenset(),
) -> NineRound:
    """A round that stands at `position` and has gone on from there to its first real choice.

    Its log begins empty. Reshuffles to come are those of `kind` and `number` (S5). A bot that searches fills hands and
    stock with a guess at what it cannot see, and hands in a shuffler of any seed of its own.
    """
    hands = {int(seat): [NUMBERS[card] for card in cards] for seat, cards in position["hands"].items()}
    turns_taken = {int(seat): turns for seat, turns in position["turns_taken"].items()}
    drawn = position.get("drawn")
    state = NineRound(
        rules,
        number=number,
        kind=kind,
        players=len(hands),
        dealer=position["dealer"],
        totals=position["totals"],
        forfeited=forfeited,
        shuffler=shuffler,
    )
    return state.resume(
        hands=[hands[seat] for seat in range(len(hands))],
        pile=[NUMBERS[card] for card in position["stock"]],
        discarded=[NUMBERS[card] for card in position["discards"]],
        turns_taken=[turns_taken[seat] for seat in range(len(hands))],
        reshuffles=position["reshuffles"],
        phase=position["phase"],
        drawn=None if drawn is None else NUMBERS[drawn],
        seat=position["seat"],
    )
