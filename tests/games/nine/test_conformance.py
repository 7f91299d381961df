"""The shared vectors for Nine: every decision and every sequence, as an independent implementation has them."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.base import Action
from referee.games.nine.cards import value
from referee.games.nine.position import from_position
from referee.games.shuffler import Shuffler
from tests.games.replaying import lines

DECISIONS = [row for row in lines("decisions") if row["game"] == "nine"]
SEQUENCES = [row for row in lines("sequences") if row["game"] == "nine"]


def by_values(action: Action | dict[str, Any]) -> dict[str, Any]:
    """An action as the vectors write it: discards by values."""
    written = action.to_json() if isinstance(action, Action) else dict(action)
    if written["do"] == "discard":
        written["values"] = [value(card) for card in written.pop("cards")]
    return {name: written[name] for name in ("do", "values") if name in written}


def test_there_are_vectors() -> None:
    assert len(DECISIONS) > 150
    assert len(SEQUENCES) > 15


@pytest.mark.parametrize("row", DECISIONS, ids=range(len(DECISIONS)))
def test_decision(row: dict[str, Any]) -> None:
    state = from_position(row["rules"], {**row["state"], "seat": row["seat"]}, Shuffler(bytes(32)))
    if len(row["legal"]) == 1:  # nobody is asked: it has happened
        event = next(event for event in state.events() if event["do"] != "reshuffle")
        assert event["seat"] == row["seat"]
        assert by_values(event) == row["legal"][0]
    else:
        assert state.turn == row["seat"]
        assert [by_values(action) for action in state.legal()] == row["legal"]


@pytest.mark.parametrize("row", SEQUENCES, ids=[row["name"] for row in SEQUENCES])
def test_sequence(row: dict[str, Any]) -> None:
    kind, number = row["label"].split("/")
    shuffler = Shuffler(bytes.fromhex(row["seed"]))
    state = from_position(row["rules"], {**row["state"], "seat": row["seat"]}, shuffler, kind=kind, number=int(number))
    for action in row["actions"]:
        state.apply(state.resolve(Action(action["do"], tuple(action.get("cards", ())))))
    assert state.events() == row["events"]
    if row["end"] is not None:
        assert state.end is not None
        penalties = {str(seat): penalty for seat, penalty in state.end.penalties.items()}
        assert {"reason": state.end.reason, "by": state.end.by, "penalties": penalties} == row["end"]
    else:
        assert (state.turn, [by_values(action) for action in state.legal()]) == (
            row["next"]["seat"],
            row["next"]["legal"],
        )
