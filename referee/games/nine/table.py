"""Nine for people to watch: the open table after each event, and each event in words (see `match/steps.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.games.base import Json, Rules
from referee.games.nine.cards import NUMBERS, value
from referee.games.nine.skins import faces as faces_of

PRIVATE = frozenset({"draw_pile"})
"""Events whose cards only their seat may know (K6)."""
SECRET: frozenset[str] = frozenset()
SECRET_PHASES: tuple[str, ...] = ()


def faces(rules: Rules) -> dict[str, dict[str, str]]:
    """How the chosen skin draws each card (K1.2)."""
    return faces_of(rules["skin"])


class Table:
    """What lies open to someone who sees everything; `now` is the TABLE of steps."""

    def __init__(
        self, rules: Rules, played: Mapping[str, Json], totals: Sequence[int], forfeited: Sequence[int]
    ) -> None:
        deal = played["deal"]
        self._pile = [deal["upcard"]]
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
            "go_around": 1,
            "turns_taken": [0] * len(totals),
        }
        for seat, hand in deal["hands"].items():
            self._hold(seat, hand)

    def _hold(self, seat: str, hand: Sequence[str]) -> None:
        self.now["hands"][seat] = sorted(hand, key=lambda card: NUMBERS.get(card, 99))
        self.now["hand_values"][seat] = sum(value(card) for card in hand if card in NUMBERS)

    def _piled(self) -> None:
        self.now["top"] = self._pile[-1] if self._pile else None
        self.now["discards"] = len(self._pile)

    def happen(self, event: Mapping[str, Json]) -> None:
        """The table after this event of the replay."""
        now, seat = self.now, str(event["seat"])
        hand = list(now["hands"].get(seat, ()))
        match event["do"]:
            case "draw_pile":
                now["stock"] -= 1
                self._hold(seat, [*hand, event["card"]])
            case "take_discard":
                self._pile = self._pile[:-1]
                self._piled()
                self._hold(seat, [*hand, event["card"]])
            case "discard":
                self._pile += event["cards"]
                self._piled()
                self._hold(seat, [card for card in hand if card not in event["cards"]])
                now["turns_taken"] = [
                    turns + (player == event["seat"]) for player, turns in enumerate(now["turns_taken"])
                ]
                now["go_around"] = sum(now["turns_taken"]) // len(now["turns_taken"]) + 1
            case "reshuffle":
                self._pile = self._pile[-1:]
                self._piled()
                now["stock"] = len(event["stock"])
                now["reshuffles"] += 1


def describe(event: Mapping[str, Json]) -> tuple[list[Json], list[Json] | None]:
    """The event in words without its subject, and for those who may not see all of it; None where that is the same."""
    match event["do"]:
        case "call":
            return [f'calls "Nine!" with {event["total"]}'], None
        case "draw_pile":
            return ["draws ", {"card": event["card"]}], ["draws a card"]
        case "take_discard":
            return ["takes ", {"card": event["card"]}, " from the discards"], None
        case "discard":
            several = {2: "a pair ", 3: "three ", 4: "four ", 5: "a run "}.get(len(event["cards"]), "")
            cards: list[Json] = [{"card": card} for card in event["cards"]]
            return [f"discards {several}", *cards], None
        case "reshuffle":
            return [f"shuffles {len(event['stock'])} discards into a new pile"], None
    return [str(event["do"]).replace("_", " ")], None
