"""`ninefold up` where it cannot: said at once, in one sentence."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from tests.services import free_port


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
