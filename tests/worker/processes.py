"""The league's real processes around a fake referee, for tests that kill, stop and restart them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from referee.store.engine import Store
from referee.store.queries.tournaments import tournament
from tests.services import wait_until

ROOT = Path(__file__).resolve().parents[2]


class Processes:
    """Processes of one league, by a name each; all are ended at the end."""

    def __init__(
        self, folder: Path, store_url: str, broker_url: str = "", *, workers: int = 2, lease: float = 60.0
    ) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.env = {
            **os.environ,
            "NINEFOLD_DATA": str(folder),
            "NINEFOLD_DATABASE_URL": store_url,
            "NINEFOLD_BROKER_URL": broker_url,
            "NINEFOLD_WORKERS": str(workers),
            "NINEFOLD_LEASE_SECONDS": str(lease),
            "PYTHONPATH": str(ROOT),
        }

    def start(self, name: str, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments], cwd=ROOT, env={**self.env, **(env or {})}, stdout=log, stderr=log
            )
        self.running[name] = process
        return process

    def referee(self, name: str = "referee", seconds: float = 0.0, *flags: str) -> str:
        address = f"unix:{self.folder}/{name}.sock"
        self.start(name, "-m", "tests.worker.fake_referee", address, "--seconds", str(seconds), *flags)
        return address

    def worker(self, referee: str, name: str = "worker", role: str = "play", machine: str = "m") -> None:
        self.start(name, "-m", "worker", role, "--referee", referee, "--name", name, env={"NINEFOLD_MACHINE": machine})

    def conductor(self, name: str = "conductor") -> None:
        self.start(name, "-m", "worker.conductor", "--name", name)

    def poke(self, name: str, how: int) -> None:
        self.running[name].send_signal(how)

    def end(self, name: str, how: int = signal.SIGTERM, seconds: float = 20.0) -> int:
        process = self.running.pop(name)
        if process.poll() is None:
            process.send_signal(how)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise

    def close(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
        for process in self.running.values():
            process.wait(20)
        self.running.clear()

    def logs(self) -> str:
        return "\n".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in self.folder.glob("*.log")
        )


def played(store: Store, name: str = "cup", seconds: float = 90.0) -> None:
    """The tournament has ended."""
    wait_until(lambda: tournament(store, name)["state"] == "done", f"the end of {name}", seconds)
