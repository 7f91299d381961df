"""What `ninefold tournament` says before it asks any league, and what its files hold."""

from __future__ import annotations

from collections import defaultdict
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from referee.cli import tournaments
from referee.cli.main import app
from referee.service.league.results import _csv


def test_an_export_does_not_write_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "kept.txt"):
        done = CliRunner().invoke(app, ["tournament", "export", "cup", "--to", str(place), "--data", str(tmp_path)])
        assert done.exit_code == 2
        assert done.stderr.strip() == f"ninefold: {place} exists already and is no empty folder; name a new one with --to"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_reason_of_several_lines_stays_in_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = defaultdict(lambda: "x", reason="the hall\nburns\r\nstate                 done", entries=[])
    league = SimpleNamespace(read=lambda method, request: row)
    monkeypatch.setattr(tournaments.League, "connect", lambda data: nullcontext(league))
    done = CliRunner().invoke(app, ["tournament", "show", "cup"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "reason                the hall burns state                 done" in lines
    assert len(lines) == 16


def test_only_what_a_spreadsheet_takes_for_a_formula_is_quoted() -> None:
    rows = [{"reason": "", "decided_by": None, "bot": "=1+1", "margin": -3.5, "cause": "completed"}]
    assert _csv(rows).decode() == "reason,decided_by,bot,margin,cause\n,,'=1+1,-3.5,completed\n"
