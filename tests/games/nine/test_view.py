"""K6: what a seat may see, field by field, and the same in messages."""

from __future__ import annotations

import pytest

from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.match import Match
from referee.games.nine import GAME, wire
from referee.games.nine.view import Discarded, Taken, View
from tests.games.nine.positions import at, play


def test_k6_view_after_a_few_turns() -> None:
    state = play(at("KC QC", "5D 6D", totals=[10, 20]), "draw_pile", "discard 4C", "take_discard", "discard 5D")
    assert state.view(0) == View(
        seat=0,
        hand=("QC", "KC"),
        top="5D",
        discards=(Discarded("7H", None), Discarded("4C", 0), Discarded("5D", 1)),
        taken=(Taken(1, "4C"),),
        hand_sizes=(2, 2),
        draw_pile_size=2,
        dealer=1,
        scores=(10, 20),
        round=1,
        go_around=3,
        turns_taken=(2, 2),
        teams=0,
        phase="draw",
        drawn="",
        reshuffles=0,
        forfeited=(),
    )
    assert state.view(1).hand == ("4C", "6D")


def test_k6_what_others_draw_is_not_told() -> None:
    state = play(at("KC QC", "5D 6D"), "draw_pile")
    assert state.visible(0) == [{"seat": 0, "do": "draw_pile", "card": "4C"}]
    assert state.visible(1) == [{"seat": 0, "do": "draw_pile"}]
    assert state.view(1).drawn == ""
    assert state.view(0).drawn == "4C"
    assert state.visible(1, start=1) == []


def test_k6_a_new_pile_is_told_by_its_size() -> None:
    state = play(at("KC QC", "5D 6D", pile="", discards="2H 3H 4H 7H"), "draw_pile")
    assert state.visible(1)[0] == {"seat": 0, "do": "reshuffle", "count": 3}
    assert state.visible(0)[0] == {"seat": 0, "do": "reshuffle", "count": 3}


def test_k6_partners_see_no_more_than_others() -> None:
    state = at("9C", "AD", "AH", "TC", teams=2)
    view = state.view(2)
    assert view.hand == ("AH",)
    assert view.teams == 2
    assert "9C" not in str(view)


def test_view_has_the_fields_of_the_message() -> None:
    names = [field.name for field in games_pb2.NineView.DESCRIPTOR.fields]
    assert list(View._fields) == names
    assert list(at("KC", "5D").view(0).to_json()) == names


def test_k6_messages_say_what_views_say() -> None:
    import random

    rng = random.Random(4)
    match = Match(GAME, GAME.complete({"teams": 2}, 4), 4, bytes(32))
    for _ in range(60):
        assert match.round is not None
        assert match.turn is not None
        view = match.view(match.turn)
        message = games_pb2.View.FromString(wire.encode_view(view)).nine
        for name in View._fields:
            mine, sent = getattr(view, name), getattr(message, name)
            if name == "discards":
                sent = tuple(Discarded(item.card, item.seat if item.HasField("seat") else None) for item in sent)
            elif name == "taken":
                sent = tuple(Taken(item.seat, item.card) for item in sent)
            assert (tuple(sent) if isinstance(mine, tuple) else sent) == mine, name
        for action in match.legal():
            assert wire.decode_action(wire.encode_action(action)) == action
        match.choose(rng.choice(match.legal()))


EVENTS = [
    ({"seat": 1, "do": "draw_pile"}, [], 0, 0),
    ({"seat": 1, "do": "draw_pile", "card": "5D"}, ["5D"], 0, 0),
    ({"seat": 1, "do": "take_discard", "card": "5D"}, ["5D"], 0, 0),
    ({"seat": 0, "do": "discard", "cards": ["5C", "5D"]}, ["5C", "5D"], 0, 0),
    ({"seat": 2, "do": "call", "total": 7}, [], 7, 0),
    ({"seat": 2, "do": "reshuffle", "count": 30}, [], 0, 30),
]


@pytest.mark.parametrize(("event", "cards", "total", "count"), EVENTS)
def test_events_as_messages(event: dict[str, object], cards: list[str], total: int, count: int) -> None:
    message = wire.encode_event(event)
    assert message.seat == event["seat"]
    assert (message.nine.do, list(message.nine.cards)) == (event["do"], cards)
    assert (message.nine.total, message.nine.count) == (total, count)


MALFORMED = [
    ("another game", games_pb2.Action(nines=games_pb2.NinesAction(do="keep"))),
    ("no game", games_pb2.Action()),
    ("unknown verb", games_pb2.Action(nine=games_pb2.NineAction(do="fold"))),
    ("unknown card", games_pb2.Action(nine=games_pb2.NineAction(do="discard", cards=["1C"]))),
    ("no cards", games_pb2.Action(nine=games_pb2.NineAction(do="discard"))),
    ("too many cards", games_pb2.Action(nine=games_pb2.NineAction(do="discard", cards=["5C"] * 6))),
    ("needless cards", games_pb2.Action(nine=games_pb2.NineAction(do="call", cards=["5C"]))),
]


@pytest.mark.parametrize("message", [row[1] for row in MALFORMED], ids=[row[0] for row in MALFORMED])
def test_malformed_actions_are_no_actions(message: games_pb2.Action) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        wire.decode_action(message)


def test_well_formed_but_illegal_actions_are_for_the_rules_to_judge() -> None:
    message = games_pb2.Action(nine=games_pb2.NineAction(do="discard", cards=["5C", "5C"]))
    assert wire.decode_action(message) == Action("discard", ("5C", "5C"))
