"""`ninefold replay verify` and `show` refuse as every command does: one sentence, and the documented exit code."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.games import registry
from referee.match import replay
from tests.match.playing import document_of, play


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["show", "{tmp}/missing.json"], 1, "missing.json"),
        (["show", "{tmp}/text.json"], 1, "text.json"),
        (["show", "{tmp}"], 1, "{tmp}"),
        (["show", "{tmp}/pipe.json"], 1, "is a pipe or a device"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/pipe.json"], 1, "not a regular file"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/long.json"], 1, "a number in it has thousands of digits"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/missing.json"], 1, "is no seeds.json of an export"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/text.json"], 1, "is no seeds.json of an export"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/early.json"], 1, "not revealed before the tournament has ended"),
        (["show", "{tmp}/text.json", "--seat", "-1"], 2, "seat cannot be -1"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, words: list[str], code: int, says: str) -> None:
    (tmp_path / "text.json").write_text("nonsense \x1b[2J\n")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "long.json").write_text("1" * 5000)
    (tmp_path / "early.json").write_text('{"master_seed": null}')
    done = CliRunner().invoke(app, ["replay", *(word.format(tmp=tmp_path) for word in words)])
    assert done.exit_code == code
    assert done.stdout == ""
    assert done.stderr.startswith("ninefold: ")
    assert done.stderr.count("\n") == 1
    assert says.format(tmp=tmp_path) in done.stderr


def test_a_match_that_comes_twice_is_told(tmp_path: Path) -> None:
    rules = registry.get("nine").complete({}, 2)
    one = document_of(play("nine", rules, 2, bytes(32), random.Random(1)))
    cup, other = ({**one, "match_id": f"cup/1/1/{number}"} for number in (1, 2))
    local = {**one, "match_id": "local/1/1/1"}
    runner = CliRunner()

    def verified(**files: list[dict[str, object]]) -> str:
        for name, documents in files.items():
            replay.write(tmp_path / f"{name}.jsonl", documents)
        done = runner.invoke(app, ["replay", "verify", *(str(tmp_path / f"{name}.jsonl") for name in files)])
        assert done.exit_code == 0
        return done.stderr

    assert "Warning: 2 of them repeat a match id that came before (cup/1/1/1)" in verified(a=[cup, other, cup, cup])
    assert "Warning: 1 of them repeats a match id" in verified(a=[cup], b=[other, cup])
    assert "Warning: 1 of them repeats a match id" in verified(a=[local, local])
    assert "Warning" not in verified(a=[cup, local], b=[other, local])
    summary = runner.invoke(app, ["replay", "verify", "--json", str(tmp_path / "a.jsonl"), str(tmp_path / "a.jsonl")])
    assert json.loads(summary.stdout.splitlines()[-1])["repeated"] == 2
