"""What the programs of a league write down: no secret with a traceback, and no failure because it cannot be written."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from referee import logs
from referee.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def unconfigured() -> Iterator[None]:
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("program", ["referee.service.server", "worker.__main__", "worker.conductor"])
def test_a_program_configures_its_log_before_anything_else(
    unconfigured: None, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    with pytest.raises(SystemExit):
        importlib.import_module(program).main()
    assert structlog.is_configured()


def test_up_configures_its_log(unconfigured: None, tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["up", "--data", str(tmp_path), "--sandbox", "none"]).exit_code == 2
    assert structlog.is_configured()


def test_the_dashboard_configures_its_log() -> None:
    look = "import dashboard.server, structlog; raise SystemExit(not structlog.is_configured())"
    assert subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True).returncode == 0


def test_a_traceback_shows_no_variable(unconfigured: None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure()

    def play(master_seed: str) -> None:
        raise RuntimeError("the bank was robbed")

    secret = "".join(["5ec", "2e7"])
    try:
        play(secret)
    except RuntimeError:
        structlog.get_logger().exception("play_failed", fixture="cup/1")
    told = capsys.readouterr()
    said = told.err
    assert told.out == ""
    first, *rest = said.splitlines()
    assert first[10] == "T"
    assert first[19:].endswith("fixture=cup/1")
    assert "[error    ] play_failed " in first
    assert rest[0].startswith("Traceback")
    assert rest[-1] == "RuntimeError: the bank was robbed"
    assert secret not in said
    assert "\x1b" not in said


FULL = """
import os, sys, structlog
from referee import logs
logs.configure()
log = structlog.get_logger()
for number in range(300):  # more than any buffer holds
    try:
        raise RuntimeError("x" * 100)
    except RuntimeError:
        log.exception("failed", number=number)
sys.stderr = open(os.devnull, "w")
sys.stderr.close()
log.warning("nobody listens")
os.write(1, b"it went on")
os._exit(0)
"""


def test_a_log_on_a_full_disk_harms_nobody() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", FULL], cwd=ROOT, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0
    assert done.stdout == b"it went on"


def test_what_others_wrote_fills_no_log(unconfigured: None, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure()
    try:
        raise ValueError("n" * 20_000)
    except ValueError:
        structlog.get_logger().exception("call_failed", call="ShowBot", name="b" * 20_000)
    said = capsys.readouterr().err
    assert "call=ShowBot" in said
    assert max(map(len, said.splitlines())) < 1_200
