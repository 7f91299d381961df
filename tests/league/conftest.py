"""A league's server as a process of its own, with three accounts and a bot each, and nothing that plays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.cli.client import Address, League
from referee.settings import Settings
from referee.store.commands import accounts, submissions
from referee.store.schema import open_store


@dataclass(frozen=True)
class Served:
    """A running server, its data folder, and the token of each account."""

    data: Path
    address: str
    tokens: dict[str, str]
    process: subprocess.Popen[bytes]

    def as_(self, who: str) -> League:
        """A connection of that account; `nobody` sends no token, `stranger` a wrong one."""
        token = {"nobody": "", "stranger": "nf_wrong"}.get(who) if who in ("nobody", "stranger") else self.tokens[who]
        return League(Address(self.address, token or "", False, None, "test"))


def serve(data: Path, *flags: str, env: dict[str, str] | None = None) -> tuple[subprocess.Popen[bytes], str]:
    """A server process on a free port, and its address once it listens."""
    ready = data / "league.json"
    ready.unlink(missing_ok=True)
    with (data / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "referee.service.server", "--data", str(data), "--ready", str(ready), *flags],
            stdout=log, stderr=log, env={**os.environ, "NINEFOLD_GRPC_PORT": "0", **(env or {})},
        )  # fmt: skip
    until = time.monotonic() + 60
    while not ready.exists():
        assert process.poll() is None, (data / "server.log").read_text()
        assert time.monotonic() < until, (data / "server.log").read_text()
        time.sleep(0.05)
    return process, json.loads(ready.read_text())["address"]


def stop(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(30)


def admit(store: Any, owner_id: int, name: str, games: list[str], log: str = "") -> None:
    """The author has an admitted bot of that name, as if it had been built."""
    number = submissions.submit(store, owner_id, "0" * 64, 10)
    claim = submissions.claim_submission(store, number, worker="test")
    assert claim is not None
    submissions.name_submission(store, claim, name=name, digest=name.encode().hex().ljust(64, "0"), games=games, runtime="python")
    assert submissions.admit_submission(store, claim, image="sha256:none", build_log=log)


def people(store: Any) -> dict[str, str]:
    """There are an organiser and three authors with a bot each, one of them banned; the token of each."""
    tokens = {}
    for name, role in (("olga", "organiser"), ("anna", "author"), ("bert", "author"), ("vera", "author")):
        user = accounts.add_user(store, name, role, by="test")
        tokens[name] = accounts.create_token(store, name, by="test")
        if name != "olga":
            admit(store, user, f"{name}-bot", ["nines", "nine"])
    accounts.set_banned(store, "vera", True, reason="test", by="test")
    return tokens


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("league")
    store = open_store(Settings(data))
    tokens = people(store)
    store.close()
    process, address = serve(data, "--sandbox", "shipped", env={"NINEFOLD_WRONG_TOKENS": "1000"})
    yield Served(data, address, tokens, process)
    assert stop(process) == 0, (data / "server.log").read_text()
