"""What an author does: the command line in this process, and bots written into scratch folders."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from tests.sample_bots.conftest import node

__all__ = ["node"]


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err

    def json(self) -> Any:
        return json.loads(self.out)


def ninefold(*arguments: str | Path) -> Done:
    """One `ninefold` command, to its end; an exception that is none of its exits is the test's."""
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    return Done(done.exit_code, done.stdout, done.stderr)


MANIFEST = """\
name = "my-bot"
games = ["nines", "nine"]
runtime = "python"
entry = "bot.py"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a bot's folder: its bot.py, its bot.toml, and other files by name."""

    def written(code: str, name: str = "my-bot", manifest: str = MANIFEST, **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(manifest)
        (folder / "bot.py").write_text(textwrap.dedent(code))
        for file, text in files.items():
            (folder / file).write_text(text)
        return folder

    return written
