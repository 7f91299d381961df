"""A round's log as others read it: the replay's events, what one seat may know of them, the discards so far.

The log is a list of (seat, action), where an action is also what nobody chose: a draw, a pass, a skip, a reshuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.cards import CODES, NUMBER
from referee.games.base import Action, Json
from referee.games.nines.moves import ACTIONS, KEEP_KEY, MOST_SEATS, Entry
from referee.games.nines.view import Discard


def documents(log: Iterable[Entry]) -> list[dict[str, Json]]:
    """The log as REPLAY's events, without times."""
    events: list[dict[str, Json]] = []
    for seat, action in log:
        do, cards, suit = action.do, action.cards, action.suit
        if do == "reshuffle":
            events.append({"seat": seat, "do": do, "stock": [*cards]})
        elif suit is not None:
            events.append({"seat": seat, **action.to_json()})
        elif cards or do == "forced_draw":  # which has an empty list too
            events.append({"seat": seat, "do": do, "cards": [*cards]})
        else:
            events.append({"seat": seat, "do": do})
    return events


def visible(log: Iterable[Entry], seat: int) -> list[dict[str, Json]]:
    """The entries as `seat` may know them (N8): of another's draw, and of a reshuffle, only how many cards.

    `keep` and `accept` are told to nobody: they would say that a drawn card was legal, or that a skip could have been
    answered.
    """
    seen: list[dict[str, Json]] = []
    for actor, action in log:
        do, cards = action.do, action.cards
        event: dict[str, Json] = {"seat": actor, "do": do}
        if do == "play":
            event["cards"] = [*cards]
        elif do == "draw" or do == "forced_draw":
            if actor == seat:
                event["cards"] = [*cards]
            event["count"] = len(cards)
        elif do == "reshuffle":
            event["count"] = len(cards)
        elif do == "keep" or do == "accept":
            continue
        if action.suit is not None:
            event["suit"] = action.suit
        seen.append(event)
    return seen


def _put_down(seat: int, action: Action) -> tuple[Discard, ...]:
    """The cards that a play puts on the pile; the suit is named with the last."""
    *below, top = action.cards
    return (*[Discard(card, seat) for card in below], Discard(top, seat, action.suit or ""))


_PUT_DOWN = tuple(tuple(_put_down(seat, action) for action in ACTIONS[:KEEP_KEY]) for seat in range(MOST_SEATS))
"""By seat and key of a play: what it adds to the history."""


class Discards:
    """The discards of a round, followed along its log: the pile as it lies, and everything that was ever on it."""

    __slots__ = ("_history", "_pile", "_piled", "_shown")

    def __init__(self, pile: list[int]) -> None:
        """`pile` lies there before anything is logged, oldest first, the upcard last."""
        self._pile = pile
        self._history = [Discard(CODES[card]) for card in pile]
        self._piled = self._shown = 0

    def pile(self, log: Sequence[Entry]) -> list[int]:
        """The cards that lie there after `log`, oldest first: those that are taken off this list are gone."""
        for _, action in log[self._piled :]:
            if action.do == "play":
                self._pile += [NUMBER[card] for card in action.cards]
        self._piled = len(log)
        return self._pile

    def history(self, log: Sequence[Entry]) -> tuple[Discard, ...]:
        """The whole history after `log`, oldest first, reshuffled cards too (N8)."""
        history = self._history
        for seat, action in log[self._shown :]:
            if action.do == "play":
                history += _PUT_DOWN[seat][action.key]
            elif action.do == "name_suit":
                history[-1] = history[-1]._replace(suit=action.suit or "")
        self._shown = len(log)
        return tuple(history)

    def copy(self) -> Discards:
        """Another of the same, to be followed on its own."""
        copy = Discards([])
        copy._pile, copy._piled = self._pile[:], self._piled
        copy._history, copy._shown = self._history[:], self._shown
        return copy
