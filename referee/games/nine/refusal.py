"""Why an action is not legal in Nine: the exact rule and one reason, for whoever has to mend the bot that chose it."""

from __future__ import annotations

from referee.games.base import Action
from referee.games.nine.cards import NUMBERS, RUN, total
from referee.games.nine.scoring import CALL_LIMIT


def why_not(action: Action, phase: str, hand: int, *, first_turn: bool) -> tuple[str, str]:
    """The rule that forbids `action` in `phase` to the seat that holds `hand`, and why; only for one that is not legal
    and no discard in its phase."""
    if phase == "over":
        return "K3.1", "the round is over"
    if action.do not in ("call", "draw_pile", "take_discard", "discard"):
        return "K2", "there is no such action in Nine"
    if action.suit is not None:
        return "K1.1", "suits mean nothing in play, so none is named"
    if action.do != "discard" and action.cards:
        return "K2", f"{action.do} names no cards"
    if phase == "discard":
        if action.do == "call":
            return "K3.1", "a call comes before drawing"
        return "K2.1", "one card is drawn a turn, then one discard follows"
    if action.do == "discard":
        return "K2.1", "draw before you discard"
    if action.do == "call":
        if first_turn:
            return "K3.1", "nobody calls in their first turn of the round"
        return "K3.4", f"overcalls are forbidden and the hand counts {total(hand)}, more than {CALL_LIMIT}"
    return "K2.4", "there is no card left to draw there"


def why_no_discard(hand: int, cards: tuple[str, ...]) -> tuple[str, str] | None:
    """The rule that forbids to discard these cards of a hand, and why; None if they are one discard (K2.2, K2.3)."""
    if not cards:
        return "K2.2", "a discard names its cards"
    for code in cards:
        if code not in NUMBERS:
            return "K1.1", f"{code!r} is no card of Nine"
        if not hand >> NUMBERS[code] & 1:
            return "K2.2", f"{code} is not in the hand"
    if len(set(cards)) < len(cards):
        return "K2.2", "a card is named twice"
    values = [NUMBERS[code] // 4 for code in cards]
    if len(set(values)) == 1:
        return None
    if len(cards) != RUN:
        return "K2.2", f"cards of more than one value go only as a run of exactly {RUN}"
    if 0 in values:
        return "K2.2", "a zero is in no run"
    low = min(values)
    if sorted(values) != list(range(low, low + RUN)):
        return "K2.2", f"a run is {RUN} consecutive values; values do not wrap from 13"
    if values != sorted(values):
        return "K2.3", "of a run the highest card lies on top: name it lowest first"
    return None
