"""The Node module at a table: what a bot in JavaScript is told, what it answers, and what its author reads."""

from __future__ import annotations

import subprocess

import pytest

from protos.ninefold.v1 import games_pb2, table_pb2
from tests.botkit.fake_table import (
    NINES_LEGAL,
    NINES_RULES,
    Seat,
    nines_action,
    nines_deal,
    nines_start,
    nines_view,
    play,
)
from tests.sample_bots.conftest import BOTKIT_NODE

DRAW = games_pb2.Event(seat=1, nines=games_pb2.NinesEvent(do="draw", count=1))


@pytest.fixture
def js(node, tmp_path):
    """Plays a script of the table against a bot's source."""
    modules = tmp_path / "node_modules"
    modules.mkdir()
    (modules / "ninefold").symlink_to(BOTKIT_NODE)

    def played(script, source):
        (tmp_path / "bot.js").write_text(source)
        return play(script, [node, str(tmp_path / "bot.js")], tmp_path)

    return played


def bot(body: str, more: str = "") -> str:
    return f'const {{ Bot, run }} = require("ninefold");\nclass B extends Bot {{\n{more}\nact(view, legal) {{\n{body}\n}}\n}}\nrun(new B());\n'


def asks_once(answers, events=(), view=None, legal=NINES_LEGAL):
    async def script(seat: Seat) -> None:
        await nines_start(seat)
        answers.append(await seat.ask(view or nines_view(), legal, events))
        await seat.goodbye()

    return script


def test_protos_json_is_current(node):
    subprocess.run([node, str(BOTKIT_NODE / "generate.js"), "--check"], check=True)


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (BOTKIT_NODE / "package-lock.json").read_text()


def test_hooks_are_called_in_order(js):
    hooks = """
matchStart() { console.log("matchStart", this.game, this.seat, this.players, this.match, this.rules.decks, this.random() < 1); }
roundStart(start) { console.log("roundStart", start.round, start.hand.join(" "), start.upcard); }
observe(event) { console.log("observe", event.seat, event.do, event.count, event.cards.join(" "), "of", this.events.length); }
roundEnd(end) { console.log("roundEnd", end.reason, end.by, JSON.stringify(end.hands), end.penalties.join(" ")); }
matchEnd(end) { console.log("matchEnd", end.places.join(" ")); }
"""
    body = "console.log('act', view.active_suit, view.discards[0].seat, this.timeLeft() > 8000 && this.timeLeft() <= 9000); this.note('one'); this.note(2); return legal.at(-1);"
    answers = []

    async def script(seat: Seat) -> None:
        await nines_start(seat)
        answers.append(await seat.ask(nines_view(), NINES_LEGAL, [DRAW]))
        hands = [table_pb2.Hand(cards=["AC"]), table_pb2.Hand()]
        await seat.send(round_end=table_pb2.RoundEnd(reason="out", by=1, hands=hands, penalties=[1, 0], totals=[1, 0]))
        await seat.send(match_end=table_pb2.MatchEnd(places=[2, 1], totals=[1, 0]))
        await seat.goodbye()

    played = js(script, bot(body, hooks))
    assert played.err == ""
    assert played.code == 0
    assert played.out.splitlines() == [
        "matchStart nines 0 2 1 1 true",
        "roundStart 1 9S AC QH 7H",
        "observe 1 draw 1  of 1",
        "act H undefined true",
        'roundEnd out 1 [["AC"],[]] 1 0',
        "matchEnd 2 1",
    ]
    assert [(a.decision, a.index, a.note) for a in answers] == [(1, 4, "one; 2")]


NAMES = [  # what is misspelt, in act and in hooks, and what is said
    ("a view", "return view.hnd", "", 'NinesView has no "hnd"; it has seat, hand, upcard, active_suit, '),
    ("an action", "return legal[0].card", "", 'Action has no "card"; it has do, cards, suit, penalty_shed'),
    ("an event", "return 0", "observe(event) { event.card; }", 'Event has no "card"; it has seat, do, '),
    ("a round's start", "return 0", "roundStart(start) { start.cards; }", 'RoundStart has no "cards"; it has round, '),
]


@pytest.mark.parametrize(("body", "more", "said"), [n[1:] for n in NAMES], ids=[n[0] for n in NAMES])
def test_a_misspelt_field_is_told_with_the_authors_line_and_the_real_fields(js, body, more, said):
    played = js(asks_once([], [DRAW]), bot(body, more))
    assert played.code == 1
    assert said in played.err
    frames = [line for line in played.err.splitlines() if line.startswith("    at ")]
    assert len(frames) == 1
    assert "bot.js:" in frames[0]


def test_what_a_bot_is_given_is_plain_data_all_the_same(js):
    body = """
const copy = structuredClone(view);
console.log(JSON.stringify(copy) === JSON.stringify(view), "hnd" in view, Object.keys({ ...view }).length > 9, String(view));
console.log(require("node:util").inspect(view).includes("hand:"), legal[0].suit, view.drawn, view.hasOwnProperty("hand"), `${view.toString()}`);
return legal.at(-1);"""
    answers = []
    played = js(asks_once(answers), bot(body))
    assert played.err == ""
    assert played.out == "true false true [object Object]\ntrue   true [object Object]\n"
    assert answers[0].index == 4


def test_an_exception_in_a_hook_is_told_as_the_hooks(js):
    played = js(asks_once([], [DRAW]), bot("return 0", "observe(event) { throw new Error('mine'); }"))
    assert "ninefold: this was match 1, round 1, in observe" in played.err
    assert "view:" not in played.err


def test_random_numbers_start_anew_with_each_match(js):
    indexes = []

    async def script(seat: Seat) -> None:
        await seat.welcome()
        for match in (1, 2):
            await seat.match_start("nines", NINES_RULES, match=match)
            await nines_deal(seat)
            indexes.append([(await seat.ask(nines_view(), NINES_LEGAL)).index for _ in range(12)])
        await seat.goodbye()

    js(script, bot("return legal[Math.floor(this.random() * legal.length)];"))
    assert indexes[0] == indexes[1]
    assert len(set(indexes[0])) > 2


ANSWERS = [  # what act returns, what is sent, what is told
    ("2", ("index", 2), ""),
    ("{ ...legal[3] }", ("index", 3), ""),
    (
        "{ do: 'play', cards: ['AC'] }",
        ("action", ["AC"]),
        "act returned play AC at decision 1, which is not legal; legal were: [0] play QH",
    ),
    ("99", ("index", 99), "act returned 99 at decision 1"),
]


@pytest.mark.parametrize(("value", "sent", "told"), ANSWERS)
def test_what_can_be_sent_is_sent(js, value, sent, told):
    answers = []
    played = js(asks_once(answers), bot(f"return {value};"))
    (answer,) = answers
    assert (answer.WhichOneof("pick"), answer.index if sent[0] == "index" else list(answer.action.nines.cards)) == sent
    assert told in played.err
    assert bool(told) == bool(played.err)


def test_the_other_order_of_a_pair_is_sent_without_a_word(js):
    answers = []
    legal = [*NINES_LEGAL, nines_action("play", "9D", "9S", suit="C")]
    played = js(asks_once(answers, legal=legal), bot("return { do: 'play', cards: ['9S', '9D'], suit: 'C' };"))
    assert answers[0].action.nines.cards == ["9S", "9D"]
    assert played.err == ""


MISTAKES = [
    ("an exception in act", bot("return legal[9].cards;"), ["bot.js:5", "decision 1", '"hand":["AC","QH","9S"]', "[0] play QH"]),
    ("no return", bot("legal.at(-1);"), ["act returned undefined; return one of legal", "decision 1", "[0] play QH"]),
    ("async act", bot("return 0;").replace("act(view", "async act(view"), ["a Promise (act must not be async)"]),
    ("an exception in a hook", bot("return 0;", "observe(event) { event.x.y; }"), ["bot.js:3", "in observe"]),
    ("a syntax error", "const {", ["bot.js:1", "SyntaxError"]),
    ("no act", bot("").replace("act(", "akt("), ["B has no act: define act(view, legal)"]),
    ("not a Bot", 'require("ninefold").run({});', ["class MyBot extends Bot"]),
    ("an error in a timer", bot("return 0;", "matchStart() { setTimeout(() => { throw new Error('later'); }, 20); }").replace("return 0;", "const until = Date.now() + 50; while (Date.now() < until); throw new Error('first');"), ["first"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "said"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_ends_the_bot_with_its_own_line(js, source, said):
    answers = []
    played = js(asks_once(answers, [DRAW]), source)
    assert played.code == 1
    assert answers == []
    at = 0
    for text in said:
        assert text in played.err[at:], played.err
        at = played.err.index(text, at)
    assert "botkit_node" not in played.err


def test_a_referee_that_goes_away_ends_the_bot(js):
    async def script(seat: Seat) -> None:
        await nines_start(seat)

    played = js(script, bot("return 0;"))
    assert played.code == 1
    assert "the table is gone" in played.err


def test_an_es_module_works_as_well_where_the_module_lies_above_it(node, tmp_path):
    modules = tmp_path / "node_modules"
    modules.mkdir()
    (modules / "ninefold").symlink_to(BOTKIT_NODE)
    (tmp_path / "bot.mjs").write_text(
        'import { Bot, run } from "ninefold";\nrun(class extends Bot { act() { return 1; } });\n'
    )
    answers = []
    assert play(asks_once(answers), [node, str(tmp_path / "bot.mjs")], tmp_path).code == 0
    assert answers[0].index == 1
