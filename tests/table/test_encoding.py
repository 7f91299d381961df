"""What is joined from kept parts is what protobuf would have written."""

from __future__ import annotations

import pytest

from protos.ninefold.v1 import games_pb2, table_pb2
from referee.games.framing import varint
from referee.match.seat import RoundEnd
from referee.service.table_codec import Encoder

PLAYED = {"seat": 1, "do": "play", "cards": ["9S"], "suit": "H"}
DRAWN = {"seat": 0, "do": "draw", "cards": ["AC"], "count": 1}
ENDS = (
    RoundEnd("out", 1, (("KD", "2C"), ()), (12, 0), (112, 40), [PLAYED]),
    RoundEnd("out", 1, (("KD", "2C"), ()), (12, 0), (112, 40), [DRAWN, PLAYED]),  # the other seat, told more
    RoundEnd("deadlock", None, (("KD",), ("2C",)), (10, 2), (122, 42), []),
    RoundEnd("forfeit", None, ((), ()), (0, 0), (0, 0), [{"seat": 1, "do": "forfeit"}]),
)


def by_protobuf(end: RoundEnd) -> table_pb2.RoundEnd:
    message = table_pb2.RoundEnd(reason=end.reason, penalties=end.penalties, totals=end.totals)
    if end.by is not None:
        message.by = end.by
    for hand in end.hands:
        message.hands.add(cards=hand)
    for event in end.events:
        told = message.events.add(seat=event["seat"])
        if event["do"] == "forfeit":
            told.forfeit.CopyFrom(games_pb2.Forfeit())
        else:
            told.nines.CopyFrom(games_pb2.NinesEvent(**{name: event[name] for name in event if name != "seat"}))
    return message


def test_each_seat_is_told_its_own_end_of_a_round():
    encoder = Encoder("nines")
    for end in (*ENDS, *reversed(ENDS)):
        assert table_pb2.ToBot.FromString(encoder.round_end(end)).round_end == by_protobuf(end)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 16383, 16384, 2**32 - 1])
def test_a_number_is_written_as_protobuf_writes_it(number):
    assert table_pb2.Turn(decision=number).SerializeToString()[1:] == (varint(number) if number else b"")
