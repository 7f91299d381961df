"""What a league consists of, each a thing that can be killed, stopped for a while, and restarted.

`kill` is sudden (SIGKILL), `stop` freezes (SIGSTOP), `end` asks (SIGTERM); `heal` undoes any of them.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psycopg

from tests.engines import PrivateEngine
from tests.services import Postgres, Redis

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 20.0


class Part:
    """One thing that can go wrong. `how` holds what is wrong with it now; empty while all is well."""

    ways = ("kill", "stop", "end")

    def __init__(self, name: str) -> None:
        self.name, self.how = name, ""

    def harm(self, how: str) -> None:
        self.how = how
        getattr(self, how)()

    def heal(self) -> None:
        self.mend()
        self.how = ""

    def mend(self) -> None:
        raise NotImplementedError

    def look(self) -> str:
        """What became of it without our doing, mended; empty if nothing."""
        return ""


class Program(Part):
    """A process of the league, as `ninefold up` starts it."""

    def __init__(self, name: str, arguments: list[str], env: dict[str, str], log: Path) -> None:
        super().__init__(name)
        self.arguments, self.env, self.log = arguments, env, log
        self.process: subprocess.Popen[bytes] | None = None
        self.again = self.started = self.asked = 0.0

    def start(self) -> None:
        self.started = time.monotonic()
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, *self.arguments],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env, cwd=ROOT, start_new_session=True,
            )  # fmt: skip

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait(10)

    def stop(self) -> None:
        self.send(signal.SIGSTOP)

    def end(self) -> None:
        self.asked = time.monotonic()
        self.send(signal.SIGTERM)

    def wait(self, seconds: float) -> int | None:
        """Its exit code; None if it runs on (and is killed)."""
        assert self.process is not None
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            return None

    def mend(self) -> None:
        if self.how == "stop":
            self.send(signal.SIGCONT)
        elif self.how == "end":
            young = self.asked - self.started < START_SECONDS
            code = self.wait(60)
            if code != 0 and not (young and code == -signal.SIGTERM):  # it had not begun to listen for signals
                raise AssertionError(f"{self.name} was asked to end and ended with {code}\n{self.tail()}")
            self.start()
        else:
            self.start()

    def look(self) -> str:
        if self.process is None or self.how or self.alive or time.monotonic() < self.again:
            return ""
        code = self.process.returncode
        self.again = time.monotonic() + 1.0
        last = self.tail(1)
        self.start()
        return f"{self.name} ended by itself with {code}: {last}"

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""


NURSERY = "referee.service.nursery"
"""What the command line of the nursery holds, and so that of the match processes, which are forked by it."""


class MatchProcess(Part):
    """One of the referee's match processes; the referee itself makes up for it."""

    ways = ("kill", "stop")

    def __init__(self, referee: Program, rng: random.Random) -> None:
        super().__init__("match process")
        self.referee, self.rng, self.pid = referee, rng, 0

    def harm(self, how: str) -> None:
        found = self.found()
        self.pid = self.rng.choice(found) if found else 0
        super().harm(how)

    def found(self) -> list[int]:
        assert self.referee.process is not None
        nurseries = [pid for pid in children(self.referee.process.pid) if NURSERY in command(pid)]
        return sorted(pid for nursery in nurseries for pid in children(nursery))

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def stop(self) -> None:
        self._send(signal.SIGSTOP)

    def mend(self) -> None:
        if self.how == "stop":
            self._send(signal.SIGCONT)

    def _send(self, number: int) -> None:
        if self.pid and NURSERY in command(self.pid):
            os.kill(self.pid, number)


class RedisBroker(Part):
    """Redis without persistence: killed or restarted, it has forgotten every message."""

    def __init__(self, server: Redis) -> None:
        super().__init__("broker")
        self.server = server

    def kill(self) -> None:
        self.server.stop(signal.SIGKILL)

    def end(self) -> None:
        self.server.stop(signal.SIGTERM)

    def stop(self) -> None:
        assert self.server.process is not None
        self.server.process.send_signal(signal.SIGSTOP)

    def mend(self) -> None:
        if self.how == "stop":
            assert self.server.process is not None
            self.server.process.send_signal(signal.SIGCONT)
        else:
            self.server.start()


class FolderBroker(Part):
    """The embedded broker: `kill` makes it forget its messages, `stop` doubles every one of them."""

    ways = ("kill", "stop")

    def __init__(self, folder: Path) -> None:
        super().__init__("broker")
        self.folder = folder

    def kill(self) -> None:
        for path in self.folder.glob("*.msg"):
            path.unlink(missing_ok=True)

    def stop(self) -> None:
        for path in self.folder.glob("*.msg"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(
                    path, self.folder / f"{time.time_ns():020}_{uuid.uuid4().hex}.{path.name.partition('.')[2]}"
                )

    def mend(self) -> None:
        pass


class PostgresDatabase(Part):
    """A PostgreSQL server with all its processes."""

    def __init__(self, server: Postgres) -> None:
        super().__init__("database")
        self.server = server

    def kill(self) -> None:
        self._send(signal.SIGKILL)
        assert self.server.process is not None
        self.server.process.wait(30)

    def end(self) -> None:
        self.server.stop()

    def stop(self) -> None:
        self._send(signal.SIGSTOP)

    def mend(self) -> None:
        if self.how == "stop":
            self._send(signal.SIGCONT)
            return
        for _ in range(20):  # right after a kill the old server's processes may still be going
            super(Postgres, self.server).start()
            assert self.server.process is not None
            for _ in range(150):
                if self.server._answers():
                    return
                if self.server.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise AssertionError(f"PostgreSQL does not start again\n{self.server.log}")

    def _send(self, number: int) -> None:
        assert self.server.process is not None
        for pid in (*children(self.server.process.pid), self.server.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


HOLDER = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
other.execute("BEGIN IMMEDIATE")
other.execute("UPDATE tournaments SET reason = 'half written'")
print("held", flush=True)
time.sleep(3600)
"""


class SqliteDatabase(Part):
    """Another program that holds SQLite's write lock in mid-transaction, until it is killed (`kill`) or ends (`stop`)."""

    ways = ("kill", "stop")

    def __init__(self, path: Path) -> None:
        super().__init__("database")
        self.path = path
        self.holder: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        self.holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(self.path)], stdout=subprocess.PIPE)
        assert self.holder.stdout is not None
        self.holder.stdout.readline()

    stop = kill

    def mend(self) -> None:
        if self.holder is not None:
            self.holder.send_signal(signal.SIGKILL if self.how == "kill" else signal.SIGTERM)
            self.holder.wait(10)
            self.holder = None


class Dockerd(Part):
    """The Docker engine's daemon; its containers go on running until it is back, and then end."""

    def __init__(self, engine: PrivateEngine) -> None:
        super().__init__("engine")
        self.engine = engine

    def kill(self) -> None:
        self.engine.dockerd.kill()
        self.engine.dockerd.wait(10)

    def end(self) -> None:
        self.engine.dockerd.terminate()

    def stop(self) -> None:
        self.engine.dockerd.send_signal(signal.SIGSTOP)

    def mend(self) -> None:
        if self.how == "stop":
            self.engine.dockerd.send_signal(signal.SIGCONT)
            return
        daemon = self.engine.dockerd
        with contextlib.suppress(subprocess.TimeoutExpired):
            daemon.wait(30)
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait(10)
        with (self.engine.folder / "log").open("ab") as log:
            again = subprocess.Popen(daemon.args, stdout=log, stderr=log)
        self.engine._processes[self.engine._processes.index(daemon)] = again
        self.engine.dockerd = again


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that live."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
    return found


def command(pid: int) -> str:
    """The command line of a process; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def database_answers(url: str) -> bool:
    """Whether a transaction can be begun now."""
    try:
        if url.startswith("sqlite"):
            with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=0.2)) as connection:
                connection.execute("SELECT count(*) FROM tournaments")
        else:
            psycopg.connect(url.replace("+psycopg", ""), connect_timeout=2).close()
    except (sqlite3.Error, psycopg.Error):
        return False
    return True
