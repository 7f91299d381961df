"""`ninefold replay debug`: a recorded match, looked at again from one seat, and what a bot would do there now."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.authors.conftest import Write, ninefold

SEED = "7"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short matches of Nines, greedy against random."""
    folder = tmp_path_factory.mktemp("recorded")
    rules = ("--rule", "match_end=rounds", "--rule", "rounds=2")
    done = ninefold("play", "greedy", "random", "--game", "nines", *rules, "--matches", "2", "--seed", SEED, "--replays", folder)
    assert done.code == 0, done.said
    return folder


@pytest.fixture(scope="module")
def first(recorded: Path) -> Path:
    return recorded / "0001.json.gz"


def decisions(file: Path, seat: int) -> list[str]:
    document = json.loads(gzip.decompress(file.read_bytes()))
    return [
        f"{number}/{at}" for number, played in enumerate(document["rounds"]) for at, event in enumerate(played["events"])
        if event["seat"] == seat and "ms" in event
    ]  # fmt: skip


@pytest.mark.parametrize(("seat", "bot"), [(0, "greedy"), (1, "random")])
def test_the_same_bot_does_the_same_everywhere(recorded: Path, seat: int, bot: str) -> None:
    done = ninefold("replay", "debug", recorded, "--seat", str(seat), "--bot", bot)
    tried = sum(len(decisions(file, seat)) for file in sorted(recorded.glob("*.gz")))
    assert (done.code, done.out.splitlines()[-1]) == (0, f"0 of {tried} decisions differ")


def test_another_bot_differs_and_the_exit_code_says_so(first: Path) -> None:
    done = ninefold("replay", "debug", first, "--seat", "1", "--bot", "greedy", "--json")
    told = done.json()
    assert done.code == 1
    assert told["tried"] == len(decisions(first, 1))
    assert 0 < len(told["decisions"]) < told["tried"]
    assert all(row["then"] != row["now"] and row["now"] in row["legal"] for row in told["decisions"])
    words = ninefold("replay", "debug", first, "--seat", "1", "--bot", "greedy")
    assert f"{len(told['decisions'])} of {told['tried']} decisions differ" in words.out
    assert told["decisions"][0]["at"] in words.out


def test_one_decision_is_shown_with_what_the_seat_saw_and_what_was_legal(first: Path) -> None:
    at = decisions(first, 0)[3]
    done = ninefold("replay", "debug", first, "--seat", "0", "--at", at)
    assert done.code == 0
    for word in ("hand", "upcard", "hand sizes", "legal", "then", f"local/1/1/1 at {at}"):
        assert word in done.out
    assert "now" not in done.out
    asked = ninefold("replay", "debug", first, "--seat", "0", "--at", at, "--bot", "greedy")
    shown = dict(line.strip().split(maxsplit=1) for line in asked.out.splitlines() if line.split()[0] in ("then", "now"))
    assert asked.code == 0
    assert shown["then"] == shown["now"]


def test_without_a_bot_every_decision_is_listed(first: Path) -> None:
    told = ninefold("replay", "debug", first, "--seat", "0", "--json").json()
    assert [row["at"] for row in told["decisions"]] == decisions(first, 0)
    words = ninefold("replay", "debug", first, "--seat", "0")
    assert words.err == "--bot DIR adds what that bot would do at each of these now\n"
    one = ninefold("replay", "debug", first, "--seat", "0", "--at", told["decisions"][0]["at"])
    assert one.err == f"--bot DIR adds what that bot would do at {told['decisions'][0]['at']} now\n"


def test_what_a_bot_prints_and_notes_is_shown_where_it_does(first: Path, write: Write) -> None:
    bot = write(
        """
        from botkit import Bot, run

        class Talker(Bot):
            def act(self, view, legal):
                print("I hold", *view.hand)
                self.note("going first")
                return legal[0]

        run(Talker())
        """
    )
    at = decisions(first, 0)[2]
    done = ninefold("replay", "debug", first, "--seat", "0", "--at", at, "--bot", bot)
    assert done.out.count("| I hold") == 1
    assert "going first" in done.out


def test_a_bot_that_crashes_is_told_with_its_own_line(first: Path, write: Write) -> None:
    bot = write(
        """
        from botkit import Bot, run

        class Broken(Bot):
            def act(self, view, legal):
                if len(view.discards) > 3:
                    return view.nothing
                return legal[0]

        run(Broken())
        """
    )
    for more in ((), ("--at", decisions(first, 0)[-1])):
        done = ninefold("replay", "debug", first, "--seat", "0", "--bot", bot, *more)
        assert done.code == 1
        assert "crash: exited with code 1" in done.out
        assert f'{bot / "bot.py"}", line 7, in act' in done.out
        assert "has no 'nothing'; it has " in done.out
        assert "referee/" not in done.said


BROKEN = [
    ("import numpie", ["start: ", "line 1", "No module named 'numpie'"]),
    ("from botkit import Bot, run\nclass B(Bot):\n    def act(self, view, legal): return 99\nrun(B())\n", ["illegal: index 99 names none of", "bot.py:3"]),
    ("from botkit import Action, Bot, run\nclass B(Bot):\n    def act(self, view, legal): return Action('play', ('X1',))\nrun(B())\n", ["illegal under ", "X1"]),
    ("from botkit import Bot, run\nclass B(Bot):\n    def round_start(self, start): start.x\n    def act(self, view, legal): return 0\nrun(B())\n", ["crash", "line 3, in round_start"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said"), BROKEN, ids=["start", "index", "illegal", "hook"])
def test_a_bot_that_fails_is_told_once(first: Path, write: Write, code: str, said: list[str]) -> None:
    done = ninefold("replay", "debug", first, "--seat", "0", "--bot", write(code))
    assert done.code == 1
    for text in said:
        assert text in done.out, done.said
    assert done.out.count(" at 0/") == 1
    assert "1 of 1 decision differs" in done.out


def test_a_crash_after_the_last_decision_is_told_too(first: Path, write: Write) -> None:
    bot = write(
        """
        from botkit import Bot, run

        class Late(Bot):
            def act(self, view, legal):
                return legal[0]

            def match_end(self, end):
                raise RuntimeError("what a pity")

        run(Late())
        """
    )
    done = ninefold("replay", "debug", first, "--seat", "0", "--bot", bot)
    assert done.code == 1
    assert "crash after this decision: exited with code 1" in done.out
    assert f'{bot / "bot.py"}", line 9, in match_end' in done.out
    assert "what a pity" in done.out


def test_a_lost_match_is_lost_again_at_the_same_decision_until_the_bot_is_mended(tmp_path: Path, write: Write) -> None:
    code = """
        from botkit import Bot, run

        class Careless(Bot):
            def act(self, view, legal):
                return legal[7] if len(view.discards) > 6 else legal[0]

        run(Careless())
        """
    bot = write(code)
    played = ninefold("play", bot, "greedy", "--game", "nines", "--matches", "1", "--seed", SEED, "--replays", tmp_path / "r")
    assert "IndexError" in played.out
    again = ninefold("replay", "debug", tmp_path / "r", "--seat", "0", "--bot", bot)
    assert again.code == 0, again.said
    assert "0 of " in again.out
    rows = ninefold("replay", "debug", tmp_path / "r", "--seat", "0", "--json").json()["decisions"]
    assert [row["fault"] for row in rows] == [None] * (len(rows) - 1) + ["crash"]
    (bot / "bot.py").write_text((bot / "bot.py").read_text().replace("legal[7]", "legal[-1]"))
    mended = ninefold("replay", "debug", tmp_path / "r", "--seat", "0", "--bot", bot)
    assert mended.code == 1
    assert f"at {rows[-1]['at']}" in mended.out
    assert "forfeited: crash" in mended.out
    assert "1 of " in mended.out


WRONG = [  # arguments after the file, exit code, what the sentence says
    (("--seat", "0", "--at", "9/99"), 2, "seat 0 was asked nothing at '9/99'; it was at 0/"),
    (("--seat", "0", "--at", "first"), 2, "seat 0 was asked nothing at 'first'"),
    (("--seat", "5"), 2, "there is no seat 5; the match has seats 0 to 1"),
    (("--seat", "0", "--bot", "/nowhere/at/all"), 2, "neither a folder nor a built-in bot"),
    (("--seat", "0", "--bot", "gredy"), 2, "neither a folder nor a built-in bot for nines (did you mean 'greedy'?)"),
    (("--seat", "0", "--bot", "caller"), 2, "'caller' is neither a folder nor a built-in bot for nines"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG)
def test_a_wrong_argument_is_one_sentence(first: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = ninefold("replay", "debug", first, *arguments)
    assert done.code == code
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


def test_a_bot_for_another_game_is_named(first: Path, write: Write) -> None:
    bot = write("", manifest='name = "x1"\ngames = ["nine"]\nruntime = "python"\nentry = "bot.py"\n')
    done = ninefold("replay", "debug", first, "--seat", "0", "--bot", bot)
    assert (done.code, done.err) == (2, "ninefold: local/1/1/1 is a match of nines, and bot 'x1' plays nine\n")


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    for name in ("nofile", "nofile.json.gz"):
        gone = tmp_path / name
        for command in (("debug", gone, "--seat", "0"), ("verify", gone), ("show", gone)):
            done = ninefold("replay", *command)
            assert done.code == 1
            assert f"{gone} does not exist; name a replay file" in done.err


def test_a_damaged_file_is_one_sentence(first: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(first.read_bytes()[:500])
    document = json.loads(gzip.decompress(first.read_bytes()))
    document["rounds"][0]["events"][2]["seat"] = 1 - document["rounds"][0]["events"][2]["seat"]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document))
    (tmp_path / "empty").mkdir()
    for file, said in (
        (cut, "damaged or cut off"),
        (other, "round 0, event 2"),
        (tmp_path / "none.json", "does not exist"),
        (tmp_path / "empty", "holds no replays"),
    ):
        done = ninefold("replay", "debug", file, "--seat", "0")
        assert done.code in (1, 2)
        assert said in done.err
        assert len(done.err.splitlines()) == 1
