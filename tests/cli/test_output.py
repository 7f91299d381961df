"""What others have written is shown on a terminal, and does nothing there; what the system refuses is one sentence."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.console import Console

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


def test_a_line_stands_above_the_bar_and_not_behind_it(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text("none\n")
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "referee.cli.main", "replay", "verify", "--json", str(lines)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL, timeout=60)
        told = [json.loads(line) for line in done.stdout.decode().splitlines()]
        assert (done.returncode, [line.get("file") for line in told]) == (1, [str(lines), None])
        command.remove("--json")
        subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL, timeout=60)
        shown = os.read(ours, 100_000).decode()
        assert f"\r\x1b[2K{lines} is no replay file by its name" in shown
    finally:
        os.close(theirs)
        os.close(ours)


def test_a_name_is_shown_beside_the_bar_letter_for_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Console(file=io.StringIO(), force_terminal=True, width=100)
    monkeypatch.setattr(output, "progress_console", shown)
    with output.progress() as bar:
        bar.add_task("[/red]mine[bold]")
        bar.refresh()
    assert "[/red]mine[bold]" in shown.file.getvalue()  # type: ignore[attr-defined]
