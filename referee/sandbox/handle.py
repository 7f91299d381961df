"""What the table knows of a seat's bot at work: the same handle for a container and for a plain process."""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

SOCKET_NAME = "seat.sock"
"""The one file in a seat's folder: the Unix socket on which the referee listens for this seat."""


@dataclass(frozen=True, slots=True)
class SeatLaunch:
    """What to start for one seat: `image` (a container image, or for a process sandbox the bot's folder), and where
    its socket lies. `folder` holds the socket `seat.sock`, already listening, and nothing else."""

    image: str
    folder: Path
    fixture: str
    seat: int
    runtime: str = "python"


@dataclass(frozen=True, slots=True)
class ExitReport:
    """How a bot's main process ended, as far as there is evidence; whom to blame is for the reader to judge.

    `code` is what it passed to exit, None if it was killed or the code is unknown; `signal` is the signal that killed
    it. `memory` is "limit" when the kernel killed a process of this container at the container's own limit (main or
    child), "host" when it did so because the machine was out of memory, else empty. `ours` says that we killed it,
    `outside` that someone else on this machine killed or removed it: never the bot's fault.
    """

    code: int | None = None
    signal: int | None = None
    memory: Literal["", "limit", "host"] = ""
    ours: bool = False
    outside: bool = False

    def __str__(self) -> str:
        if self.memory == "limit":
            return "the memory limit was reached"
        if self.memory == "host":
            return "the machine ran out of memory"
        if self.ours:
            return "stopped by the referee"
        if self.outside:
            return "stopped or removed from outside"
        if self.signal is not None:
            try:
                return f"killed by {signals.Signals(self.signal).name}"
            except ValueError:
                return f"killed by signal {self.signal}"
        return f"exited with code {self.code}" if self.code is not None else "ended with an unknown code"


class SeatHandle(Protocol):
    """One bot at work at one seat. Everything but `wait` and `close` returns at once and never raises.

    Nothing here judges: times, logs and exits are reported as they are. `close` must be awaited on every path; a
    handle is also an async context manager that does so.
    """

    name: str
    """Unique name, of the container where there is one."""
    pid: int
    """Of the main process, in the referee's own process namespace; 0 where it cannot be known."""

    @property
    def running(self) -> bool:
        """False as soon as the main process is known to have ended, or `close` was called."""
        ...

    @property
    def out_of_memory(self) -> bool:
        """True once the kernel has killed any process of this seat at its memory limit, even if the main one lives."""
        ...

    def cpu_ns(self) -> int | None:
        """Processor time in ns that all processes of this seat have used since start; about 2 µs a call.

        After the end it stays at the last value read. None: cannot be read on this machine (charge wall time, note it).
        """
        ...

    def stalled_ns(self) -> int:
        """Time in ns that this seat's threads were runnable but waiting for a processor, or throttled by the quota.

        Grows only; what is above wall time less `cpu_ns()` comes from several threads waiting at once: clip it. Costs
        some 20 µs a thread: read it when a decision turns out slow (first at about 100 ms), not at every decision.
        """
        ...

    def late_ns(self) -> int:
        """Of what `stalled_ns` told at its calls so far, what had passed before the call before: time in ns, summed.

        The kernel counts a wait when it ends; a thread that waited across several calls had seemed idle at them.
        """
        ...

    def freeze(self) -> bool:
        """Every process of this seat stands still until `thaw`; false where this machine gives no right to do so."""
        ...

    def thaw(self) -> None:
        """The processes of this seat run again; does nothing if they were not frozen."""
        ...

    def take_log(self) -> tuple[bytes, bool]:
        """What the bot printed since the last call (at most `log_kib`), and whether some was cut out of it.

        Any bytes at all; the cut is marked in the text. What was printed within the last milliseconds may arrive only
        in the next call, except after `wait` or `close`, when everything has arrived.
        """
        ...

    @property
    def printed(self) -> int:
        """Grows when the bot prints something; what the number is means nothing."""
        ...

    def ask_where(self) -> bool:
        """The main process was sent SIGUSR1, on which botkit prints where its bot is; false if that cannot be done.

        For a bot that is about to be killed all the same: one that does not know the signal may end of it.
        """
        ...

    def kill(self) -> None:
        """Every process of this seat is being killed; whether frozen, stopped or deaf to signals does not matter."""
        ...

    async def wait(self) -> ExitReport:
        """How the main process ended, once it has. May be awaited by several, cancelled and called again.

        `PlatformFault("docker")` when the engine can no longer say.
        """
        ...

    async def close(self) -> None:
        """Nothing of this seat is left: processes killed, container removed, files closed. Safe to repeat; survives
        cancellation (the removal goes on in the background, `Engine.close` waits for it)."""
        ...


class Sandbox(Protocol):
    """A way to run bots: `ContainerSandbox` for everyone's, `ProcessSandbox` for the author's own only."""

    async def launch(self, seat: SeatLaunch) -> SeatHandle:
        """The seat's bot is starting; it will dial the socket. `PlatformFault("docker")` when it cannot be started."""
        ...
