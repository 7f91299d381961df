"""N8: what a seat may see, and that nothing else goes out on the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict

import referee.games.nines as nines
from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.nines import GAME, wire
from referee.games.nines.options import OPTIONS
from referee.games.nines.view import Discard, View
from tests.games.nines.positions import at, play


def test_n8_the_whole_view() -> None:
    hands = ("4H 9C KD", "8S 2S 6H", "KS QS KC")
    state = at(*hands, upcard="7H", stock="3S 4S", below="2D", turns=5, totals=[7, 0, 30])
    play(state, "9C=S", "8S")
    state.forfeited = frozenset({0})
    assert state.view(2) == View(
        seat=2, hand=("KC", "QS", "KS"), upcard="8S", active_suit="S",
        discards=(Discard("2D"), Discard("7H"), Discard("9C", 0, "S"), Discard("8S", 1)),
        hand_sizes=(2, 2, 3), stock_size=2, direction=1, dealer=2, scores=(7, 0, 30), round=1, playoff=False,
        players=(0, 1, 2), phase="turn", drawn="", turns=7, reshuffles=0, forfeited=(0,),
    )  # fmt: skip


def test_n8_a_view_in_the_middle_of_play() -> None:
    state = at("4H 9C KD", "8S 2C 6H", upcard="7H", stock="3S 4S", below="2D", turns=5, totals=[7, 30])
    assert state.view(0) == View(
        seat=0, hand=("9C", "KD", "4H"), upcard="7H", active_suit="H", discards=(Discard("2D"), Discard("7H")),
        hand_sizes=(3, 3), stock_size=2, direction=1, dealer=1, scores=(7, 30), round=1, playoff=False, players=(0, 1),
        phase="turn", drawn="", turns=5, reshuffles=0, forfeited=(),
    )  # fmt: skip
    play(state, "9C=C")
    assert state.view(0).discards == (Discard("2D"), Discard("7H"), Discard("9C", 0, "C"), Discard("2C", 1))


def test_n8_the_history_outlives_a_reshuffle() -> None:
    state = play(at("9S KC", "KD QH", "KC 2C 3C", below="2D 3D"), "9S=C")
    assert state.reshuffles == 1
    shown = [discard.card for discard in state.view(2).discards]
    assert shown[:4] == ["2D", "3D", "7H", "9S"]


TOLD = [  # why, seat that reads, what it reads of: 0 plays 4H, 1 draws 3S and a legal 5H keeps it
    ("the one who drew", 1, [{"seat": 1, "do": "draw", "cards": ["5H"], "count": 1}]),
    ("another", 0, [{"seat": 1, "do": "draw", "count": 1}]),
]


@pytest.mark.parametrize(("seat", "told"), [row[1:] for row in TOLD], ids=[row[0] for row in TOLD])
def test_n8_draws_are_told_by_their_number(seat: int, told: list[dict[str, object]]) -> None:
    state = play(at("4H 2H KC", "KD QS", "6H 7H", stock="3S 5H"), "4H", "keep")
    assert state.visible(seat)[1:2] == told
    assert [event["do"] for event in state.events()] == ["play", "draw", "keep"]
    assert [event["do"] for event in state.visible(seat)] == ["play", "draw"]  # that it was kept is told to nobody
    assert state.visible(seat, 2) == []


def test_n8_keeping_a_legal_card_looks_like_drawing_another() -> None:
    kept = play(at("4H 2H KC", "KD QS", "6H 7H", stock="3S 5H"), "4H", "keep")
    could_not = play(at("4H 2H KC", "KD QS", "6H 7H", stock="5H 3S"), "4H")
    for seat in (0, 2):
        assert kept.visible(seat) == could_not.visible(seat)
        assert kept.view(seat) == could_not.view(seat)


def test_n8_accepting_looks_like_not_being_able_to_answer() -> None:
    def start(hand: str):
        return play(at("9C 9D 4S", hand, "2S 3S", decks=2, stacking_nines=True), "9C+9D=S")

    accepted, could_not = play(start("9H 2D"), "accept"), start("3C 2D")
    for seat in (0, 2):
        assert accepted.visible(seat) == could_not.visible(seat)
        assert accepted.view(seat) == could_not.view(seat)


def test_n8_while_another_may_choose_its_phase_is_its_own() -> None:
    state = play(at("4H 2H KC", "KD QS", "6H 7H", stock="3S 5H"), "4H")
    assert (state.view(1).phase, state.view(1).drawn) == ("drawn", "5H")
    assert (state.view(0).phase, state.view(0).drawn) == ("", "")


def test_n8_a_forced_draw_and_a_reshuffle_are_told_by_their_number() -> None:
    state = play(at("AH TH KC", "5H 6H KD", "8H 6H KS", stock="4S", below="2D", powers=True), "AH")
    mine, others = state.visible(1), state.visible(0)
    assert [event.get("count") for event in others] == [None, 1, 2, 1]
    assert others[2] == {"seat": 1, "do": "reshuffle", "count": 2} == mine[2]
    assert [event.get("cards") for event in others[1:]] == [None, None, None]
    assert mine[1]["cards"] == ["4S"]


def test_n8_the_named_upcard() -> None:
    state = at("KC 2C", "2D 3D", upcard="9H", suit=None, phase="name_suit", dealer=0)
    assert state.view(0).active_suit == ""
    play(state, "=D")
    assert state.view(1).discards == (Discard("9H", None, "D"),)
    assert state.visible(1) == [{"seat": 0, "do": "name_suit", "suit": "D"}]


def test_the_view_has_the_fields_of_the_message() -> None:
    fields = set(View._fields)
    assert fields == {field.name for field in games_pb2.NinesView.DESCRIPTOR.fields}
    state = play(at("4H 9C KD", "8S 2C 6H", stock="3S 4S"), "9C=C")
    view = state.view(0)
    message = MessageToDict(
        games_pb2.View.FromString(wire.encode_view(view)).nines,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )
    written = view.to_json()
    written["discards"] = [{k: v for k, v in row.items() if v is not None} for row in written["discards"]]
    assert message == written
    assert json.loads(json.dumps(view.to_json())) == view.to_json()


ACTIONS = [
    Action("play", ("7H",)), Action("play", ("9C",), "D"), Action("play", ("9C", "9D"), "S"), Action("keep"),
    Action("accept"), Action("name_suit", (), "H"),
]  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_actions_on_the_wire_and_back(action: Action) -> None:
    message = wire.encode_action(action)
    assert message is wire.encode_action(action)
    assert wire.decode_action(games_pb2.Action.FromString(message.SerializeToString())) == action


MALFORMED = [
    games_pb2.Action(),
    games_pb2.Action(nine=games_pb2.NineAction(do="call")),
    games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=["7H", "8H", "9H"])),
    games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=["x" * 1000])),
    games_pb2.Action(nines=games_pb2.NinesAction(do="x" * 1000)),
    games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=["9C"], suit="clubs")),
]


@pytest.mark.parametrize("message", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_actions(message: games_pb2.Action) -> None:
    with pytest.raises(ValueError, match="not an action of Nines"):
        wire.decode_action(message)


def test_events_on_the_wire() -> None:
    state = play(at("4H 2H KC", "KD QS", "6H 7H", stock="3S 5H"), "4H", "keep")
    play_event, draw_event = map(wire.encode_event, state.visible(0))
    assert (play_event.seat, play_event.nines.do, list(play_event.nines.cards)) == (0, "play", ["4H"])
    assert (draw_event.nines.do, list(draw_event.nines.cards), draw_event.nines.count) == ("draw", [], 1)


def test_the_page_has_the_option_table() -> None:
    page = Path(str(nines.__file__)).with_name("RULES.md")
    assert OPTIONS.table() in page.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page.read_text(encoding="utf-8") for name in GAME.profiles)
