"""The help of every command names what the command has."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from referee.cli.main import COMMANDS, GROUPS, app


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_help_offers_nothing_that_belongs_to_the_whole_program(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert "completion" not in done.stdout
