"""A running match as steps for the viewer, folded from what everyone may see (referee/service/live.py). Pure.

The steps are those of `referee.match.steps`, of a closed kind: hands are lists of nulls, as long as the hands are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.match import steps

Json = Any


def _cards(cards: Sequence[str]) -> list[Json]:
    parts: list[Json] = []
    for card in cards:
        parts += [" ", {"card": card}]
    return parts


def words(event: Mapping[str, Json]) -> list[Json]:
    """The event as a sentence without its subject, of what everyone may know."""
    cards, count = list(event.get("cards") or ([event["card"]] if "card" in event else [])), event.get("count", 1)
    several = "draws a card" if count == 1 else f"draws {count} cards"
    naming = [", naming ", {"suit": event["suit"]}] if event.get("suit") else []
    match event["do"]:
        case "play":
            return ["plays", *_cards(cards), *naming]
        case "discard":
            return ["discards", *_cards(cards)]
        case "take_discard":
            return ["takes", *_cards(cards), " from the discards"]
        case "name_suit":
            return ["names ", {"suit": event["suit"]}]
        case "draw" | "draw_pile":
            return [several]
        case "forced_draw":
            return [f"must: {several}" if count else "must draw, but no card is left"]
        case "reshuffle":
            return [f"shuffles {count} discards into a new stock"]
        case "pass":
            return ["passes: there is no card to draw"]
        case "skip":
            return ["is skipped"]
        case "call":
            return ["calls Nine"]
    return [str(event["do"]).replace("_", " "), *_cards(cards)]


class Story:
    """One match as it grows: `take` each update, `document` for who comes in now."""

    def __init__(
        self,
        match_id: str,
        game: str,
        rules: Mapping[str, Json],
        profile: str | None,
        seats: Sequence[Mapping[str, Json]],
    ) -> None:
        self.match_id, self.game, self.rules, self.profile, self.seats = match_id, game, rules, profile, seats
        players = len(seats)
        self.steps: list[dict[str, Json]] = []
        self.rounds: list[dict[str, Json]] = []
        self.faults: list[dict[str, Json]] = []
        self.result: dict[str, Json] = {}
        self.totals = [0] * players
        self.forfeited: list[int] = []
        self.table: dict[str, Json] | None = None
        self._add("start", None, None, None, text_parts=[f"{players} players"])

    def document(self) -> dict[str, Json]:
        """The match so far, in the viewer's format."""
        teams = int(self.rules.get("teams") or 0)
        players = len(self.seats)
        module = steps.table_of(self.game)
        return {
            "format": steps.FORMAT,
            "closed": True,
            "game": self.game,
            "match_id": self.match_id,
            "profile": self.profile,
            "rules": dict(self.rules),
            "clock": None,
            "seats": [{"bot": seat["bot"], "version": seat["version"]} for seat in self.seats],
            "players": players,
            "teams": [[s for s in range(players) if s % teams == team] for team in range(teams)] if teams else None,
            "cuts": [],
            "notes": [],
            "actions": [],
            "faces": module.faces(self.rules) if module else None,
            "has_table": module is not None,
            **self.lists(),
            "steps": list(self.steps),
        }

    def lists(self) -> dict[str, Json]:
        return {"rounds": list(self.rounds), "faults": list(self.faults), "result": dict(self.result)}

    def take(self, update: Mapping[str, Json], *, whole: bool) -> dict[str, Json]:
        """What is new, for those who follow; a whole update of a round that is known already brings nothing."""
        start = len(self.steps)
        state, events = update["state"], update["events"]
        self.game = state.get("game", self.game)
        if whole and self.rounds and self.rounds[-1].get("number") == (state["kind"], state["round"]):
            return {"steps": [], **self.lists()}
        for event in events:
            self._event(event, state)
        self._settle(state)
        if state.get("finished") and not self.result:
            self.result = {"totals": state["totals"], "places": state["places"], "forfeited": state["forfeited"]}
            self._add(
                "result", None, None, None, totals=state["totals"], places=state["places"], text_parts=["Match over"]
            )
        return {"steps": self.steps[start:], **self.lists()}

    def _add(self, kind: str, round: int | None, event: Json, seat: int | None, **more: Json) -> dict[str, Json]:
        step = {"kind": kind, "round": round, "event": event, "seat": seat, **more}
        self.steps.append(step)
        return step

    def _event(self, event: Mapping[str, Json], state: Mapping[str, Json]) -> None:
        at = len(self.rounds) - 1
        match event["do"]:
            case "deal":
                self._deal(event, state)
            case "forfeit":
                self.forfeited = sorted({*self.forfeited, event["seat"]})
                self.faults.append(
                    {
                        "seat": event["seat"],
                        "round": max(at, 0),
                        "event": 0,
                        "kind": "forfeit",
                        "detail": "",
                        "step": len(self.steps),
                    }
                )
                step = self._add(
                    "fault", max(at, 0), 0, event["seat"], fault=len(self.faults) - 1, text_parts=["forfeits the match"]
                )
                self._change(step, forfeited=self.forfeited)
            case "round_end":
                self.totals = list(event["totals"])
                step = self._add(
                    "round_end",
                    at,
                    "end",
                    event["by"],
                    reason=event["reason"],
                    penalties=event["penalties"],
                    totals=self.totals,
                    text_parts=["Round ends"],
                )
                self._change(step, totals=self.totals)
                if self.rounds:
                    self.rounds[-1]["last"] = len(self.steps) - 1
            case do:
                step = self._add("event", at, len(self.steps), event["seat"], do=do, text_parts=words(event))
                for name in ("cards", "suit", "count"):
                    if event.get(name):
                        step[name] = event[name]
                self._happen(step, event)

    def _deal(self, event: Mapping[str, Json], state: Mapping[str, Json]) -> None:
        seats = list(state["seats"])
        nines = self.game == "nines"
        held = (7 if len(seats) <= 4 else 5) if nines else 5  # N1.2, K1.3
        pack = 52 * int(self.rules.get("decks") or 1) if nines else 54
        self.table = {
            "hands": {str(seat): [None] * held for seat in seats},
            "hand_values": {},
            "top": event["upcard"],
            "discards": 1,
            "stock": pack - held * len(seats) - 1,
            "dealer": state["dealer"],
            "seats": seats,
            "totals": list(self.totals),
            "forfeited": list(self.forfeited),
            "turn": None,
            "phase": "forced",
            "drawn": None,
            "reshuffles": 0,
        }
        if nines:
            self.table |= {
                "active_suit": None if event["upcard"][0] == "9" else event["upcard"][1],
                "named": False,
                "direction": 1,
            }
        else:
            self.table |= {"go_around": 1}
        self.rounds.append(
            {
                "step": len(self.steps),
                "round": state["round"],
                "kind": state["kind"],
                "dealer": state["dealer"],
                "seats": seats,
                "number": (state["kind"], state["round"]),
            }
        )
        self._add(
            "deal",
            len(self.rounds) - 1,
            -1,
            None,
            table={**self.table, "hands": dict(self.table["hands"])},
            text_parts=["A round is dealt"],
        )

    def _happen(self, step: dict[str, Json], event: Mapping[str, Json]) -> None:
        if self.table is None:
            return
        now, seat, cards = self.table, str(event["seat"]), list(event.get("cards") or [])
        size, count = len(now["hands"].get(seat, [])), event.get("count", 1)
        match event["do"]:
            case "play" | "discard":
                self._change(
                    step,
                    hands={seat: [None] * max(size - len(cards), 0)},
                    top=cards[-1],
                    discards=now["discards"] + len(cards),
                )
                if self.game == "nines":
                    self._change(step, active_suit=event.get("suit") or cards[-1][1], named=bool(event.get("suit")))
            case "name_suit":
                self._change(step, active_suit=event["suit"], named=True)
            case "draw" | "forced_draw" | "draw_pile":
                self._change(step, hands={seat: [None] * (size + count)}, stock=now["stock"] - count)
            case "take_discard":
                self._change(step, hands={seat: [None] * (size + 1)}, discards=now["discards"] - 1)
            case "reshuffle":
                self._change(step, stock=count, discards=1, reshuffles=now["reshuffles"] + 1)

    def _settle(self, state: Mapping[str, Json]) -> None:
        """What cannot be folded from events, as the state says it: after the last event so far."""
        seen, step = state.get("table"), self.steps[-1]
        if seen is None or self.table is None or step["kind"] in ("round_end", "result"):
            return
        names = {
            "upcard": "top",
            "top": "top",
            "stock_size": "stock",
            "draw_pile_size": "stock",
            "active_suit": "active_suit",
            "direction": "direction",
            "go_around": "go_around",
            "reshuffles": "reshuffles",
        }
        found = {
            names[name]: value or None if name in ("upcard", "top", "active_suit") else value
            for name, value in seen.items()
            if name in names
        }
        sizes = {seat: [None] * seen["hand_sizes"][int(seat)] for seat in self.table["hands"]}
        wrong = {seat: hand for seat, hand in sizes.items() if len(hand) != len(self.table["hands"][seat])}
        changed = {name: value for name, value in found.items() if self.table.get(name) != value}
        if wrong:
            changed["hands"] = wrong
        if changed:
            self._change(step, **changed)

    def _change(self, step: dict[str, Json], **changed: Json) -> None:
        if self.table is None:
            return
        told = step["table"] if "table" in step else step.setdefault("set", {})
        for name, value in changed.items():
            if name == "hands":
                self.table["hands"] = {**self.table["hands"], **value}
                told["hands"] = {**told.get("hands", {}), **value}
            else:
                self.table[name] = told[name] = value
