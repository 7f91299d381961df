"""Bots that go wrong, for real: verdict, cause and what is left, alike as plain processes and in containers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from referee.match.fixture import Clock

BAD = """
import os, signal, sys, time
from botkit import Bot, run

class Bad(Bot):
    turns = 0

    def act(self, view, legal):
        self.turns += 1
        if self.turns == 3:
            {deed}
        return legal[0]

run(Bad())
"""
RAW = """
import os, sys, time
import grpc
from protos.ninefold.v1 import games_pb2 as g
from protos.ninefold.v1 import table_pb2 as t

address = "unix:" + os.environ["NINEFOLD_SOCKET"]
channel = grpc.insecure_channel(address)

def dial(channel=channel, play="/ninefold.v1.Table/Play"):
    import queue
    out = queue.SimpleQueue()
    call = channel.stream_stream(play, response_deserializer=t.ToBot.FromString)(iter(out.get, None), wait_for_ready=True)
    return out, call

def say(**message):
    out.put(t.FromBot(**message).SerializeToString())

out, call = dial()
say(hello=t.Hello(client="raw"))
for message in call:
    if message.WhichOneof("message") == "turn":
        turn = message.turn
        if turn.decision == 3:
            {deed}
            time.sleep(30)
        say(choice=t.Choice(decision=turn.decision, index=0))
    elif message.WhichOneof("message") == "goodbye":
        break
"""


def bad(deed: str) -> str:
    return BAD.replace("{deed}", deed)


def raw(deed: str) -> str:
    return RAW.replace("{deed}", deed.replace("\n", "\n            "))


# why, the bot, cause, public detail (None: not compared), in its own log
VERDICTS: list[tuple[str, str, str, str | None, str]] = [
    ("crash at import", "\nraise RuntimeError('no deck')\n", "start", "exited with code 1 before it was ready", "no deck"),
    ("exit at import", "\nimport sys\nsys.exit(0)\n", "start", "exited with code 0 before it was ready", ""),
    ("an exception", bad("raise KeyError('my own fault')"), "crash", "exited with code 1", "my own fault"),
    ("exit with 0", bad("os._exit(0)"), "exit", "exited with code 0", ""),
    ("exit with 7", bad("os._exit(7)"), "crash", "exited with code 7", ""),
    ("sys.exit", bad("sys.exit(0)"), "exit", "exited with code 0", ""),
    ("an index beyond the list", bad("return 999"), "illegal", "S7", "not legal"),
    ("no action", bad("return None"), "crash", "exited with code 1", "None"),
    ("a decision id never issued", raw("say(choice=t.Choice(decision=77, index=0))"), "protocol", "a decision id never issued", ""),
    ("an answer in advance", raw("say(choice=t.Choice(decision=4, index=0))"), "protocol", "a decision id never issued", ""),
    ("a second Hello", raw("say(hello=t.Hello(client='again'))"), "protocol", "a second Hello", ""),
    ("neither Hello nor Choice", raw("out.put(b'')"), "malformed", "a message that is neither Hello nor Choice", ""),
    ("noise", raw("out.put(bytes(range(250, 256)) * 9)"), "malformed", "bytes that are no message of the protocol", ""),
    ("an answer without an answer", raw("say(choice=t.Choice(decision=3))"), "malformed", "an answer that is no action", ""),
    ("an action of no game", raw("say(choice=t.Choice(decision=3, action=g.Action()))"), "malformed", "an answer that is no action", ""),
    (
        "a message over the limit",
        raw("say(choice=t.Choice(decision=3, index=0, note='x' * 66_000))"),
        "protocol",
        "a message over 65536 bytes",
        "",
    ),
    ("an enormous message", raw("out.put(bytes(50_000_000))"), "protocol", "broke off its stream, or sent a message over 65536 bytes", ""),
    ("a second stream", raw("kept = dial(); kept[0].put(b'')"), "protocol", "a second stream", ""),
    (
        "a second connection",
        raw("kept = dial(grpc.insecure_channel(address, options=[('grpc.use_local_subchannel_pool', 1)])); kept[0].put(b'')"),
        "protocol",
        "a second stream",
        "",
    ),
    ("closing the stream", raw("call.cancel()"), "protocol", "broke off its stream, or sent a message over 65536 bytes", ""),
    (
        "old answers without end",
        raw("for n in range(100_000): say(choice=t.Choice(decision=2, index=0))"),
        "protocol",
        "more than 100 answers to decisions already answered",
        "",
    ),
]


@pytest.mark.parametrize(("code", "cause", "detail", "logged"), [v[1:] for v in VERDICTS], ids=[v[0] for v in VERDICTS])
def test_verdicts(house: Any, code: str, cause: str, detail: str | None, logged: str) -> None:
    played = house.play("random", code)
    fault = played.fault()
    assert (fault["seat"], fault["kind"]) == (1, cause)
    if detail is not None:
        assert fault["detail"] == detail
    assert logged in played.log(1)
    assert played.matches[0].seats[0].points == 1
    assert played.matches[0].seats[1].points == 0
    if cause == "start":
        assert played.replays[0]["rounds"] == []


def test_a_hundred_old_answers_are_forgiven(house: Any) -> None:
    deed = "for n in range(100): say(choice=t.Choice(decision=2, index=0))\nsay(choice=t.Choice(decision=3, index=0))\ncontinue"
    played = house.play("random", raw(deed))
    assert played.replays[0]["faults"] == []


# ---------------------------------------------------------------- clocks

SHORT = Clock(300, 10)
SLOW = [
    ("asleep", bad("time.sleep(60)")),
    ("an endless loop", bad("while True: pass")),
    ("stopped", bad("os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)")),
    ("deaf to signals", bad("[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 13, 14, 15)]; time.sleep(60)")),
]


@pytest.mark.parametrize("code", [s[1] for s in SLOW], ids=[s[0] for s in SLOW])
def test_a_bot_that_does_not_answer_runs_out_of_time(house: Any, code: str) -> None:
    played = house.play("random", code, clock=SHORT)
    fault = played.fault()
    assert (fault["seat"], fault["kind"]) == (1, "timeout")
    assert fault["ms"] >= fault["limit_ms"] > 0
    assert played.matches[0].seats[0].points == 1


WHERE = [
    ("asleep", bad("time.sleep(60)")),
    ("an endless loop", bad("while True: pass")),
    ("within a C function", bad("sum(range(10**11))")),
]


@pytest.mark.parametrize("code", [w[1] for w in WHERE], ids=[w[0] for w in WHERE])
def test_a_bot_whose_time_is_up_tells_its_owner_where_it_was(house: Any, code: str) -> None:
    played = house.play("random", code, clock=SHORT)
    assert played.fault()["kind"] == "timeout"
    assert 'bot.py", line 11 in act' in played.log(1)
    assert played.log(0) == ""
    assert "bot.py" not in str(played.replays), "only its owner is told"


TOLD = [
    ("dies of it", bad("signal.signal(signal.SIGUSR1, signal.SIG_DFL); time.sleep(60)"), ""),
    ("is deaf to it", bad("signal.signal(signal.SIGUSR1, signal.SIG_IGN); time.sleep(60)"), ""),
    (
        "uses it itself",
        bad("time.sleep(60)").replace("run(", "signal.signal(signal.SIGUSR1, lambda *a: print('mine'))\nrun("),
        "mine\n",
    ),
]


@pytest.mark.parametrize(("code", "log"), [t[1:] for t in TOLD], ids=[t[0] for t in TOLD])
def test_asking_where_a_bot_is_changes_no_verdict(house: Any, code: str, log: str) -> None:
    played = house.play("random", code, clock=SHORT, matches=2)
    assert [(played.fault(m)["seat"], played.fault(m)["kind"]) for m in range(2)] == [(1, "timeout")] * 2
    assert "line 11 in act" not in played.log(1)
    assert played.log(1).startswith(log)


def test_the_sentence_of_a_timeout_has_the_time_used_and_the_time_left(plain: Any) -> None:
    fault = plain.play("random", bad("while True: pass"), clock=SHORT).fault()
    used, left = map(int, re.findall(r"\d+", fault["detail"]))
    assert fault["detail"] == f"processor time used up: {used} ms used of {left} ms that were left"
    assert used > left
    assert (used, left) == (round(fault["cpu_ms"]), round(fault["limit_ms"]))


def test_a_bot_that_never_connects_has_not_started(house: Any) -> None:
    house.limits = {"start_seconds": 1.0}
    played = house.play("random", "\nimport time\ntime.sleep(60)\n")
    fault = played.fault()
    assert (fault["seat"], fault["kind"]) == (1, "start")
    assert fault["detail"].startswith("not ready within 1 s")
    assert fault["ms"] >= fault["limit_ms"] == 1000


def test_two_that_never_connect_both_forfeit(house: Any) -> None:
    house.limits = {"start_seconds": 1.0}
    played = house.play(*["\nimport time\ntime.sleep(60)\n"] * 2)
    assert [f["kind"] for f in played.replays[0]["faults"]] == ["start", "start"]
    assert played.replays[0]["result"]["places"] == [1, 1]
    assert [s.points for s in played.matches[0].seats] == [0, 0]


# ---------------------------------------------------------------- a sitting


def test_a_forfeited_seat_sits_down_anew_for_the_next_match(house: Any) -> None:
    code = bad("print('pid', os.getpid(), time.time(), flush=True); os._exit(0)")
    played = house.play("random", code, matches=3)
    assert [played.fault(m)["kind"] for m in range(3)] == ["exit"] * 3
    logs = [played.log(1, m) for m in range(3)]
    assert all(log.count("pid") == 1 for log in logs)
    assert len(set(logs)) == 3


def test_a_bot_remembers_within_a_fixture(house: Any) -> None:
    code = bad("print('turn', self.turns, 'match', self.match, flush=True)").replace("turns == 3", "turns % 20 == 0")
    played = house.play("random", code, matches=2)
    assert "turn 20 match 1" in played.log(1, 0)
    assert "match 2" in played.log(1, 1)
    assert "turn 20 " not in played.log(1, 1)


def test_a_bot_that_leaves_between_matches_has_lost_the_next(house: Any) -> None:
    code = bad("pass").replace("    def act", "    def match_end(self, end):\n        os._exit(0)\n\n    def act")
    played = house.play("random", code, matches=3)
    assert [m.seats[1].cause for m in played.matches] == ["completed", "exit", "completed"]


def test_printing_anything_disturbs_nothing(house: Any) -> None:
    deed = "sys.stdout.buffer.write(b'\\xff\\xfe\\x00' * 10); sys.stdout.flush(); print('\\udc80', 'last words', file=sys.stderr)"
    played = house.play("random", bad(deed))
    assert played.replays[0]["faults"] == []
    assert b"\xff\xfe\x00" in played.matches[0].seats[1].log
    assert "last words" in played.log(1)


@pytest.mark.docker
@pytest.mark.parametrize(
    "deed",
    [
        "hoard = bytearray(1_000_000_000)",
        "import subprocess; subprocess.run([sys.executable, '-c', 'bytearray(10**9)']); time.sleep(5)",
    ],
    ids=["itself", "a child"],
)
def test_out_of_memory(cage: Any, deed: str) -> None:
    played = cage.play("random", bad(deed))
    fault = played.fault()
    assert (fault["seat"], fault["kind"], fault["detail"]) == (1, "memory", "over 256 MiB")
