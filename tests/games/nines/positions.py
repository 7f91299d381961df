"""Small positions of Nines for tables: cards as text, everything else by default."""

from __future__ import annotations

from typing import Any

import pytest

from referee.errors import IllegalAction
from referee.games.base import Action
from referee.games.nines import GAME, NinesRound, from_position
from referee.games.shuffler import Shuffler

SEED = bytes(32)


def at(
    *hands: str,
    upcard: str = "7H",
    suit: str | None = "",
    seat: int = 0,
    phase: str = "turn",
    stock: str = "",
    below: str = "",
    direction: int = 1,
    passes: int = 0,
    turns: int = 0,
    drawn: str | None = None,
    dealer: int | None = None,
    totals: list[int] | None = None,
    **options: Any,
) -> NinesRound:
    """A round with these hands, `seat` to act on `upcard`; `below` are the other discards, the last of `stock` is drawn
    next; `suit` is the active suit where it is not the upcard's own."""
    players = len(hands)
    rules = {**GAME.complete({}, 2), **options}  # a rule is shown with as few hands as it needs, two packs too
    position = {
        "hands": {seat: hand.split() for seat, hand in enumerate(hands)},
        "active_suit": upcard[1] if suit == "" else suit,
        "stock": stock.split(),
        "discards": [*below.split(), upcard],
        "direction": direction,
        "phase": phase,
        "drawn": drawn,
        "dealer": players - 1 if dealer is None else dealer,
        "seats": list(range(players)),
        "passes": passes,
        "turns": turns,
        "reshuffles": 0,
        "totals": totals or [0] * players,
        "seat": seat,
    }
    return from_position(rules, position, Shuffler(SEED))


def action(text: str) -> Action:
    """`7H`, `9C=D` (naming diamonds), `9C+9D=S` (a pair), `=S` (naming alone), `keep`, `accept`."""
    cards, equals, suit = text.partition("=")
    if not cards:
        return Action("name_suit", (), suit)
    if not equals and not cards[0].isupper() and not cards[0].isdigit():
        return Action(cards)
    return Action("play", tuple(cards.split("+")), suit if equals else None)


def short(action: Action) -> str:
    """An action as `action` reads it."""
    naming = f"={action.suit}" if action.suit else ""
    return ("+".join(action.cards) or (action.do if not naming else "")) + naming


def legal(state: NinesRound) -> str:
    """The legal actions, a nine's four suits folded into `9C=*`."""
    return (
        " ".join(short(action) for action in state.legal())
        .replace("=C", "=*")
        .replace("=D", "=*")
        .replace("=H", "=*")
        .replace("=S", "=*")
    )


def choices(state: NinesRound) -> str:
    """The legal actions without doubles: of a nine, and of naming, the suits are left out."""
    return " ".join(dict.fromkeys(legal(state).split()))


def play(state: NinesRound, *texts: str) -> NinesRound:
    for text in texts:
        state.apply(state.resolve(action(text)))
    return state


def story(state: NinesRound) -> str:
    """What has happened, as `0:play 4H, 1:draw 3S, …`."""
    lines = []
    for event in state.events():
        cards = " ".join(event.get("cards", event.get("stock", ())))
        naming = f"={event['suit']}" if "suit" in event else ""
        lines.append(f"{event['seat']}:{event['do']} {cards}".rstrip() + naming)
    return ", ".join(lines)


def refused(state: NinesRound, text: str) -> tuple[str, str]:
    """The rule and reason for which an action is refused."""
    before = story(state)
    with pytest.raises(IllegalAction) as caught:
        state.apply(action(text))
    assert story(state) == before
    assert caught.value.legal == tuple(map(str, state.legal()))
    return caught.value.rule, caught.value.reason
