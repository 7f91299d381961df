"""A round of Nines in the middle of play, as data: for tests, tools, and bots that search.

A position is a mapping with
`hands` (seat -> cards; keys may be text), `active_suit` (None before an upcard nine is named), `stock` (last = next
drawn), `discards` (oldest first, the upcard last), `direction` (1 or -1), `dealer`, `seats` (who plays this round),
`totals` (by seat), `reshuffles` so far, `passes` in a row, `turns` finished, `phase`, `drawn` (the card just drawn, in
phase `drawn`), and `seat`, who acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cards import NUMBER, PACK, SUITS, codes, numbers
from referee.games.base import Json, Rules, ShufflerLike
from referee.games.nines.law import Law
from referee.games.nines.rules import NinesRound


def from_position(
    rules: Rules,
    position: Mapping[str, Any],
    shuffler: ShufflerLike,
    *,
    number: int = 1,
    kind: str = "round",
    forfeited: frozenset[int] = frozenset(),
) -> NinesRound:
    """A round that stands at `position` and has gone on from there to its first real choice.

    Its log begins empty and its discard history with the discards of the position. Reshuffles to come are those of
    `kind` and `number` (S5). A bot that searches fills hands and stock with a guess at what it cannot see, and hands
    in a shuffler of any seed of its own.
    """
    totals = tuple(position["totals"])
    suit = position["active_suit"]
    law = Law(rules, tuple(position["seats"]), len(totals))
    state = NinesRound(law, number, kind, position["dealer"], totals, forfeited, shuffler)
    return state.resume(
        hands={int(seat): numbers(cards) for seat, cards in position["hands"].items()},
        stock=numbers(position["stock"]),
        discards=numbers(position["discards"]),
        suit=None if suit is None else SUITS.index(suit),
        clockwise=position["direction"] == 1,
        passes=position["passes"],
        turns=position["turns"],
        reshuffles=position["reshuffles"],
        seat=position["seat"],
        phase=position["phase"],
        drawn=None if position["drawn"] is None else NUMBER[position["drawn"]],
    )


def position(state: NinesRound) -> dict[str, Json]:
    """Where a round stands, from which `from_position` goes on alike; for referees and tools, never for a bot."""
    stock, discards, passes = state.piles()
    return {
        "hands": {str(seat): list(state.hand(seat)) for seat in state.law.seats},
        "upcard": state.upcard,
        "active_suit": state.active_suit or None,
        "stock": list(codes(stock)),
        "discards": list(codes(discards)),
        "direction": state.direction,
        "phase": state.phase,
        "drawn": PACK[state.drawn] if state.phase == "drawn" else None,
        "dealer": state.dealer,
        "seats": list(state.law.seats),
        "passes": passes,
        "turns": state.turns,
        "reshuffles": state.reshuffles,
        "totals": list(state.totals),
        "seat": state.turn,
    }
