"""`ninefold replay verify` and `show` refuse as every command does: one sentence, and the documented exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import app


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["show", "{tmp}/missing.json"], 1, "missing.json"),
        (["show", "{tmp}/text.json"], 1, "text.json"),
        (["show", "{tmp}"], 1, "{tmp}"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/missing.json"], 1, "is no seeds.json of an export"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/text.json"], 1, "is no seeds.json of an export"),
        (["verify", "{tmp}/text.json", "--seeds", "{tmp}/early.json"], 1, "not revealed before the tournament has ended"),
        (["show", "{tmp}/text.json", "--seat", "-1"], 2, "seat cannot be -1"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, words: list[str], code: int, says: str) -> None:
    (tmp_path / "text.json").write_text("nonsense \x1b[2J\n")
    (tmp_path / "early.json").write_text('{"master_seed": null}')
    done = CliRunner().invoke(app, ["replay", *(word.format(tmp=tmp_path) for word in words)])
    assert done.exit_code == code
    assert done.stdout == ""
    assert done.stderr.startswith("ninefold: ")
    assert done.stderr.count("\n") == 1
    assert says.format(tmp=tmp_path) in done.stderr
