"""Nines for people to watch: the open table after each event, and each event in words (see `match/steps.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.cards import NUMBER
from referee.games.base import Json, Rules
from referee.games.nines.scoring import HARD_NINE, VALUES

PRIVATE = frozenset({"draw", "forced_draw"})
"""Events whose cards only their seat may know (N8)."""
SECRET = frozenset({"keep", "accept"})
"""Events that nobody else is told of (N8)."""
SECRET_PHASES = ("drawn", "answer")
"""Phases of which only the seat itself knows that it has a choice (N8)."""


def faces(rules: Rules) -> None:
    """Nines is drawn with the ordinary pack."""
    return


def _count(card: str, rules: Rules) -> int:
    """What a card left in a hand counts (N5.1, N6.4)."""
    return HARD_NINE if card[0] == "9" and rules["hard_nines"] else VALUES[NUMBER[card] % len(VALUES)]


class Table:
    """What lies open to someone who sees everything; `now` is the TABLE of steps."""

    def __init__(
        self, rules: Rules, played: Mapping[str, Json], totals: Sequence[int], forfeited: Sequence[int]
    ) -> None:
        deal = played["deal"]
        nine = deal["upcard"][0] == "9"
        self._rules = rules
        self.now: dict[str, Json] = {
            "hands": {},
            "hand_values": {},
            "top": deal["upcard"],
            "discards": 1,
            "stock": len(deal["stock"]),
            "dealer": played["dealer"],
            "seats": list(played["seats"]),
            "totals": list(totals),
            "forfeited": list(forfeited),
            "turn": None,
            "phase": "forced",
            "drawn": None,
            "reshuffles": 0,
            "active_suit": None if nine else deal["upcard"][1],
            "named": False,
            "direction": 1,
        }
        for seat, hand in deal["hands"].items():
            self._hold(seat, hand)

    def _hold(self, seat: str, hand: Sequence[str]) -> None:
        self.now["hands"][seat] = sorted(hand, key=lambda card: NUMBER.get(card, 99))
        self.now["hand_values"][seat] = sum(_count(card, self._rules) for card in hand if card in NUMBER)

    def happen(self, event: Mapping[str, Json]) -> None:
        """The table after this event of the replay."""
        now, seat = self.now, str(event["seat"])
        hand = list(now["hands"].get(seat, ()))
        match event["do"]:
            case "name_suit":
                now["active_suit"], now["named"] = event["suit"], True
            case "play":
                for card in event["cards"]:
                    if card in hand:
                        hand.remove(card)
                self._hold(seat, hand)
                top = event["cards"][-1]
                now["top"] = top
                now["discards"] += len(event["cards"])
                now["active_suit"], now["named"] = event.get("suit") or top[1], "suit" in event
                if self._rules["powers"] and top[0] == "Q" and len(now["seats"]) > 2 and hand:
                    now["direction"] = -now["direction"]  # N6.2
            case "draw" | "forced_draw":
                now["stock"] -= len(event["cards"])
                self._hold(seat, [*hand, *event["cards"]])
            case "reshuffle":
                now["stock"], now["discards"] = len(event["stock"]), 1
                now["reshuffles"] += 1


_SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def describe(event: Mapping[str, Json]) -> tuple[list[Json], list[Json] | None]:
    """The event in words without its subject, and for those who may not see all of it; None where that is the same."""
    cards: list[Json] = [{"card": card} for card in event.get("cards", ())]
    several = f"draws {len(cards)} cards" if len(cards) != 1 else "draws a card"
    match event["do"]:
        case "name_suit":
            return ["names ", {"suit": event["suit"]}], None
        case "play":
            naming: list[Json] = [", naming ", {"suit": event["suit"]}] if "suit" in event else []
            return ["plays ", *cards, *naming], None
        case "draw":
            return ["draws ", *cards], [several]
        case "forced_draw":
            return ["must draw ", *cards] if cards else ["must draw, but no card is left"], [
                several.replace("draws", "must draw")
            ]
        case "keep":
            return ["keeps the drawn card"], []
        case "pass":
            return ["passes: there is no card to draw"], None
        case "skip":
            return ["is skipped"], None
        case "accept":
            return ["lets the skip stand"], []
        case "reshuffle":
            return [f"shuffles {len(event['stock'])} discards into a new stock"], None
    return [str(event["do"]).replace("_", " ")], None
