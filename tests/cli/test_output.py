"""What others have written is shown on a terminal, and does nothing there; what the system refuses is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from referee.cli import output
from referee.cli.download import inside
from referee.errors import ReplayError


@pytest.mark.parametrize("speak", [output.say, output.note, output.warn])
def test_no_escape_reaches_the_terminal(speak: object, capsys: pytest.CaptureFixture[str]) -> None:
    speak("retired: \x1b]0;PWNED\x07\x1b[2J\rowner")  # type: ignore[operator]
    out = "".join(capsys.readouterr())
    assert "PWNED" in out
    assert not {"\x1b", "\x07", "\r"} & set(out)


def test_what_a_long_action_says_is_printable_too(capsys: pytest.CaptureFixture[str]) -> None:
    with output.told("first") as tell:
        tell("fetching \x1b[31mred")
    assert "\x1b" not in "".join(capsys.readouterr())


def test_a_file_that_cannot_be_written_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    @output.command
    def write() -> None:
        (tmp_path / "no" / "file").write_text("x")

    with pytest.raises(typer.Exit) as left:
        write()
    assert left.value.exit_code == output.NEGATIVE
    assert "No such file or directory" in (said := capsys.readouterr().err)
    assert "mistake of Ninefold" not in said


def test_a_league_does_not_choose_where_its_files_go(tmp_path: Path) -> None:
    assert inside(tmp_path / "mine", "anna-bot") == tmp_path / "mine" / "anna-bot"
    with pytest.raises(ReplayError, match="outside"):
        inside(tmp_path / "mine", "../victim")
