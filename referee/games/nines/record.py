"""A round's log as others read it: the replay's events, what one seat may know of them, the discards so far.

The log is a list of (seat, action), where an action is also what nobody chose: a draw, a pass, a skip, a reshuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.cards import CODES, NUMBER
from referee.games.base import Action, Json
from referee.games.nines.moves import Entry
from referee.games.nines.view import Discard


def document(seat: int, action: Action) -> dict[str, Json]:
    """An entry of the log as REPLAY's event, without times."""
    if action.do == "reshuffle":
        return {"seat": seat, "do": "reshuffle", "stock": list(action.cards)}
    if action.do == "forced_draw":
        return {"seat": seat, "do": "forced_draw", "cards": list(action.cards)}  # an empty list too
    return {"seat": seat, **action.to_json()}


def visible(log: Iterable[Entry], seat: int) -> list[dict[str, Json]]:
    """The entries as `seat` may know them (N8): of another's draw, and of a reshuffle, only how many cards.

    `keep` and `accept` are told to nobody: they would say that a drawn card was legal, or that a skip could have been
    answered.
    """
    seen: list[dict[str, Json]] = []
    for actor, action in log:
        event: dict[str, Json] = {"seat": actor, "do": action.do}
        match action.do:
            case "keep" | "accept":
                continue
            case "play":
                event["cards"] = list(action.cards)
            case "draw" | "forced_draw":
                if actor == seat:
                    event["cards"] = list(action.cards)
                event["count"] = len(action.cards)
            case "reshuffle":
                event["count"] = len(action.cards)
        if action.suit is not None:
            event["suit"] = action.suit
        seen.append(event)
    return seen


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
                *below, top = action.cards
                history += [Discard(card, seat) for card in below]
                history.append(Discard(top, seat, action.suit or ""))
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
