"""What botkit reads of a Turn: the same whichever way it is written, and each view its own however late it is read."""

from __future__ import annotations

import copy
import pickle
from random import Random

import pytest
from botkit import wire
from botkit.views import NinesView, NineView

from protos.ninefold.v1 import games_pb2, table_pb2
from referee.match.seat import Turn
from referee.service.table_codec import Encoder
from tests.botkit.local_seats import view_of
from tests.botkit.table_talk import decisions

GAMES = [("nines", 2), ("nines", 5), ("nine", 4)]


def turns(game: str, players: int, seed: int = 1):
    """(what the referee sends, the referee's view) at the decisions of some rounds, with new rounds marked by None."""
    encoder, known, playing = Encoder(game), [0] * players, None
    for number, match in enumerate(decisions(game, {}, players, seed), start=1):
        if match.round is not playing:
            playing, known = match.round, [0] * players
            yield None
        seat = match.turn
        events = playing.visible(seat, known[seat])
        known[seat] = playing.event_count()
        if seat == 0:
            turn = Turn(match.view(0), match.legal(), events, 1234.5, 0.25)
            yield encoder.turn(number, turn, 10_000, 100, "cpu"), turn


def new_round(decoder: wire.Decoder) -> None:
    decoder.round_start(table_pb2.RoundStart(upcard="AC"))


def same(one: wire.Turn, other: wire.Turn) -> bool:
    clocks = [table_pb2.Clock.FromString(turn.clock) for turn in (one, other)]
    return one._replace(clock=b"") == other._replace(clock=b"") and clocks[0] == clocks[1]


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_turn_is_read_in_place_as_protobuf_would_read_it(game, players):
    quick, slow = wire.Decoder(game), wire.Decoder(game)
    slow_turn, read = slow._parsed, 0
    quick._parsed = lambda data: pytest.fail("the referee's own Turn is not read in place")
    for sent in turns(game, players):
        if sent is None:
            new_round(quick)
            new_round(slow)
            continue
        data, asked = sent
        found, expected = quick.turn(data), slow_turn(data)
        assert same(found, expected)
        assert found.view == view_of(game, asked.view)
        assert [str(action) for action in found.legal] == [str(action) for action in asked.legal]
        assert wire.left_ms(found.clock) == 1234.5
        read += 1
    assert read >= 10


def test_fields_may_come_in_any_order_and_unknown_ones_are_passed_over():
    data = next(sent[0] for sent in turns("nines", 3) if sent)
    turn = table_pb2.ToBot.FromString(data).turn
    one_by_one = [table_pb2.Turn(clock=turn.clock), *(table_pb2.Turn(legal=[action]) for action in turn.legal)]
    one_by_one += [table_pb2.Turn(view=turn.view), table_pb2.Turn(decision=turn.decision)]
    one_by_one += [table_pb2.Turn(events=[event]) for event in turn.events]
    body = b"".join(part.SerializeToString() for part in one_by_one)
    expected = wire.Decoder("nines").turn(data)
    for more in (b"", b"\xfa\x01\x02hi", b"\x38\x96\x01"):  # nothing; field 31, text; field 7, a number
        message = b"\x22" + wire._written(len(body + more)) + body + more
        assert same(wire.Decoder("nines").turn(message), expected)
    split = table_pb2.ToBot(turn=table_pb2.Turn(view=turn.view)).SerializeToString() + data  # fields of one are merged
    assert wire.Decoder("nines").turn(split).legal == expected.legal


@pytest.mark.parametrize("cut", [1, 2, 7, 40])
def test_a_turn_cut_short_is_an_error(cut):
    data = next(sent[0] for sent in turns("nines", 3) if sent)
    with pytest.raises(Exception, match="parsing|decode|Decode"):
        wire.Decoder("nines").turn(data[:-cut])


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_view_that_is_kept_and_read_late_is_still_its_own(game, players):
    decoder, kept = wire.Decoder(game), []
    for sent in turns(game, players, seed=2):
        if sent is None:
            new_round(decoder)
        else:
            kept.append((decoder.turn(sent[0]).view, view_of(game, sent[1].view)))
    Random(3).shuffle(kept)
    for view, expected in kept:
        assert view == expected
        assert view.to_json() == expected.to_json()


def test_a_view_is_copied_pickled_and_shown_whole():
    data = next(sent[0] for sent in turns("nines", 2) if sent)
    view = wire.Decoder("nines").turn(data).view
    assert isinstance(view, NinesView)
    for twin in (copy.copy(view), copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
        assert twin == view
        assert hash(twin) == hash(view)
    assert repr(view).startswith("NinesView(seat=0, hand=(")
    with pytest.raises(AttributeError, match="no 'hands'; it has seat, hand, upcard"):
        view.hands  # noqa: B018


def test_a_view_of_no_known_game_says_what_to_do():
    data = table_pb2.ToBot(turn=table_pb2.Turn(decision=1)).SerializeToString()
    with pytest.raises(ValueError, match="update botkit"):
        wire.Decoder("nines").turn(data)


@pytest.mark.parametrize("decision", [1, 127, 128, 300, 2**31])
@pytest.mark.parametrize("index", [0, 5, 127, 128, 4000])
def test_a_choice_is_written_as_protobuf_writes_it(decision, index):
    choice = table_pb2.Choice(decision=decision, index=index)
    assert wire.choose(decision, index) == table_pb2.FromBot(choice=choice).SerializeToString()


def test_penalties_of_a_match_by_other_rules_are_not_those_known_from_the_last():
    action = games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=["9S"], suit="H")).SerializeToString()
    assert wire.Decoder("nines")._action(action).penalty_shed == 15
    assert wire.Decoder("nines", hard_nines=True)._action(action).penalty_shed == 25


def test_both_games_have_a_view_class():
    assert set(wire._VIEWS.values()) == {NinesView, NineView}
