"""Programs in any language: one JSON line a message, whatever else they print."""

from __future__ import annotations

import ast
import base64
import json
import sys

import pytest

from protos.ninefold.v1 import table_pb2
from tests.botkit.fake_table import NINES_LEGAL, SEED, Seat, nines_start, nines_view, play

LAUNCHER = [sys.executable, "-m", "botkit.stdio"]


def program(tmp_path, body: str) -> list[str]:
    """A launcher command for a program that reads `message` by `message`; `body` is indented once."""
    path = tmp_path / "program"
    lines = "\n".join("    " + line for line in body.splitlines())
    path.write_text(
        f"#!{sys.executable} -u\nimport json, os, sys, time\nfor line in sys.stdin:\n    message = json.loads(line)\n{lines}\n"
    )
    path.chmod(0o755)
    return [*LAUNCHER, str(path)]


def asks(answers: list, times: int = 1):
    async def script(seat: Seat) -> None:
        await nines_start(seat)
        for _ in range(times):
            answers.append(await seat.ask(nines_view(), NINES_LEGAL))
        await seat.send(match_end=table_pb2.MatchEnd(places=[1, 2], totals=[0, 100]))
        await seat.goodbye()

    return script


def test_messages_are_the_json_mapping_with_original_names(tmp_path):
    answers = []
    played = play(
        asks(answers),
        program(
            tmp_path,
            "print(line.strip(), file=sys.stderr)\nif 'turn' in message: print(json.dumps({'index': 4, 'note': 'hm'}))",
        ),
        tmp_path,
    )
    assert played.code == 0, played.err
    sent = [json.loads(line) for line in played.err.splitlines()]
    assert [next(iter(m)) for m in sent] == ["welcome", "match_start", "round_start", "turn", "match_end", "goodbye"]
    assert base64.b64decode(sent[1]["match_start"]["bot_seed"]) == SEED
    turn = sent[3]["turn"]
    assert turn["decision"] == 1
    assert turn["legal"][1] == {"nines": {"do": "play", "cards": ["9S"], "suit": "C"}}
    assert turn["view"]["nines"]["hand_sizes"] == [3, 3]
    assert turn["view"]["nines"]["playoff"] is False  # written though it has no value
    assert turn["view"]["nines"]["discards"] == [{"card": "7H", "suit": ""}]  # optional seat: left out
    assert turn["clock"]["left_ms"] == 9000.0
    assert [(a.decision, a.index, a.note) for a in answers] == [(1, 4, "hm")]


def test_an_action_can_be_written_out(tmp_path):
    answers = []
    play(
        asks(answers),
        program(
            tmp_path, "if 'turn' in message: print(json.dumps({'decision': 1, 'action': message['turn']['legal'][2]}))"
        ),
        tmp_path,
    )
    assert answers[0].action == NINES_LEGAL[2]


def test_other_lines_on_stdout_are_log_and_told_once(tmp_path):
    answers = []
    noise = "if 'turn' in message: print('thinking'); print('[1, 2]'); print(); print('x' * 200000); print('{\"index\": 1}')"
    played = play(asks(answers, 2), program(tmp_path, noise), tmp_path)
    assert played.code == 0
    assert [a.index for a in answers] == [1, 1]
    assert played.err.count("thinking") == 2
    assert played.err.count("x" * 200000) == 2
    assert played.err.count("is no JSON object") == 1
    assert played.out == ""


NO_ANSWER = [
    ("unknown field", "{'indexes': 1}", "indexes"),
    ("wrong type", "{'index': 'one'}", "index"),
    ("yes for a number", "{'index': True}", "index"),
    ("nothing picked", "{}", "with nothing"),
    ("out of range", "{'index': -1}", "-1"),
]


@pytest.mark.parametrize(("answer", "said"), [n[1:] for n in NO_ANSWER], ids=[n[0] for n in NO_ANSWER])
def test_an_object_that_is_no_answer_is_told_and_left_to_the_referee(answer, said, tmp_path):
    answers = []
    played = play(asks(answers), program(tmp_path, f"if 'turn' in message: print(json.dumps({answer}))"), tmp_path)
    assert answers[0].decision == 1
    assert answers[0].WhichOneof("pick") is None
    assert answers[0].note == f"it wrote {json.dumps(ast.literal_eval(answer))}"
    assert said in played.err
    assert "decision 1" in played.err


def test_an_answer_too_long_ends_the_bot(tmp_path):
    answers = []
    played = play(
        asks(answers),
        program(tmp_path, "if 'turn' in message: print(json.dumps({'note': 'x' * 100000, 'index': 0}))"),
        tmp_path,
    )
    assert played.code == 1
    assert answers == []
    assert "longer than 65536 bytes" in played.err


def test_an_answer_to_nothing_is_told(tmp_path):
    answers = []
    played = play(asks(answers), program(tmp_path, "print(json.dumps({'index': 0}))"), tmp_path)
    assert played.code == 0
    assert len(answers) == 1
    assert "without being asked" in played.err


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", 137), ("1 / 0", 1)])
def test_the_launcher_ends_with_the_programs_exit_code(ending, code, tmp_path):
    answers = []
    played = play(asks(answers), program(tmp_path, f"if 'turn' in message: {ending}"), tmp_path)
    assert played.code == code
    assert answers == []
    assert f"exit code {code}" in played.err
    if code == 1:
        assert "ZeroDivisionError" in played.err


def test_a_program_that_stays_after_goodbye_is_ended(tmp_path):
    answers = []
    played = play(
        asks(answers),
        program(tmp_path, "if 'turn' in message: print('{\"index\": 0}')\nif 'goodbye' in message: time.sleep(600)"),
        tmp_path,
    )
    assert played.code == 0
    assert len(answers) == 1


def test_the_program_ends_when_the_table_goes_away(tmp_path):
    async def script(seat: Seat) -> None:
        await nines_start(seat)

    played = play(script, program(tmp_path, "pass"), tmp_path)
    assert played.code == 1
    assert "the table is gone" in played.err


UNSTARTABLE = [
    ("missing", None, 0o755, "does not exist"),
    ("not executable", "#!/bin/sh\n", 0o644, "chmod +x"),
    ("no program", "hello\n", 0o755, "cannot be executed"),
]


@pytest.mark.parametrize(("text", "mode", "said"), [u[1:] for u in UNSTARTABLE], ids=[u[0] for u in UNSTARTABLE])
def test_a_program_that_cannot_be_started(text, mode, said, tmp_path):
    path = tmp_path / "program"
    if text is not None:
        path.write_text(text)
        path.chmod(mode)
    played = play(asks([]), [*LAUNCHER, str(path)], tmp_path)
    assert played.code == 1
    assert said in played.err
    assert str(path) in played.err
