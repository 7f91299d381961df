"""A whole league under `ninefold up`, as an organiser runs it, driven through the command line alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_bots"


class Ninefold:
    """The command line against one data folder."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.data = data
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NINEFOLD_")}
        self.env = {**kept, "NINEFOLD_DATA": str(data), **environment}
        self.league: subprocess.Popen[str] | None = None
        self.page = ""

    def run(self, *arguments: str, timeout: float = 240, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """One command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "referee.cli.main", *arguments],
            capture_output=True, text=True, timeout=timeout, env={**self.env, **(env or {})}, cwd=self.data.parent,
        )  # fmt: skip

    def ok(self, *arguments: str, timeout: float = 240) -> str:
        """What the command printed; it must succeed."""
        done = self.run(*arguments, timeout=timeout)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *arguments: str, timeout: float = 240) -> Any:
        """The document the command printed."""
        return json.loads(self.ok(*arguments, "--json", timeout=timeout))

    def up(self, *flags: str, wait: bool = True) -> None:
        """The league runs."""
        assert self.league is None
        ports = ("--port", str(free_port()), "--grpc-port", str(free_port()))
        self.league = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", "up", *ports, *flags],
            stdout=subprocess.PIPE, stderr=(self.data.parent / "up.err").open("a"), text=True, env=self.env, start_new_session=True,
        )  # fmt: skip
        if wait:
            assert self.league.stdout is not None
            line = self.league.stdout.readline()
            assert line.startswith("the league runs"), line + (self.data.parent / "up.err").read_text() + self.logs()
            self.page = line.partition("dashboard ")[2].partition(",")[0]

    def down(self, how: int = signal.SIGINT, within: float = 30) -> int:
        """The league has ended; its exit code."""
        assert self.league is not None
        self.league.send_signal(how)
        code = self.league.wait(within)
        self.league = None
        return code

    def logs(self) -> str:
        """The last lines of every part's log."""
        parts = [f"== {p.name}\n" + "\n".join(p.read_text(errors="replace").splitlines()[-20:]) for p in (self.data / "logs").glob("*.log")]
        return "\n".join(parts)

    def processes(self) -> list[str]:
        """Command lines of the processes of this league that are alive."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
                environment = (path.parent / "environ").read_bytes()
            except OSError:
                continue
            if str(self.data).encode() in b" ".join(words) or f"NINEFOLD_DATA={self.data}".encode() in environment:
                found.append(b" ".join(words).decode(errors="replace"))
        return [line for line in found if line and "pytest" not in line]


def wait_for(what: Any, within: float = 120, every: float = 0.3) -> Any:
    """The first true value of `what()`."""
    until = time.monotonic() + within
    while not (value := what()):
        assert time.monotonic() < until, f"{what} was not true within {within} s"
        time.sleep(every)
    return value


def write_bot(folder: Path, code: str, name: str, games: str = '["nines"]', **files: str) -> Path:
    """A bot's folder with that code."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(f'name = "{name}"\ngames = {games}\nruntime = "python"\nentry = "bot.py"\n')
    (folder / "bot.py").write_text(code)
    for file, text in files.items():
        (folder / file.replace("__", ".")).write_text(text)
    return folder


RANDOM = """from botkit import Bot, run


class Careless(Bot):
    def act(self, view, legal):
        return self.rng.choice(legal)


run(Careless())
"""
