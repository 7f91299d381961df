"""A bot script at a table: what it is told, what it answers, and what its author reads when it goes wrong."""

from __future__ import annotations

import pytest

from protos.ninefold.v1 import games_pb2, table_pb2
from tests.botkit.fake_table import NINES_LEGAL, Seat, nines_deal, nines_start, nines_view, play

GREEDY = """
from botkit import Bot, run
class Greedy(Bot):
    def act(self, view, legal):
        return max(legal, key=lambda a: a.penalty_shed)
run(Greedy())
"""


def asks_once(answers: list[table_pb2.Choice], events=()):
    async def script(seat: Seat) -> None:
        await nines_start(seat)
        answers.append(await seat.ask(nines_view(), NINES_LEGAL, events))
        await seat.goodbye()

    return script


def test_the_bot_of_the_readme_answers_by_index_and_ends_at_goodbye(tmp_path):
    answers = []
    played = play(asks_once(answers), GREEDY, tmp_path)
    assert (played.code, played.out, played.err) == (0, "", "")
    assert [(a.decision, a.WhichOneof("pick"), a.index) for a in answers] == [(1, "index", 1)]  # a nine sheds 15, QH 10


HOOKS = """
from botkit import Bot, run
class Hooks(Bot):
    def match_start(self): print("match_start", self.game, self.seat, self.players, self.match, self.rules["decks"], self.rng.random())
    def round_start(self, start): print("round_start", start.round, " ".join(start.hand), start.upcard)
    def observe(self, event): print("observe", event.seat, event.do, event.count, *event.cards, "of", len(self.events))
    def round_end(self, end): print("round_end", end.reason, end.by, end.hands, end.penalties)
    def match_end(self, end): print("match_end", end.places)
    def act(self, view, legal):
        print("act", 8000 < self.time_left() <= 9000)
        self.note("one"); self.note(2)
        return legal[0]
run(Hooks())
"""


def test_hooks_are_called_in_order_with_what_the_table_said(tmp_path):
    import random

    draw = games_pb2.Event(seat=1, nines=games_pb2.NinesEvent(do="draw", count=1))
    play_ah = games_pb2.Event(seat=1, nines=games_pb2.NinesEvent(do="play", cards=["AH"]))
    notes = []

    async def script(seat: Seat) -> None:
        await nines_start(seat)
        notes.append((await seat.ask(nines_view(), NINES_LEGAL, [draw])).note)
        hands = [table_pb2.Hand(cards=["AC"]), table_pb2.Hand()]
        await seat.send(
            round_end=table_pb2.RoundEnd(
                reason="out", by=1, hands=hands, penalties=[1, 0], totals=[1, 0], events=[play_ah]
            )
        )
        await nines_deal(seat, 2)
        notes.append((await seat.ask(nines_view(round=2), NINES_LEGAL)).note)
        await seat.send(match_end=table_pb2.MatchEnd(places=[2, 1], totals=[1, 0]))
        await seat.goodbye()

    played = play(script, HOOKS, tmp_path)
    assert played.err == ""
    assert played.out.splitlines() == [
        f"match_start nines 0 2 1 1 {random.Random(bytes(range(32))).random()}",
        "round_start 1 9S AC QH 7H",
        "observe 1 draw 1 of 1",
        "act True",
        "observe 1 play 0 AH of 2",
        "round_end out 1 (('AC',), ()) (1, 0)",
        "round_start 2 9S AC QH 7H",
        "act True",
        "match_end (2, 1)",
    ]
    assert notes == ["one; 2", "one; 2"]


def test_a_match_does_not_inherit_random_numbers_from_the_one_before(tmp_path):
    indexes = []

    async def script(seat: Seat) -> None:
        await seat.welcome()
        for match in (1, 2):
            from tests.botkit.fake_table import NINES_RULES

            await seat.match_start("nines", NINES_RULES, match=match)
            await nines_deal(seat)
            indexes.append([(await seat.ask(nines_view(), NINES_LEGAL)).index for _ in range(8)])
            await seat.send(match_end=table_pb2.MatchEnd(places=[1, 1], totals=[0, 0]))
        await seat.goodbye()

    play(script, GREEDY.replace("max(legal, key=lambda a: a.penalty_shed)", "self.rng.choice(legal)"), tmp_path)
    assert indexes[0] == indexes[1]
    assert len(set(indexes[0])) > 1


def body(statement: str, setup: str = "") -> str:
    return f"from botkit import Action, Bot, run\n{setup}\nclass B(Bot):\n    def act(self, view, legal):\n        {statement}\nrun(B())\n"


LEGAL_TEXT = "[0] play QH, [1] play 9S naming C"
MISTAKES = [  # what, script, what its log must say, in order
    ("an exception in act", body("return legal[7]"), ['bot.py", line 5, in act', "IndexError", "decision 1", '"hand": ["AC", "QH", "9S"]', LEGAL_TEXT]),
    ("no return", body("max(legal, key=str)"), ["bot.py:4", "returned None", "missing", "decision 1", LEGAL_TEXT]),
    ("a card for an action", body("return view.hand[0]"), ["bot.py:4", "'AC' of type Card", "decision 1", LEGAL_TEXT]),
    ("a bool", body("return True"), ["bot.py:4", "True of type bool", LEGAL_TEXT]),
    ("a negative index", body("return -1"), ["bot.py:4", "-1", "decision 1", LEGAL_TEXT]),
    ("an action of numbers", body("return Action(1, (2,))"), ["bot.py:4", "of type Action", LEGAL_TEXT]),
    ("no act", "from botkit import Bot, run\nclass B(Bot):\n    pass\nrun(B())\n", ["bot.py:2", "B has no act", "act(self, view, legal)"]),
    ("too few parameters", body("return 0").replace("view, legal", "view"), ["bot.py:4", "act(view)", "write def act(self, view, legal)"]),
    ("async act", body("return 0").replace("def act", "async def act"), ["bot.py:4", "async", "write def act(self, view, legal)"]),
    ("not a Bot", "from botkit import run\nrun(3)\n", ["run() was given 3", "class MyBot(Bot)"]),
    ("an exception in a hook", body("return 0") .replace("run(B())", "") + "    def observe(self, event):\n        event.nothing\nrun(B())\n",
     ["bot.py\", line 8, in observe", "AttributeError", "Event has no 'nothing'; it has seat, do, cards", "round 1, in observe"]),
    ("a syntax error", "from botkit import Bot, run\nclass B(Bot:\n", ['bot.py", line 2', "SyntaxError"]),
    ("a missing import", "import numpie\n", ['bot.py", line 1', "No module named 'numpie'"]),
]  # fmt: skip


@pytest.mark.parametrize(("script", "said"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_ends_the_bot_with_its_own_file_and_line(script, said, tmp_path):
    draw = games_pb2.Event(seat=1, nines=games_pb2.NinesEvent(do="draw", count=1))
    answers = []
    played = play(asks_once(answers, [draw]), script, tmp_path)
    assert played.code == 1
    assert answers == []
    at = 0
    for text in said:
        assert text in played.err[at:], f"{text!r} is not in, or not in this order: {played.err}"
        at = played.err.index(text, at)
    assert "botkit/" not in played.err.replace("from botkit", "")  # no frame of ours
    assert "asyncio" not in played.err


def test_an_illegal_action_is_told_and_sent_for_the_referee_to_judge(tmp_path):
    answers = []
    played = play(asks_once(answers), body('return Action("play", ("AC",))'), tmp_path)
    assert answers[0].action.nines.cards == ["AC"]
    assert "bot.py:4: act returned play AC at decision 1, which is not legal" in played.err
    assert LEGAL_TEXT in played.err


def test_an_index_out_of_range_is_told_and_sent(tmp_path):
    answers = []
    played = play(asks_once(answers), body("return 99"), tmp_path)
    assert answers[0].index == 99
    assert "act returned 99 at decision 1, which is not legal" in played.err


def test_the_other_order_of_a_pair_is_sent_without_a_word(tmp_path):
    from tests.botkit.fake_table import nines_action

    answers = []

    async def script(seat: Seat) -> None:
        await nines_start(seat)
        answers.append(
            await seat.ask(
                nines_view(hand=["9S", "9D", "AC"]), [*NINES_LEGAL, nines_action("play", "9D", "9S", suit="C")]
            )
        )
        await seat.goodbye()

    played = play(script, body('return Action("play", ("9S", "9D"), "C")'), tmp_path)
    assert answers[0].action.nines.cards == ["9S", "9D"]
    assert played.err == ""


PRINTS = """
import sys
print("at import", "\\udc80", "日本")
from botkit import Bot, run
class B(Bot):
    def act(self, view, legal):
        sys.stdout.write("no newline \\udc80")
        print({"index": 4})
        print("to the other", file=sys.stderr)
        sys.stdout.buffer.write(bytes(range(256)))
        return 0
run(B)
"""


def test_printing_anything_is_only_log(tmp_path):
    answers = []
    script = PRINTS.replace(' "\\udc80", "日本"', "")
    path = tmp_path / "bot.py"
    path.write_bytes(
        script.replace("sys.stdout.buffer.write(bytes(range(256)))", 'sys.stdout.buffer.write(b"raw")').encode()
    )
    played = play(asks_once(answers), path, tmp_path, PYTHONIOENCODING="ascii")
    assert played.code == 0
    assert answers[0].index == 0
    assert "at import" in played.out
    assert "{'index': 4}" in played.out
    assert "raw" in played.out
    assert played.err == "to the other\n"


def test_windows_line_endings_play(tmp_path):
    answers = []
    path = tmp_path / "bot.py"
    path.write_bytes(GREEDY.replace("\n", "\r\n").encode())
    assert play(asks_once(answers), path, tmp_path).code == 0
    assert len(answers) == 1


def test_leaving_in_mid_match_keeps_the_bots_own_exit_code(tmp_path):
    played = play(asks_once([]), body("import sys; sys.exit(7)"), tmp_path)
    assert played.code == 7
    assert "left the table" in played.err


def test_a_thread_of_the_bot_does_not_hold_up_the_end_of_a_failed_one(tmp_path):
    setup = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()"
    assert play(asks_once([]), body("return 1 / 0", setup), tmp_path).code == 1


def test_without_a_table_the_author_is_told_how_to_get_one(tmp_path):
    played = play(asks_once([]), GREEDY, tmp_path, NINEFOLD_SOCKET="")
    assert played.code == 1
    assert "NINEFOLD_SOCKET is not set" in played.err
    assert "ninefold play" in played.err


def test_a_referee_that_goes_away_ends_the_bot(tmp_path):
    async def script(seat: Seat) -> None:
        await nines_start(seat)
        await seat.ask(nines_view(), NINES_LEGAL)

    played = play(script, GREEDY, tmp_path)
    assert played.code == 1
    assert "the table is gone" in played.err
