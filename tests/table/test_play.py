"""`ninefold play` from outside: the command, its output, its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

NINEFOLD = [sys.executable, "-m", "referee.cli.main", "play"]
SEED = "00" * 32


def ninefold(*arguments: object, within: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NINEFOLD, *map(str, arguments)], capture_output=True, text=True, timeout=within, env=os.environ | {"COLUMNS": "160"}
    )


def test_built_in_bots_play_at_once_and_the_same_again(tmp_path: Path) -> None:
    first = ninefold("random", "greedy", "--matches", 2, "--seed", SEED, "--json")
    assert first.returncode == 0, first.stderr
    report = json.loads(first.stdout)
    assert [seat["bot"] for seat in report["seats"]] == ["random", "greedy"]
    assert sum(seat["points"] for seat in report["seats"]) == 2
    again = json.loads(ninefold("random", "greedy", "--matches", 2, "--seed", SEED, "--json").stdout)
    key = "canonical_sha256"
    assert [m[key] for m in again["matches"]] == [m[key] for m in report["matches"]]
    assert first.stderr == ""


def test_the_table_the_replays_and_the_one_line_about_safety(tmp_path: Path) -> None:
    from referee.match import replay
    from referee.match.verify import verify

    out = tmp_path / "out"
    done = ninefold("random", "caller", "cautious", "--game", "nine", "--matches", 2, "--replays", out, "--rule", "cutoff=40")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("as it is") == 1
    for word in ("random", "caller", "cautious", "points", "mean penalty", "seed"):
        assert word in done.stdout
    files = sorted(out.glob("*.json.gz"))
    assert [f.name for f in files] == ["0001.json.gz", "0002.json.gz"]
    for file in files:
        (document,) = replay.read(file)
        verify(document)
        assert document["rules"]["cutoff"] == 40
        assert document["match_id"].startswith("local/")
        assert document["profile"] is None


def test_the_seed_chain_is_the_documented_one(tmp_path: Path) -> None:
    import hashlib
    import hmac

    from referee.match import replay

    ninefold("random", "random", "--matches", 2, "--seed", "ab" * 32, "--replays", tmp_path, "--profile", "nines/five-rounds")
    for number in (1, 2):
        (document,) = replay.read(tmp_path / f"{number:04d}.json.gz")
        message = bytes(32) + f"block/1/match/{number}".encode()
        assert document["seed"] == hmac.new(b"\xab" * 32, message, hashlib.sha256).hexdigest()
        assert document["profile"] == "nines/five-rounds"


def bot(folder: Path, act: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text('name = "mine"\ngames = ["nines"]\nruntime = "python"\nentry = "bot.py"\n')
    body = f"from botkit import Bot, run\n\nclass Mine(Bot):\n    def act(self, view, legal):\n        {act}\n\nrun(Mine())\n"
    (folder / "bot.py").write_text(body)
    return folder


MISTAKES = [
    ("an exception", "return legal[99]", "crash", ["bot.py", "line 5", "IndexError", "view", "legal"]),
    ("an illegal action", "return 99", "illegal", ["S7", "legal were", "bot.py:4"]),
    ("nothing returned", "pass", "crash", ["bot.py:4", "None", "is a return missing"]),
]


@pytest.mark.parametrize(("act", "cause", "words"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_an_authors_mistake_is_shown_where_it_was_made(tmp_path: Path, act: str, cause: str, words: list[str]) -> None:
    done = ninefold(bot(tmp_path / "mine", act), "random", "--matches", 2)
    assert done.returncode == 1
    assert f"forfeits, {cause}" in done.stdout
    for word in words:
        assert word in done.stdout, word
    assert done.stdout.count("forfeits, ") == 1  # the same mistake is told once


REFUSALS: list[tuple[str, list[Any], str]] = [
    ("one bot", ["random"], "give 2 to 6"),
    ("no such bot", ["random", "nobody"], "neither a folder nor a built-in bot"),
    ("no such game", ["random", "random", "--game", "poker"], "the games are"),
    ("a bot of another game", ["greedy", "caller"], "no game is played by all: greedy plays nines, caller plays nine"),
    ("an option that is not", ["random", "random", "--rule", "joker=1"], "no such option"),
    ("a value that is not allowed", ["random", "random", "--rule", "cutoff=0"], "allowed is"),
    ("no seed", ["random", "random", "--seed", "xyz"], "64 hex digits"),
    ("no clock", ["random", "random", "--clock", "soon"], "10s+100ms"),
]


@pytest.mark.parametrize(("arguments", "words"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_what_cannot_be_played_is_refused_in_one_sentence(arguments: list[Any], words: str) -> None:
    done = ninefold(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_running(tmp_path: Path, number: signal.Signals) -> None:
    folder = bot(tmp_path / "mine", "import time; time.sleep(0.2); return legal[0]")
    process = subprocess.Popen([*NINEFOLD, str(folder), "random"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    entry = str(folder / "bot.py")
    for _ in range(200):
        if subprocess.run(["pgrep", "-f", entry], capture_output=True).returncode == 0:
            break
        time.sleep(0.1)
    time.sleep(1.0)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert subprocess.run(["pgrep", "-f", entry], capture_output=True).returncode == 1


def test_an_interruption_tells_what_has_been_played(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [*NINEFOLD, "random", "greedy", "--matches", "100000", "--replays", str(out)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if (out / "0002.json.gz").exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    told, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"replays in {out}" in told
    row = next(line.split() for line in told.splitlines() if "greedy" in line)
    assert int(row[3]) >= 2
    assert errors.endswith(f"ninefold: interrupted after {int(row[3]):,} of 100,000 matches\n")


def test_a_loud_bot_is_told_what_that_costs(tmp_path: Path) -> None:
    loud = bot(tmp_path / "loud", "print('x' * 100_000); return legal[0]")
    done = ninefold(loud, "random", "--matches", 2)
    assert " KiB in 2 matches: the time it takes to write is on its clock; of a match 256 KiB are kept" in done.stderr
    assert "KiB" not in ninefold("greedy", "random", "--matches", 2).stderr


def test_a_folder_with_the_name_of_a_built_in_bot(tmp_path: Path) -> None:
    def said(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*NINEFOLD, *arguments, "--matches", "1", "--seed", SEED, "--game", "nines"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)

    (tmp_path / "random").mkdir()
    assert "random is the built-in bot: the folder random here holds no bot.toml" in said("random", "greedy").stderr
    bot(tmp_path / "random", "raise ValueError('mine')")
    taken = said("random", "greedy")
    assert "random is the folder here (./random says so); the built-in bot of that name is builtin:random" in taken.stderr
    assert (taken.returncode, "ValueError: mine" in taken.stdout) == (1, True)
    other = said("builtin:random", "greedy")
    assert (other.returncode, "the folder" in other.stderr) == (0, False)
    assert said("builtin:nobody", "greedy").returncode == 2
