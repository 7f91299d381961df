"""Why an action is not legal: the exact rule and one reason, for whoever has to mend the bot that chose it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cards import NUMBER, PACK, SUITS
from referee.games.base import Action

if TYPE_CHECKING:
    from referee.games.nines.state import State

NINE = "9"


def refusal(state: State, action: Action) -> tuple[str, str]:
    """The rule that forbids `action` to the seat to act, and why; only for an action that is not legal."""
    if state.turn is None:
        return "N5.1", "the round has ended"
    if action.do == "play":
        return _play(state, action)
    if action.do in ("keep", "accept", "draw", "pass") and (action.cards or action.suit is not None):
        return "S7", f"{action.do} takes neither cards nor a suit"
    if state.phase == "name_suit":
        if action.do == "name_suit":
            return "N1.5", f"a suit is one of {' '.join(SUITS)}, and no cards are named with it"
        return "N1.5", "the upcard is a nine: first the dealer names a suit"
    match action.do:
        case "name_suit":
            return "N1.5", "only the dealer names a suit by itself, for a nine turned up, before the first turn"
        case "keep" if state.phase == "drawn":
            return "N2.4", "a drawn card that is legal must be played"
        case "keep":
            return "N2.3", "only a card just drawn may be kept"
        case "accept":
            return "N6.6", "nobody is about to skip this seat"
        case "draw" if state.phase == "drawn":
            return "N2.3", "no second card is drawn"
        case "draw":
            return "N2.2", "nobody draws by choice: a player who holds a legal card must play one"
        case "pass":
            return "N4.2", "only a player with no legal card and nothing to draw passes"
    return "S7", f"Nines has no action {action.do!r}: it is play, keep, accept or name_suit"


def _play(state: State, action: Action) -> tuple[str, str]:
    cards, suit = action.cards, action.suit
    if state.phase == "name_suit":
        return "N1.5", "the upcard is a nine: first the dealer names a suit"
    for card in cards:
        if card not in NUMBER or NUMBER[card] >= len(PACK):
            return "N1.1", f"{card!r} is no card of the pack"
    assert state.turn is not None
    hand = state.hand(state.turn)
    for card in cards:
        if cards.count(card) > hand.count(card):
            return "N2.2", f"the hand does not hold {' '.join(cards)}"
    if len(cards) == 1:
        return _single(state, cards[0], suit)
    if len(cards) != 2 or any(card[0] != NINE for card in cards):
        return "N6.3", "one card is played, or a pair of nines"
    if state.law.rules["decks"] != 2:
        return "N6.3", "pairs of nines are played with decks = 2 only"
    if state.phase == "drawn":
        return "N2.4", "after a draw no pair of nines may be played"
    if suit is None or suit not in SUITS:
        return "N6.3", f"a pair of nines names a suit, one of {' '.join(SUITS)}"
    return "N6.5", "a pair of nines may not be the last of the hand"


def _single(state: State, card: str, suit: str | None) -> tuple[str, str]:
    if state.phase == "drawn" and card != PACK[state.drawn]:
        rule = "N2.4" if state.law.rules["draw"] == "until_playable" else "N2.3"
        return rule, f"after drawing only the drawn card, {PACK[state.drawn]}, may be played"
    if card[0] == NINE:
        if suit is None or suit not in SUITS:
            return "N3.1", f"a nine names a suit, one of {' '.join(SUITS)}"
        return "N6.5", "a nine may not be the last of the hand"
    if suit is not None:
        return "N3.1", "only a nine names a suit"
    if state.phase == "answer":
        return "N6.6", "a pair of nines is answered with a nine or a pair of nines"
    if state.upcard[0] == NINE:
        return "N3.2", f"{card} is neither of the named suit {state.active_suit} nor a nine"
    return "N2.1", f"{card} matches neither the upcard {state.upcard} nor the active suit {state.active_suit}"
