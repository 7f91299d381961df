"""A round's log as others read it: the replay's events, what one seat may know of them, the discards so far.

The log is a list of (seat, action), where an action is also what nobody chose: a draw, a pass, a skip, a reshuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from referee.cards import CODES, NUMBER
from referee.games.base import Action, Json
from referee.games.nines.moves import Entry, held
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

    __slots__ = ("_followed", "history", "pile")

    def __init__(self, pile: list[int]) -> None:
        """`pile` lies there before anything is logged, oldest first, the upcard last."""
        self.pile = pile
        self.history = [Discard(CODES[card]) for card in pile]
        self._followed = 0

    def follow(self, log: Sequence[Entry]) -> None:
        """Everything that the log has put on the pile, or named, since the last time is in; of a reshuffle it says
        nothing: who reshuffles takes the cards off the pile."""
        for seat, action in log[self._followed :]:
            if action.do == "play":
                *below, top = action.cards
                self.history += [Discard(card, seat) for card in below]
                self.history.append(Discard(top, seat, action.suit or ""))
                self.pile += [NUMBER[card] for card in action.cards]
            elif action.do == "name_suit":
                self.history[-1] = self.history[-1]._replace(suit=action.suit or "")
        self._followed = len(log)

    def shown(self) -> tuple[Discard, ...]:
        """The whole history, oldest first, reshuffled cards too (N8)."""
        return tuple(self.history)

    def copy(self) -> Discards:
        """Another of the same, to be followed on its own."""
        copy = Discards(self.pile[:])
        copy.history, copy._followed = self.history[:], self._followed
        return copy


class HeldHands(Mapping[int, tuple[str, ...]]):
    """Hands by seat, kept as bits and written out when they are read: most rounds are played and never looked at."""

    __slots__ = ("_hands",)

    def __init__(self, hands: dict[int, int]) -> None:
        self._hands = hands

    def __getitem__(self, seat: int) -> tuple[str, ...]:
        return held(self._hands[seat])

    def __iter__(self) -> Iterator[int]:
        return iter(self._hands)

    def __len__(self) -> int:
        return len(self._hands)
