"""The vectors of an independent implementation of the rules: every replay, decision and sequence of Nines."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.nines import from_position
from referee.games.shuffler import Shuffler
from tests.games.replaying import as_action, lines, replayed

REPLAYS = {"nines-profiles": 220, "nines-options": 260, "nines-mixes": 80, "nines-rare": 131, "forfeits": 205}
"""Files of replays, and how many of Nines each has at least."""

DECISIONS = [row for row in lines("decisions") if row["game"] == "nines"]
SEQUENCES = [row for row in lines("sequences") if row["game"] == "nines"]


def in_order(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rounds with their last hands sorted: those stand in any order."""
    for played in rounds:
        played["end"]["hands"] = {seat: sorted(hand) for seat, hand in played["end"]["hands"].items()}
    return rounds


@pytest.mark.parametrize("name", REPLAYS)
def test_replays(name: str) -> None:
    documents = [document for document in lines(name) if document["game"] == "nines"]
    assert len(documents) >= REPLAYS[name]
    for document in documents:
        played = replayed(document).document()
        assert played.keys() == document.keys() & {"first_dealer", "cuts", "rounds", "result", "faults"}
        for field, value in played.items():
            expected = document[field]
            if field == "rounds":
                value, expected = in_order(value), in_order(expected)
            assert value == expected, (document["match_id"], field)


def test_there_are_vectors() -> None:
    assert len(DECISIONS) > 300
    assert len(SEQUENCES) > 50


@pytest.mark.parametrize("row", DECISIONS, ids=range(len(DECISIONS)))
def test_decision(row: dict[str, Any]) -> None:
    state = from_position(row["rules"], {**row["state"], "seat": row["seat"]}, Shuffler(bytes(32)))
    if row.get("forced") or len(row["legal"]) == 1:  # nobody is asked: it has happened
        event = next(event for event in state.events() if event["do"] != "reshuffle")
        assert event["seat"] == row["seat"]
        assert [{name: event[name] for name in row["legal"][0]}] == row["legal"]
    else:
        assert state.turn == row["seat"]
        assert [action.to_json() for action in state.legal()] == row["legal"]


@pytest.mark.parametrize("row", SEQUENCES, ids=[row["name"] for row in SEQUENCES])
def test_sequence(row: dict[str, Any]) -> None:
    kind, number = row["label"].split("/")
    shuffler = Shuffler(bytes.fromhex(row["seed"]))
    state = from_position(row["rules"], {**row["state"], "seat": row["seat"]}, shuffler, kind=kind, number=int(number))
    while state.turn is not None and state.event_count() < len(row["events"]):
        choice = row["events"][state.event_count()]
        assert as_action(choice) in [as_action(action) for action in row["actions"]]
        state.apply(as_action(choice))
    recorded, beyond = state.events()[: len(row["events"])], state.events()[len(row["events"]) :]
    assert recorded == row["events"]
    if row["next"] is not None and len(row["next"]["legal"]) == 1:  # nobody is asked, so it has happened
        assert beyond[0] == {"seat": row["next"]["seat"], **row["next"]["legal"][0]}
    elif row["next"] is not None:
        assert not beyond
        assert (state.turn, state.phase) == (row["next"]["seat"], row["next"]["phase"])
        assert [action.to_json() for action in state.legal()] == row["next"]["legal"]
    if row["end"] is not None:
        assert state.end is not None
        penalties = {str(seat): penalty for seat, penalty in state.end.penalties.items()}
        assert {"reason": state.end.reason, "by": state.end.by, "penalties": penalties} == row["end"]
