"""A round's log as others read it: the replay's events, what one seat may know of them, the discards so far.

The log is a list of (seat, action), where an action is also what nobody chose: a draw, a pass, a skip, a reshuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.games.base import Action, Json
from referee.games.nines.view import Discard

Entry = tuple[int, Action]


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


def extend_history(history: list[Discard], log: Sequence[Entry], start: int) -> None:
    """The discard history has grown by what entries from `start` on put on the pile, or named."""
    for seat, action in log[start:]:
        if action.do == "play":
            *below, top = action.cards
            history.extend([Discard(card, seat) for card in below])
            history.append(Discard(top, seat, action.suit or ""))
        elif action.do == "name_suit":
            history[-1] = Discard(history[-1].card, history[-1].seat, action.suit or "")
