"""Small positions of Nine for tables: cards as text, everything else by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.games.base import Action
from referee.games.nine import GAME
from referee.games.nine.position import from_position
from referee.games.nine.rules import NineRound
from referee.games.shuffler import Shuffler

SEED = bytes(32)


def cards(text: str) -> list[str]:
    return text.split()


def at(
    *hands: str,
    seat: int = 0,
    phase: str = "draw",
    drawn: str | None = None,
    pile: str = "2C 3C 4C",
    discards: str = "7H",
    turns: Sequence[int] | None = None,
    totals: Sequence[int] | None = None,
    **options: Any,
) -> NineRound:
    """A round with these hands, `seat` to act; everybody has had one turn unless `turns` says otherwise."""
    players = len(hands)
    position = {
        "hands": {number: cards(hand) for number, hand in enumerate(hands)},
        "stock": cards(pile),
        "discards": cards(discards),
        "dealer": players - 1,
        "totals": list(totals or [0] * players),
        "turns_taken": dict(enumerate(turns or [1] * players)),
        "reshuffles": 0,
        "phase": phase,
        "drawn": drawn,
        "seat": seat,
    }
    return from_position(GAME.complete(options, players), position, Shuffler(SEED))


def action(text: str) -> Action:
    """`discard 5C 5D`, `call`, ..."""
    do, *named = text.split()
    return Action(do, tuple(named))


def legal(state: NineRound) -> list[str]:
    return [str(choice) for choice in state.legal()]


def play(state: NineRound, *texts: str) -> NineRound:
    for text in texts:
        state.apply(state.resolve(action(text)))
    return state
