"""One locked container for one seat: started, watched, stopped, removed. It reports and judges nothing."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import requests
from docker.errors import APIError, NotFound

from referee.errors import PlatformFault
from referee.sandbox.cgroup import Readings
from referee.sandbox.ending import code_and_signal, status_of_pidfd, status_of_zombie
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.handle import SOCKET_NAME, ExitReport, SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.lockdown import SECCOMP, host_config
from referee.sandbox.logs import LogPump
from referee.sandbox.owner import owned
from referee.sandbox.rundir import check_socket_path
from referee.sandbox.warm import own_layer, warm

SOCKET_FOLDER = "/run/ninefold"
"""Where a seat's folder appears inside its container; NINEFOLD_SOCKET in the image names the socket in it."""
REMOVAL_S, REMOVAL_PAUSE_S, GROUPS_S = 300.0, 1.0, 10.0
"""How long a removal may take on a busy machine, how often the engine is asked, how long it may need for the groups."""
FIRST_UID, UIDS = 1_700_000_000, 65_536
"""Each container runs as a uid of its own out of this range: the kernel counts pipes, inotify watches and pending
signals per uid, so that one bot cannot use up another's."""


class ContainerSandbox:
    """Starts locked containers for one league on one engine. `runtime` is `runc`, or `runsc` for gVisor."""

    def __init__(self, engine: Engine, league: str, limits: Limits | None = None, runtime: str = "runc") -> None:
        self.engine, self.league, self.runtime = engine, league, runtime
        self.limits = limits or Limits()
        self.host = host_config(self.limits, runtime)
        self._layers: dict[str, Path | None] = {}

    @property
    def sealed(self) -> bool:
        """Whether our list of system calls is in force, under which no bot can have the kernel kill it by a limit."""
        return self.runtime == "runc" and SECCOMP in self.host["SecurityOpt"]  # gVisor does without the list

    def config(self, seat: SeatLaunch) -> dict[str, Any]:
        """The whole container as Docker's API takes it; the command and environment are the image's."""
        mount = {"Type": "bind", "Source": str(seat.folder), "Target": SOCKET_FOLDER, "ReadOnly": True}
        uid = FIRST_UID + secrets.randbelow(UIDS)
        return {
            "Image": seat.image,
            "User": f"{uid}:{uid}",
            "Hostname": "seat",
            "AttachStdout": True,
            "AttachStderr": True,
            "NetworkDisabled": True,
            "Labels": owned(self.league) | {f"{LABEL}.fixture": seat.fixture, f"{LABEL}.seat": str(seat.seat)},
            "HostConfig": {**self.host, "Mounts": [{**mount, "BindOptions": {"Propagation": "rprivate"}}]},
        }

    async def launch(self, seat: SeatLaunch) -> ContainerHandle:
        """A container for `seat` runs; its bot dials the socket. About 0.2 s; nothing is left if this is cancelled."""
        prepared = await self.prepare(seat)
        return await prepared.start()

    async def prepare(self, seat: SeatLaunch) -> PreparedContainer:
        """A container for `seat` exists and its output is attached; nothing in it runs until `start`.

        About half of what `launch` takes, so that the other half is left when the container is wanted.
        """
        check_socket_path(seat.folder / SOCKET_NAME)
        name = f"nf-{self.league}-{secrets.token_hex(6)}"
        work = asyncio.ensure_future(self.engine.call(self._create, name, self.config(seat)))
        try:
            stream = await asyncio.shield(work)
        except BaseException:  # also cancellation: the thread goes on and may still make the container
            self.engine.detach(_remove_after(self.engine, work, name))
            raise
        return PreparedContainer(self, name, stream)

    def _create(self, name: str, config: dict[str, Any]) -> socket.socket:
        self.engine.api.create_container_from_config(config, name)  # type: ignore[no-untyped-call]
        image = config["Image"]
        if image not in self._layers:
            self._layers[image] = own_layer(self.engine.api.inspect_image(image))  # type: ignore[no-untyped-call]
        if (layer := self._layers[image]) is not None:
            warm(layer)  # each time: what is not used may have been thrown out since
        return attached_socket(self.engine, name)


async def _remove_after(engine: Engine, work: asyncio.Future[Any], name: str) -> None:
    with contextlib.suppress(BaseException):
        result = await work
        if isinstance(result, socket.socket):
            result.close()
    await removed(engine, name)


def attached_socket(engine: Engine, name: str, stdin: bool = False) -> socket.socket:
    """The plain socket of a container's streams, detached from the response that would close it when collected."""
    wanted = {"stdout": 1, "stderr": 1, "stream": 1, "stdin": int(stdin)}
    attached: Any = engine.blocking(engine.api.attach_socket, name, wanted)
    inner = attached if isinstance(attached, socket.socket) else attached._sock
    return socket.socket(fileno=os.dup(inner.fileno()))


def visible(pid: int, container: str) -> bool:
    """Whether `pid`, as the engine says it, names the process of that container here too.

    In a container without the host's process namespace the number may be that of anything, such as ourselves. A process
    that has just ended has left its cgroup, and is taken for what the engine says.
    """
    try:
        groups = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8", errors="replace")
        ended = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
    except (OSError, IndexError):
        return False
    return container in groups or ended


class PreparedContainer:
    """A created container that does not run yet: `start` it or `close` it."""

    def __init__(self, sandbox: ContainerSandbox, name: str, stream: socket.socket) -> None:
        self._sandbox, self.name, self._stream = sandbox, name, stream

    async def start(self) -> ContainerHandle:
        """The container runs. On failure or cancellation it is removed."""
        engine = self._sandbox.engine
        work = asyncio.ensure_future(engine.call(self._start))
        try:
            pid = await asyncio.shield(work)
            return ContainerHandle(engine, self.name, pid, self._stream, self._sandbox.limits, self._sandbox.sealed)
        except BaseException:
            self._stream.close()
            engine.detach(_remove_after(engine, work, self.name))
            raise

    def _start(self) -> int:
        api = self._sandbox.engine.api
        api.start(self.name)
        made = api.inspect_container(self.name)
        pid = int(made["State"]["Pid"])
        return pid if pid and visible(pid, made["Id"]) else 0

    async def close(self) -> None:
        """The container is gone without ever having run."""
        self._stream.close()
        engine = self._sandbox.engine
        await asyncio.shield(engine.detach(_gone(engine, self.name)))


async def _gone(engine: Engine, name: str) -> None:
    await removed(engine, name)


async def removed(engine: Engine, name: str, deadline: float = math.inf) -> bool:
    """Whether the container is gone, by that time of the loop, and within five minutes; what is left is the reaper's.

    An engine that refuses is asked again: it does where the process ends just as it is to be killed. One that does not
    answer at all is not.
    """
    loop = asyncio.get_running_loop()
    deadline = min(deadline, loop.time() + REMOVAL_S)
    while loop.time() < deadline:
        try:
            await engine.call(engine.remove_container, name)
            return True
        except PlatformFault as fault:
            if not isinstance(fault.__cause__, APIError | requests.Timeout):
                return False
        await asyncio.sleep(REMOVAL_PAUSE_S)
    return False


class ContainerHandle:
    """A seat's container at work; see `SeatHandle` for what each member promises."""

    def __init__(
        self, engine: Engine, name: str, pid: int, stream: socket.socket, limits: Limits, sealed: bool = False
    ) -> None:
        self.name, self.pid, self._engine, self._sealed = name, pid, engine, sealed
        self._loop = asyncio.get_running_loop()
        self._killed = self._closed = self._oom = self._signalled = False
        self._exit: asyncio.Future[ExitReport] = self._loop.create_future()
        self._exit.add_done_callback(lambda future: future.cancelled() or future.exception())  # may go unasked
        self._readings: Readings | None = None
        with contextlib.suppress(OSError, KeyError, ValueError):  # not on this machine, or it has already ended
            self._readings = Readings.of(pid) if pid else None
        if self._readings is not None:
            self._readings.watch_memory(self._loop, self._memory_event)
        self._output = LogPump(self._loop, stream, limits.log_bytes, framed=True)
        self._pidfd = -1
        with contextlib.suppress(OSError):
            self._pidfd = os.pidfd_open(pid) if pid else -1
        if self._pidfd >= 0:
            self._loop.add_reader(self._pidfd, self._ended)
        else:  # it has ended already, or the engine's processes are not visible from here
            self._engine.detach(self._collect(watch=True))

    # --- what the table asks ---

    @property
    def running(self) -> bool:
        return not (self._closed or self._ended_at_all)

    _ended_at_all = False
    _status: int | None = None

    @property
    def out_of_memory(self) -> bool:
        if not self._oom and self._readings is not None and self._readings.memory_signalled():
            self._memory_event(looks=0)  # not left to the loop: an answer sent after a kill must find it noticed
        return self._oom

    def cpu_ns(self) -> int | None:
        return None if self._readings is None else self._readings.cpu_ns()

    def stalled_ns(self) -> int:
        return 0 if self._readings is None else self._readings.waiting_ns() + self._readings.throttled_ns()

    def late_ns(self) -> int:
        return 0 if self._readings is None else self._readings.late_ns

    def freeze(self) -> bool:
        return self._readings is not None and self._readings.freeze(True)

    def thaw(self) -> None:
        if self._readings is not None:
            self._readings.freeze(False)

    def take_log(self) -> tuple[bytes, bool]:
        return self._output.take()

    @property
    def printed(self) -> int:
        return self._output.read

    def ask_where(self) -> bool:
        if self._pidfd < 0 or self._ended_at_all:
            return False
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGUSR1)
        except OSError:  # not root: the log does without
            return False
        return True

    def kill(self) -> None:
        self._killed = True
        if self._pidfd < 0 or self._ended_at_all:
            return
        # The first process of a pid namespace takes all others with it. v1's freezer holds even SIGKILL back.
        with contextlib.suppress(OSError):  # not root: `close` asks the engine
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            self._signalled = True
        self.thaw()

    async def wait(self) -> ExitReport:
        return await asyncio.shield(self._exit)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.kill()
            self._removal = self._engine.detach(self._remove())
        await asyncio.shield(self._removal)

    _removal: asyncio.Task[None]

    async def __aenter__(self) -> ContainerHandle:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- the end ---

    def _memory_event(self, looks: int = 4) -> None:
        if self._readings is None or self._oom:
            return
        if self._readings.poll_memory() and self._readings.limit_hits:
            self._oom = True
        elif looks:  # v1 signals the limit before the kernel kills, and not again
            self._loop.call_later(0.05, self._memory_event, looks - 1)

    def _ended(self) -> None:
        self._ended_at_all = True
        self._loop.remove_reader(self._pidfd)
        self._status = status_of_zombie(self.pid)  # first: the engine collects it any moment now
        if self._readings is not None:  # at once: the group is gone within milliseconds
            self._readings.cpu_ns()
            self._memory_event()
        self._engine.detach(self._collect(watch=False))

    async def _collect(self, watch: bool) -> None:
        """Settles the exit report from the engine's record and the kernel's; needs the container to exist still."""
        try:
            state = await self._engine.call(self._final_state, watch)
        except PlatformFault as fault:
            if not self._exit.done():
                if self._killed:
                    self._exit.set_result(ExitReport(ours=True))
                else:
                    self._exit.set_exception(PlatformFault("docker", f"container {self.name}: {fault.reason}"))
            return
        finally:
            self._ended_at_all = True
        await self._output.drained(1.0)
        if not self._exit.done():
            self._exit.set_result(self._report(state))

    def _final_state(self, watch: bool) -> dict[str, Any] | None:
        api = self._engine.api
        try:
            if watch:
                api.wait(self.name, timeout=None)
            deadline = time.monotonic() + 30
            while True:
                state: dict[str, Any] = api.inspect_container(self.name)["State"]
                if not state["Running"]:
                    break
                if time.monotonic() > deadline:
                    raise PlatformFault("docker", "its process has ended, but the engine still says it runs")
                time.sleep(0.005)
            if state["ExitCode"] == 137 and not self._killed and not (self._sealed and self._status == signal.SIGKILL):
                state["FromOutside"] = self._killed_by_engine()
            return state
        except NotFound:
            return None

    def _killed_by_engine(self) -> bool:
        """Whether someone had the engine kill this container, by the engine's own event log."""
        now = time.time()
        events = self._engine.api.events(
            since=int(now - 60),
            until=int(now + 1),
            filters={"container": self.name, "event": ["kill", "stop"]},
            decode=True,
        )
        return any(True for _ in events)

    def _report(self, state: dict[str, Any] | None) -> ExitReport:
        if self._status is None and self._pidfd >= 0:
            self._status = status_of_pidfd(self._pidfd)
        code, number = code_and_signal(self._status, int(state["ExitCode"]) if state is not None else 137)
        killed = number == signal.SIGKILL or (self._status is None and code == 137)
        memory = self._memory_verdict(killed, state is not None and bool(state["OOMKilled"]))
        self._oom = self._oom or memory == "limit"
        # Nothing inside can send SIGKILL to the first process of its own namespace, but the kernel does at a limit that
        # a bot has set for itself. So the signal alone tells of someone outside only where no bot can set such a limit,
        # which the probe has tried; elsewhere the engine must know of it, as it does of its own kills.
        outside = state is None or (number == signal.SIGKILL and self._sealed) or bool(state.get("FromOutside"))
        if killed and (memory or self._killed or outside):
            code, number = None, int(signal.SIGKILL)
        ours = self._killed and not memory
        return ExitReport(code, number, memory, ours, outside and not memory and not ours)

    def _memory_verdict(self, killed: bool, engine_says: bool) -> Literal["", "limit", "host"]:
        if self._oom or engine_says:
            return "limit"
        if self._readings is not None and self._readings.oom_signalled() and killed:
            return "limit"
        if self._readings is not None and self._readings.oom_kills:
            return "host"
        return ""

    async def _remove(self) -> None:
        """The container is gone, its processes and its control groups, as far as this machine shows them.

        The engine is asked once all is dead: on a busy machine it gives up killing a fork bomb after ten seconds, or
        calls it removed and leaves its groups behind. If it refuses all the same it is asked again; not if it is gone.
        """
        deadline = self._loop.time() + REMOVAL_S
        try:
            dying = self._signalled or self._ended_at_all
            if dying:
                await self._until(lambda: not self._processes(), deadline)
            if not await removed(self._engine, self.name, deadline):
                return
            readings = self._readings
            if readings is not None and dying:
                await self._until(readings.discard, min(deadline, self._loop.time() + GROUPS_S))
        finally:
            self._release()

    async def _until(self, done: Callable[[], bool], deadline: float) -> None:
        while not done() and self._loop.time() < deadline:
            await asyncio.sleep(0.01)

    def _processes(self) -> list[int]:
        return [] if self._readings is None else self._readings.processes()

    def _release(self) -> None:
        self._output.close()
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
        if self._readings is not None:
            self._readings.close()
        if not self._exit.done():
            self._exit.set_result(ExitReport(ours=True))
