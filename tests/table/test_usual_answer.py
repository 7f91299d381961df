"""The usual answer, an index in its shortest form, is known by its bytes: by exactly those that protobuf writes."""

from __future__ import annotations

import pytest

from protos.ninefold.v1 import table_pb2
from referee.service import table_codec as codec


@pytest.mark.parametrize("decision", [1, 2, 127, 128, 16_383, 16_384, 2**31])
@pytest.mark.parametrize("index", [0, 1, 127])
def test_the_bytes_are_those_of_a_choice_of_that_index(decision, index):
    choice = table_pb2.Choice(decision=decision, index=index)
    assert codec.indexed(decision) + bytes([index]) == table_pb2.FromBot(choice=choice).SerializeToString()


@pytest.mark.parametrize(
    "other",
    [
        table_pb2.FromBot(choice=table_pb2.Choice(decision=6, index=1)),
        table_pb2.FromBot(choice=table_pb2.Choice(decision=5, index=1, note="x")),
        table_pb2.FromBot(choice=table_pb2.Choice(decision=5, index=300)),
        table_pb2.FromBot(choice=table_pb2.Choice(decision=5)),
        table_pb2.FromBot(hello=table_pb2.Hello(client="\x08\x05\x10\x01")),
        table_pb2.FromBot(),
    ],
)
def test_any_other_message_goes_the_long_way(other):
    data = other.SerializeToString()
    assert data[:-1] != codec.indexed(5) or data[-1] >= 0x80
