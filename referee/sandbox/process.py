"""The author's own bot as a plain process, for quick local play: the handle of a container, and none of its walls."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import TracebackType

from referee.errors import PlatformFault
from referee.sandbox.cgroup import Waits
from referee.sandbox.handle import SOCKET_NAME, ExitReport, SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.logs import LogPump
from referee.sandbox.node_client import node_client
from referee.sandbox.rootfs import package_folder
from referee.sandbox.rundir import check_socket_path

NOTICE = "sandbox: process (bots run as they are, with your rights and without limits: only for your own code)"
"""What is said in one line wherever this is used."""
TOKEN = "NINEFOLD_PROCESS"  # noqa: S105 - marks the bot's processes, also those that leave their group
REFRESH_NS = 20_000_000


class ProcessSandbox:
    """Starts bots as processes of this user. `SeatLaunch.image` is the bot's folder."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()

    async def launch(self, seat: SeatLaunch) -> ProcessHandle:
        """The bot's process runs in a session of its own; nothing of it outlives `close`."""
        path = check_socket_path(seat.folder / SOCKET_NAME)
        folder, token = Path(seat.image).resolve(), secrets.token_hex(8)
        ours, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(  # vfork and exec: no handler of gRPC's runs, nothing is copied
                command(folder, seat.runtime),
                cwd=folder,
                env=_environment(path, token) | _node(seat),
                stdin=subprocess.DEVNULL,
                stdout=theirs.fileno(),
                stderr=theirs.fileno(),
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise PlatformFault("internal", f"the bot in {folder} cannot be started: {error}") from error
        finally:
            theirs.close()
        return ProcessHandle(process, token, ours, self.limits)


def command(folder: Path, runtime: str) -> list[str]:
    """What runs the bot in `folder`, by its bot.toml."""
    entry = str(folder / tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8-sig"))["entry"])
    if runtime == "python":
        return [sys.executable, "-u", str(package_folder("deploy", "images/start.py") / "images/start.py"), entry]
    if runtime == "node":
        return ["node", entry]
    return [sys.executable, "-u", "-m", "botkit.stdio", entry]


def _environment(path: Path, token: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NINEFOLD_")}
    ours = [package_folder("botkit").parent, package_folder("protos").parent, package_folder("referee").parent]
    search = [str(folder) for folder in ours] + [kept.get("PYTHONPATH", "")]
    return kept | {
        "NINEFOLD_SOCKET": str(path),
        TOKEN: token,
        "PYTHONPATH": os.pathsep.join(filter(None, dict.fromkeys(search))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _node(seat: SeatLaunch) -> dict[str, str]:
    """For a Node bot: `require("ninefold")` finds the module that the image has, through a link beside the socket."""
    if seat.runtime != "node":
        return {}
    modules = seat.folder / "node_modules"
    modules.mkdir(exist_ok=True)
    link = modules / "ninefold"
    if not link.is_symlink():
        link.symlink_to(node_client() or package_folder("sample_bots", "botkit_node/index.js") / "botkit_node")
    return {"NODE_PATH": str(modules)}


class ProcessHandle:
    """A bot's processes; see `SeatHandle` for what each member promises. It knows no memory limit."""

    out_of_memory = False

    def __init__(self, process: subprocess.Popen[bytes], token: str, stream: socket.socket, limits: Limits) -> None:
        self.pid, self.name, self._process, self._token = process.pid, f"process-{process.pid}", process, token
        self._loop = asyncio.get_running_loop()
        self._output = LogPump(self._loop, stream, limits.log_bytes, framed=False)
        self._exit: asyncio.Future[ExitReport] = self._loop.create_future()
        self._killed = self._closed = False
        self._used: dict[int, int] = {process.pid: 0}
        self._refreshed = self._gone = 0
        self._waits = Waits()
        self._pidfd = os.pidfd_open(process.pid)
        self._loop.add_reader(self._pidfd, self._ended)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        return not self._closed and self._process.returncode is None

    def cpu_ns(self) -> int | None:
        now = time.monotonic_ns()
        if now - self._refreshed > REFRESH_NS and self._process.returncode is None:
            self._refreshed = now
            for pid in _descendants(self.pid):
                self._used.setdefault(pid, 0)
        for pid in list(self._used):
            try:
                self._used[pid] = time.clock_gettime_ns((~pid << 3) | 2)  # the clock of that process (CPUCLOCK_SCHED)
            except OSError:  # ended: its last value stays, its number may come again
                self._gone += self._used.pop(pid)
        return self._gone + sum(self._used.values())

    def stalled_ns(self) -> int:
        return self._waits.read(b"%d" % pid for pid in self._used)

    def late_ns(self) -> int:
        return self._waits.late_ns

    def freeze(self) -> bool:
        self._signal(signal.SIGSTOP)
        return True

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def take_log(self) -> tuple[bytes, bool]:
        return self._output.take()

    @property
    def printed(self) -> int:
        return self._output.read

    def ask_where(self) -> bool:
        if not self.running:
            return False
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGUSR1)  # not to its group: children need not know it
        except OSError:
            return False
        return True

    def kill(self) -> None:
        if self._process.returncode is None:
            self._killed = True
        self._signal(signal.SIGKILL)

    async def wait(self) -> ExitReport:
        return await asyncio.shield(self._exit)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.kill()
        for _ in range(50):  # a child may fork while we look
            strays = _marked(self._token)
            if not strays and self._process.poll() is not None:
                break
            for pid in strays:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.01)
        self._ended()
        self._output.close()
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    async def __aenter__(self) -> ProcessHandle:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.pid, number)

    def _ended(self) -> None:
        self.cpu_ns()
        code = self._process.poll()
        if code is None or self._exit.done():
            return
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
        report = ExitReport(code=code if code >= 0 else None, signal=-code if code < 0 else None, ours=self._killed)
        if self._closed:
            self._exit.set_result(report)
            return
        task = self._loop.create_task(self._settle(report))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _settle(self, report: ExitReport) -> None:
        """The log is whole before the exit is known; a child that keeps the stream open delays it by little."""
        await self._output.drained(0.2)
        if not self._exit.done():
            self._exit.set_result(report)


def _descendants(pid: int) -> list[int]:
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        with contextlib.suppress(OSError, ValueError):
            for task in os.listdir(f"/proc/{parent}/task"):
                text = Path(f"/proc/{parent}/task/{task}/children").read_text(encoding="ascii")
                todo += [int(child) for child in text.split()]
        found.append(parent)
    return found


def _marked(token: str) -> list[int]:
    """The processes of this user that carry `token` in their environment: the bot's, whatever group they went to."""
    mark, found = f"{TOKEN}={token}".encode(), []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
    return found
