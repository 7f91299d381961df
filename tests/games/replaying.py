"""Plays a recorded match again through the match machine: from its seed, its decisions and its faults alone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.games import registry
from referee.games.base import Action
from referee.games.match import Fault, Match

CONFORMANCE = Path(__file__).parent / "conformance"


def lines(name: str) -> list[dict[str, Any]]:
    """The documents of one of the conformance files."""
    with gzip.open(CONFORMANCE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def as_action(event: dict[str, Any]) -> Action:
    cards = event.get("cards", ()) if event["do"] in ("play", "discard") else ()
    return Action(event["do"], tuple(cards), event.get("suit"))


class Faults:
    """The recorded faults, handed out at the moment at which each seat failed."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.left = list(document["faults"])

    def at(self, round_index: int, event: int, *, start: bool = False) -> list[Fault]:
        due = [
            fault
            for fault in self.left
            if (fault["round"], fault["event"]) == (round_index, event) and (fault["kind"] == "start") >= start
        ]
        self.left = [fault for fault in self.left if fault not in due]
        fields = ("seat", "kind", "detail", "ms", "cpu_ms", "limit_ms")
        return [Fault(*(fault[name] for name in fields)) for fault in due]


def moments(match: Match, document: dict[str, Any], faults: Faults) -> Iterator[None]:
    """Plays `match` to its end, yielding before each decision that a bot took."""
    rounds = document["rounds"]
    while not match.finished:
        playing = match.rounds_finished
        if match.round is None and playing < len(rounds) and not rounds[playing]["events"]:
            match.proceed()  # stopped before anything happened, but dealt: the fault came after the deal (F2)
        due = faults.at(playing, match.round.event_count() if match.round is not None else 0)
        if due:
            match.forfeit(due)
        elif match.turn is None:
            match.proceed()
        else:
            yield
            assert match.round is not None
            event = rounds[playing]["events"][match.round.event_count()]
            assert event["seat"] == match.turn
            match.choose(as_action(event), event.get("ms"), event.get("cpu_ms"))


def start(document: dict[str, Any]) -> tuple[Match, Faults]:
    game = registry.get(document["game"])
    faults = Faults(document)
    players = len(document["seats"])
    rules = game.complete(document["rules"], players)
    seed = bytes.fromhex(document["seed"])
    match = Match(game, rules, players, seed, start_faults=faults.at(0, 0, start=True), pausing=True)
    if not match.finished:
        match.proceed()  # any other fault at event 0 of the first round came after its deal
    return match, faults


def replayed(document: dict[str, Any]) -> Match:
    """The match played again to its end."""
    match, faults = start(document)
    for _ in moments(match, document, faults):
        pass
    return match
