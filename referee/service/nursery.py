"""The nursery: a process that has loaded what a match process needs, and forks one whenever it is asked to.

`python -m referee.service.nursery FD`. What its children share with it is in memory once, so that a match process
costs the few MB that are its own, and is there in milliseconds. It does nothing else: one thread, no event loop, no
gRPC beyond its import, no connection to anything but its parent. So nothing that holds a channel, a server or a
database is ever forked; a test sees to it. Children outlive it: one that is killed harms no fixture.

On the socket FD: a message with one socket asks for a match process at that socket, and is answered with its pid and
a pidfd; `pid code` tells later how it ended. The nursery ends when the socket does.
"""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import socket
import sys
from collections import deque
from contextlib import suppress
from typing import NoReturn

from referee.errors import PlatformFault

START_S = 60.0
"""How long the first match process may take, with all that is loaded before it."""
REPORT_S = 1.0
"""How long the nursery may take to tell the exit code of a process that has ended."""
# One arena of memory: under a flood of frames gRPC's threads kept hundreds of freed MiB in eight of them. Sockets are
# read by the thread that waits for them: fewer threads, and a quarter off a message's way there and back.
ENVIRONMENT = {
    "GRPC_ENABLE_FORK_SUPPORT": "0",
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "8192",  # a read buffer goes back to the system when gRPC frees it
    "MALLOC_TRIM_THRESHOLD_": "65536",
}


class Child:
    """A match process, which is the nursery's child and not ours: the same names as asyncio's for a process."""

    def __init__(self, pid: int, pidfd: int) -> None:
        self.pid, self._pidfd = pid, pidfd
        self.returncode: int | None = None
        """As `subprocess` has it, None while the process runs; 1 where nobody can tell any more."""
        self._loop = asyncio.get_running_loop()
        self._gone, self._code = asyncio.Event(), asyncio.Event()
        self._told = 1
        self._loop.add_reader(pidfd, self._ended)

    def told(self, code: int) -> None:
        """The nursery has told how it ended."""
        self._told = code
        self._code.set()
        if self._gone.is_set():
            self.returncode = code

    async def wait(self) -> int:
        """The exit code, once the process has ended."""
        await self._gone.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._code.wait(), REPORT_S)
        self.returncode = self._told
        return self._told

    def kill(self) -> None:
        if self._pidfd < 0:
            raise ProcessLookupError
        signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        self.returncode = self._told
        self._gone.set()


class Nursery:
    """This side of a nursery: started when it is first needed, and anew when it is gone."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None
        self._socket: socket.socket | None = None
        self._asked: deque[asyncio.Future[Child]] = deque()
        self._children: dict[int, Child] = {}
        self._starting = asyncio.Lock()

    async def fork(self) -> tuple[Child, socket.socket]:
        """A new match process, and our end of the socket to it. `PlatformFault` if there is none within a minute."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                asked = await self._ask(theirs)
            child = await asyncio.wait_for(asked, START_S)
        except (OSError, TimeoutError, PlatformFault) as error:
            ours.close()
            await self.kill()  # the next asks a new one
            raise PlatformFault(
                "internal", f"no match process could be started ({error or 'nursery is silent'})"
            ) from None
        except BaseException:
            ours.close()
            raise
        return child, ours

    async def kill(self) -> None:
        """The nursery has ended, whatever it was doing; the match processes go on."""
        process, self.process = self.process, None
        self._lost()
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """The nursery has ended by itself; its children are ended by whoever uses them."""
        async with self._starting:
            self._lost()
            with suppress(TimeoutError):
                if self.process is not None:
                    await asyncio.wait_for(self.process.wait(), REPORT_S)
            await self.kill()

    async def _ask(self, theirs: socket.socket) -> asyncio.Future[Child]:
        async with self._starting:
            if self._socket is None or self.process is None or self.process.returncode is not None:
                await self.kill()
                await self._start()
            assert self._socket is not None
            asked: asyncio.Future[Child] = asyncio.get_running_loop().create_future()
            self._asked.append(asked)
            socket.send_fds(self._socket, [b"fork"], [theirs.fileno()])
            return asked

    async def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "referee.service.nursery", str(theirs.fileno())),
                stdin=asyncio.subprocess.DEVNULL,
                env=os.environ | ENVIRONMENT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the referee to act on
            )
        self._socket = ours
        asyncio.get_running_loop().add_reader(ours, self._heard)

    def _heard(self) -> None:
        assert self._socket is not None
        try:
            data, fds, _, _ = socket.recv_fds(self._socket, 64, 1)
        except BlockingIOError:
            return
        except OSError:
            data, fds = b"", []
        numbers = [int(number) for number in data.split()]
        if not numbers:
            self._lost()
        elif fds:
            child = self._children[numbers[0]] = Child(numbers[0], fds[0])
            asked = self._asked.popleft() if self._asked else None
            if asked is None or asked.done():  # whoever asked is gone; its socket is closed, so that it ends by itself
                return
            asked.set_result(child)
        elif (ended := self._children.pop(numbers[0], None)) is not None:
            ended.told(numbers[1])

    def _lost(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        self._children.clear()
        while self._asked:
            asked = self._asked.popleft()
            if not asked.done():
                asked.set_exception(PlatformFault("internal", "the nursery has ended"))


# ---- the process itself


def load() -> None:
    """Whatever a match process would load or work out by itself is in memory, and its pages are left alone."""
    import random

    import docker.api.client  # noqa: F401

    import referee.sandbox.container
    import referee.sandbox.process
    import referee.service.host  # noqa: F401
    from referee.games import registry
    from referee.games.match import Match
    from referee.match.seat import Turn
    from referee.service.table_codec import encoder_of

    for name in registry.names():  # a match of each game fills its tables
        game, rng = registry.get(name), random.Random(9)  # noqa: S311
        match = Match(game, game.complete({}, 2), 2, bytes(32))
        while not match.finished:
            assert match.round is not None
            assert match.turn is not None
            legal, events = match.legal(), match.round.visible(match.turn)
            encoder_of(name).turn(1, Turn(match.view(match.turn), legal, events, 0.0, 0.0), 10_000, 100, "cpu")
            match.choose(rng.choice(legal), 0.0, 0.0)
        match.document()
    gc.collect()
    gc.freeze()


def serve(control: socket.socket) -> None:
    """Match processes are forked as asked for, until the other end is closed; their ends are told."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    children: dict[int, int] = {}  # pid by pidfd
    while True:
        for fd, _ in poll.poll():
            if fd != control.fileno():
                pid = children.pop(fd)
                poll.unregister(fd)
                os.close(fd)
                _, status = os.waitpid(pid, 0)
                with suppress(OSError):
                    control.send(b"%d %d" % (pid, os.waitstatus_to_exitcode(status)))
                continue
            data, fds, _, _ = socket.recv_fds(control, 64, 1)
            if not data:
                for pid in children.values():  # they end as their own sockets do; none is left for others to collect
                    os.waitpid(pid, 0)
                return
            with socket.socket(fileno=fds[0]) as table:
                pid = os.fork()
                if pid == 0:
                    play(table, [control.fileno(), *children])
            pidfd = os.pidfd_open(pid)
            children[pidfd] = pid
            poll.register(pidfd, select.POLLIN)
            socket.send_fds(control, [b"%d" % pid], [pidfd])


def play(table: socket.socket, others: list[int]) -> NoReturn:
    """The life of a match process; nothing of it runs after this."""
    code = 1
    try:
        for fd in others:
            os.close(fd)
        os.setsid()
        name("nf-match")
        from referee.service import host

        code = host.run(table)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def name(text: str) -> None:
    """`ps` and `top` show the process under that name."""
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    name("nf-nursery")
    os.dup2(2, 1)  # whatever prints does so in the log
    gc.disable()  # no page of what is loaded is written to before it is shared
    with socket.socket(fileno=int(sys.argv[1])) as parent:
        load()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        serve(parent)
