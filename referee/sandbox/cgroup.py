"""What the kernel says of a container: processor time, waiting, throttling, memory events; cgroup v1 and v2.

The parsers are pure; `Readings` keeps the files of one container open, so that a reading is one system call.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

NEAR_LIMIT = 1024 * 1024
"""The kernel charges memory in batches: a group killed at its limit may have stopped so much short of it."""


def keyed(text: bytes) -> dict[str, int]:
    """The lines `key number` of a flat keyed cgroup file (`cpu.stat`, `memory.events`, `memory.oom_control`)."""
    values: dict[str, int] = {}
    for line in text.splitlines():
        key, _, number = line.partition(b" ")
        with contextlib.suppress(ValueError):
            values[key.decode("ascii", "replace")] = int(number)
    return values


def throttled_ns(cpu_stat: bytes) -> int:
    """Time the quota held the group back: `throttled_time` (v1, ns) or `throttled_usec` (v2)."""
    values = keyed(cpu_stat)
    return values["throttled_time"] if "throttled_time" in values else values.get("throttled_usec", 0) * 1000


def usage_ns(cpu_stat: bytes) -> int:
    """Processor time used by the group, from cgroup v2's `cpu.stat`."""
    return keyed(cpu_stat)["usage_usec"] * 1000


def waiting_ns(schedstat: bytes) -> int:
    """Time a thread was runnable but not running: the second field of /proc/…/schedstat."""
    return int(schedstat.split()[1])


def runnable_ns(schedstat: bytes) -> int:
    """Time a thread was running, or runnable but not running: its first two fields."""
    ran, waited = schedstat.split()[:2]
    return int(ran) + int(waited)


def own_path(proc_cgroup: str, controller: str) -> str:
    """Path of a process in the hierarchy of `controller` ("" for v2), from its /proc/<pid>/cgroup; KeyError if none."""
    for line in proc_cgroup.splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    raise KeyError(controller)


def mounts(mountinfo: str) -> dict[str, Path]:
    """Where each cgroup v1 controller ("cpuacct", …) and v2 ("") is mounted, from /proc/self/mountinfo."""
    found: dict[str, Path] = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        where = Path(before.split(" ")[4].replace("\\040", " "))
        if kind == "cgroup2":
            found.setdefault("", where)
        elif kind == "cgroup":
            for option in options.split(" ")[-1].split(","):
                found.setdefault(option, where)
    return found


@dataclass(frozen=True, slots=True)
class Groups:
    """The cgroup folders of one container. v2: all are the same; v1: one per controller."""

    version: int
    cpuacct: Path
    cpu: Path
    memory: Path
    freezer: Path
    all: tuple[Path, ...] = ()
    """The container's folders of every controller, these four and those that nobody reads."""


def groups(proc_cgroup: str, mounted: dict[str, Path]) -> Groups:
    """The folders of a process, v1 where its controllers are mounted and v2 else; KeyError if neither can be found."""
    if "cpuacct" in mounted:
        at = {c: mounted[c] / own_path(proc_cgroup, c).lstrip("/") for c in ("cpuacct", "cpu", "memory", "freezer")}
        every = {where / own_path(proc_cgroup, c).lstrip("/") for c, where in mounted.items() if _lists(proc_cgroup, c)}
        return Groups(1, at["cpuacct"], at["cpu"], at["memory"], at["freezer"], tuple(sorted(every)))
    folder = mounted[""] / own_path(proc_cgroup, "").lstrip("/")
    return Groups(2, folder, folder, folder, folder, (folder,))


def _lists(proc_cgroup: str, controller: str) -> bool:
    return any(controller in line.split(":", 2)[1].split(",") for line in proc_cgroup.splitlines())


class Waits:
    """Time that the threads of some processes were runnable but waiting, summed over those that ended too.

    The kernel counts a wait when it ends. So a thread may have been runnable for longer than has passed between two
    reads: what is above is `late_ns`, certain to have passed before the earlier of them. It is taken from one thread,
    never added up: many threads that wait at once must not make it more.
    """

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[int, int]] = {}
        self._gone = 0
        self._at = time.monotonic_ns()
        self.late_ns = 0

    def read(self, pids: Iterable[bytes]) -> int:
        """The sum in ns, with the threads that `pids` have now."""
        began = time.monotonic_ns()
        seen: dict[bytes, tuple[int, int]] = {}
        for pid in pids:
            with contextlib.suppress(OSError):
                for tid in os.listdir(b"/proc/" + pid + b"/task"):
                    path = b"/proc/" + pid + b"/task/" + tid + b"/schedstat"
                    with contextlib.suppress(OSError, IndexError, ValueError), open(path, "rb", buffering=0) as file:
                        text = file.read(64)
                        seen[tid] = waiting_ns(text), runnable_ns(text)
        return self._take(seen, began, time.monotonic_ns())

    def _take(self, seen: dict[bytes, tuple[int, int]], began: int, ended: int) -> int:
        """`seen` is what each thread has waited, and been runnable, read between these two times."""
        longest = max((new[1] - self._last[tid][1] for tid, new in seen.items() if tid in self._last), default=0)
        self.late_ns += max(0, longest - (ended - self._at))
        self._at = began
        self._gone += sum(old[0] for tid, old in self._last.items() if tid not in seen)
        self._last = seen
        return self._gone + sum(new[0] for new in seen.values())


class Readings:
    """The open files of one container's cgroup. Every method is one or two system calls and survives its removal."""

    def __init__(self, where: Groups) -> None:
        self.where = where
        self._files: list[int] = []
        v1 = where.version == 1
        self._cpu = self._open(where.cpuacct / ("cpuacct.usage" if v1 else "cpu.stat"))
        self._stat = self._open(where.cpu / "cpu.stat") if v1 else self._cpu
        self._events = self._open(where.memory / ("memory.oom_control" if v1 else "memory.events"))
        self._fails = self._open(where.memory / "memory.failcnt") if v1 else -1
        # failcnt stays 0 on newer kernels even after a kill at the limit; the highest usage does not
        self._peak = self._open(where.memory / "memory.max_usage_in_bytes") if v1 else -1
        self._limit = int((where.memory / "memory.limit_in_bytes").read_bytes()) if v1 else 0
        self._freezer = -1
        with contextlib.suppress(OSError):  # only root may freeze
            self._freezer = self._open(where.freezer / ("freezer.state" if v1 else "cgroup.freeze"), os.O_WRONLY)
        self._last_cpu = 0
        self._last_throttled = 0
        self._waits = Waits()
        self._oom_fd = -1
        self._oom_count = 0
        self._pressed = False
        self._poller: select.epoll | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.oom_kills = 0
        self.limit_hits = 0

    @classmethod
    def of(cls, pid: int) -> Readings:
        """The readings of the container that process `pid` lies in; OSError or KeyError where they cannot be had."""
        mounted = mounts(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace"))
        return cls(groups(Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8"), mounted))

    def _open(self, path: Path, flags: int = os.O_RDONLY) -> int:
        fd = os.open(path, flags | os.O_CLOEXEC)
        self._files.append(fd)
        return fd

    def processes(self) -> list[int]:
        """The processes of the group that live, or are still dying."""
        try:
            return [int(pid) for pid in (self.where.cpuacct / "cgroup.procs").read_bytes().split()]
        except OSError:
            return []

    def discard(self) -> bool:
        """Whether the group's folders are gone; those that are empty are removed, where we may."""
        for folder in self.where.all:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in self.where.all)

    def cpu_ns(self) -> int:
        """Processor time of the whole group; the last value read once the group is gone."""
        try:
            data = os.pread(self._cpu, 512, 0)
        except OSError:
            return self._last_cpu
        if self.where.version == 1:
            self._last_cpu = int(data)
        elif data:
            self._last_cpu = usage_ns(data)
        return self._last_cpu

    def throttled_ns(self) -> int:
        """Time the quota held the group back."""
        with contextlib.suppress(OSError):
            self._last_throttled = throttled_ns(os.pread(self._stat, 1024, 0))
        return self._last_throttled

    def waiting_ns(self) -> int:
        """Time that threads of this group were runnable but waiting, summed; ended threads keep theirs."""
        try:
            pids = (self.where.cpuacct / "cgroup.procs").read_bytes().split()
        except OSError:
            pids = []
        return self._waits.read(pids)

    @property
    def late_ns(self) -> int:
        """What `Waits.late_ns` says, as of the last reading of `waiting_ns`."""
        return self._waits.late_ns

    def poll_memory(self) -> int:
        """Processes of this group that the kernel killed for want of memory; also keeps `oom_kills`, `limit_hits`."""
        with contextlib.suppress(OSError):
            values = keyed(os.pread(self._events, 512, 0))
            self.oom_kills = max(self.oom_kills, values.get("oom_kill", 0))
            if self.where.version == 2:
                self.limit_hits = max(self.limit_hits, values.get("max", 0) + values.get("oom", 0))
            else:
                self.limit_hits = max(self.limit_hits, int(os.pread(self._fails, 32, 0)))
                if int(os.pread(self._peak, 32, 0)) > self._limit - NEAR_LIMIT:
                    self.limit_hits = max(self.limit_hits, 1)
        return self.oom_kills

    def watch_memory(self, loop: asyncio.AbstractEventLoop, changed: Callable[[], None]) -> None:
        """`changed` is called from `loop` when the memory limit was reached; where the kernel cannot tell, never."""
        with contextlib.suppress(OSError):
            poller = select.epoll()
            if self.where.version == 1:
                self._oom_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
                self._files.append(self._oom_fd)
                control = self.where.memory / "cgroup.event_control"
                control.write_bytes(b"%d %d" % (self._oom_fd, self._events))
                poller.register(self._oom_fd, select.EPOLLIN)
            else:  # kernfs says "changed" as an exceptional condition, which asyncio's loop cannot wait for
                poller.register(self._events, select.EPOLLPRI)
            self._poller, self._loop = poller, loop
            loop.add_reader(poller.fileno(), self._oom_event, changed)

    def _oom_event(self, changed: Callable[[], None]) -> None:
        self.memory_signalled()
        changed()

    def memory_signalled(self) -> bool:
        """Whether the kernel has ever signalled that the memory limit was reached; about 1 µs."""
        if self._poller is not None and self._poller.poll(0):  # reading in vain costs five times as much
            self._pressed = True
            if self._oom_fd >= 0:
                self._oom_count += os.eventfd_read(self._oom_fd)
        return self._pressed

    def oom_signalled(self) -> bool:
        """Whether v1's kernel signalled the limit more often than the once that marks the group's own removal."""
        self.memory_signalled()
        return self._oom_count > 1

    def freeze(self, frozen: bool) -> bool:
        """The group stands still (or runs again) within milliseconds; false where we may not."""
        if self._freezer < 0:
            return False
        v1 = self.where.version == 1
        try:
            os.pwrite(self._freezer, (b"FROZEN" if frozen else b"THAWED") if v1 else (b"1" if frozen else b"0"), 0)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """All files are closed; readings stay at their last values."""
        if self._poller is not None:
            if self._loop is not None:
                self._loop.remove_reader(self._poller.fileno())
            self._poller.close()
            self._poller = None
        for fd in self._files:
            with contextlib.suppress(OSError):
                os.close(fd)
        self._files.clear()
        self._cpu = self._stat = self._events = self._fails = self._freezer = self._oom_fd = -1
