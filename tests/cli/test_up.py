"""`ninefold up` where it cannot: said at once, in one sentence."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.cli.up import Supervisor, close_to_others
from referee.settings import Settings
from tests.services import free_port, wait_until


@pytest.mark.parametrize("option", ["--port", "--grpc-port"])
def test_a_port_that_is_taken_is_named_before_anything_is_made(tmp_path: Path, option: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ports = {"--port": str(free_port()), "--grpc-port": str(free_port()), option: port}
        flags = [word for pair in ports.items() for word in pair]
        done = CliRunner().invoke(app, ["up", "--data", str(tmp_path), *flags])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert f"port {port} on 127.0.0.1" in done.stderr
    assert f"is taken by another program; choose another with {option}" in done.stderr
    assert not (tmp_path / "ninefold.db").exists()


def test_a_data_folder_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        flags = ["--port", str(taken.getsockname()[1]), "--grpc-port", str(free_port())]
        old, new = tmp_path / "old", tmp_path / "new"
        old.mkdir()
        old.chmod(0o755)
        for folder in (old, new):
            assert CliRunner().invoke(app, ["up", "--data", str(folder), *flags]).exit_code == 2
            assert folder.stat().st_mode & 0o7777 == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_folder_that_is_not_the_leagues_alone_stays_as_it_is(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(mode)
    if mode == 0o755:
        monkeypatch.setenv("HOME", str(tmp_path))
    close_to_others(tmp_path)
    assert tmp_path.stat().st_mode & 0o7777 == mode


def test_the_supervisor_outlives_a_disk_that_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def look(league: Supervisor) -> None:
        looks.append(len(looks))
        if len(looks) == 3:
            league.stop()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Supervisor, "_start", lambda *_: None)
    monkeypatch.setattr(Supervisor, "_announced", lambda _: True)
    monkeypatch.setattr(Supervisor, "_look", look)
    assert Supervisor(Settings(tmp_path)).run() == 0
    assert looks == [0, 1, 2]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["ninefold.db", "logs/referee.log"], ids=["before a part runs", "as the referee starts"])
def test_stopped_while_it_starts_it_was_interrupted_and_leaves_nothing(tmp_path: Path, how: signal.Signals, moment: str) -> None:
    data = tmp_path / "league"
    flags = ["--data", str(data), "--sandbox", "shipped", "--port", str(free_port()), "--grpc-port", str(free_port())]
    command = [sys.executable, "-m", "referee.cli.main", "up", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as up:
        wait_until(lambda: (data / moment).exists(), f"{moment} is there")
        up.send_signal(how)
        out, _ = up.communicate(timeout=30)
    assert up.returncode == 130
    assert "the league runs" not in out
    assert not (data / "league.json").exists()
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and str(data).encode() in _words(pid)]
    assert not left


def _words(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
