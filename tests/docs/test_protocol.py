"""The protocol guide: its bytes and its JSON are those that the code sends, and what it says of faults holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict

from protos.ninefold.v1 import table_pb2
from referee.match import clock, seat
from referee.match.fixture import BOT_CAUSES
from referee.sandbox.limits import Limits
from referee.service.table import MAX_QUEUED_BYTES
from tests.authors.conftest import Write, ninefold, write
from tests.docs.blocks import ROOT, block
from tests.docs.byte_example import framed, messages

GUIDE = "protos/README.md"
__all__ = ["write"]


def bytes_of(text: str) -> bytes:
    """A hex block without its remarks."""
    return bytes.fromhex("".join(re.sub(r"#.*", "", line) for line in text.splitlines()))


@pytest.mark.parametrize("name", ["hello", "turn", "choice"])
def test_the_bytes_are_what_is_sent(name: str) -> None:
    assert bytes_of(block(GUIDE, f"hex {name}")).hex(" ") == messages()[name].hex(" ")


def test_a_frame_is_as_grpc_writes_it() -> None:
    assert bytes_of(block(GUIDE, "hex choice-frame")) == framed(messages()["choice"])


def test_the_json_is_what_a_program_reads() -> None:
    turn = table_pb2.ToBot.FromString(messages()["turn"])
    written = MessageToDict(turn, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    assert json.loads(block(GUIDE, "json turn")) == written


def test_every_answer_of_the_guide_is_a_choice_of_that_decision() -> None:
    for line in block(GUIDE, "json choices").splitlines():
        choice = ParseDict({"decision": 7, **json.loads(line)}, table_pb2.Choice())
        assert choice.decision == 7
        assert choice.WhichOneof("pick")


def test_every_message_field_of_the_stream_and_every_cause_is_named() -> None:
    text = (ROOT / GUIDE).read_text()
    for message in (table_pb2.FromBot, table_pb2.ToBot):
        for field in message.DESCRIPTOR.fields:
            assert f"`{field.message_type.name}`" in text
    for cause in BOT_CAUSES:
        assert f"`{cause}`" in text


def test_the_numbers_are_those_of_the_code() -> None:
    text = " ".join((ROOT / GUIDE).read_text().split())
    assert f"a message over {seat.MAX_MESSAGE_BYTES:,} bytes" in text
    assert f"more than {seat.MAX_STALE_ANSWERS} answers in a match" in text
    assert f"`note` ({seat.NOTE_CHARACTERS} characters)" in text
    assert f"over {MAX_QUEUED_BYTES >> 20} MiB waiting" in text
    assert f"within {Limits().start_seconds:g} s" in text
    assert f"({clock.GRACE_MS:g} ms a match of grace)" in text
    assert (clock.IDLE_FACTOR, clock.IDLE_BASE_MS) == (3.0, 2000.0)


def test_decisions_are_counted_through_the_sitting(write: Write, tmp_path: Path) -> None:
    program = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(message["turn"]["decision"], file=sys.stderr, flush=True)
        print(json.dumps({"index": 0}), flush=True)
"""
    manifest = 'name = "counter"\ngames = ["nines"]\nruntime = "stdio"\nentry = "run-me"\n'
    bot = write("", manifest=manifest, **{"run-me": program})
    (bot / "run-me").chmod(0o755)
    rules = ("--rule", "match_end=rounds", "--rule", "rounds=1")
    assert ninefold("play", bot, "random", *rules, "--matches", "2", "--replays", tmp_path / "r").code == 0
    logs = [(tmp_path / "r" / f"{number:04d}-seat0-counter.log").read_text().split() for number in (1, 2)]
    assert all(logs)
    assert [int(number) for log in logs for number in log] == list(range(1, sum(map(len, logs)) + 1))
    proto = (ROOT / "protos/ninefold/v1/table.proto").read_text()
    assert re.search(r"uint32 decision = 1; +// counts what this bot was asked in this sitting", proto)
