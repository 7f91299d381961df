"""Processor time and memory of a running league, part by part, read from the kernel."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PARTS = {
    "referee.service.server": "referee",
    "worker.conductor": "conductor",
    "play": "worker",  # python -m worker play
    "build": "builder",
    "streamlit": "dashboard",
    "dashboard": "dashboard",
    "referee.cli.main": "supervisor",
}
"""A word of the command line that starts a part, and what the part is called. What a part starts belongs to it."""
V1, V2 = Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")


def league_processes(data: Path) -> dict[int, str]:
    """Every living process of the league in that data folder, and the part it belongs to.

    What the referee starts is its `nursery`, and what that starts are `matches`.
    """
    wanted, found = f"NINEFOLD_DATA={data}".encode(), {}
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if wanted not in (folder / "environ").read_bytes().split(b"\0"):
                continue
            pid = int(folder.name)
            parents[pid] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            found[pid] = next((PARTS[word] for word in words if word in PARTS), "")
    named = dict(found)
    for pid, part in named.items():
        above = pid
        while above in parents and not named.get(above):
            above = parents[above]
        if not part:
            owner = named.get(above) or "other"
            below = "nursery" if parents[pid] == above else "matches"
            found[pid] = below if owner == "referee" else owner
    return found


def spent(pids: Iterator[int] | list[int]) -> float:
    """Processor seconds of those processes and of the children they have waited for."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            total += sum(int(field) for field in fields[11:15])
    return total / TICK


def league_seconds(data: Path) -> dict[str, float]:
    """Processor seconds so far of each part of the league."""
    by_part: dict[str, float] = defaultdict(float)
    for pid, part in league_processes(data).items():
        by_part[part] += spent([pid])
    return dict(by_part)


def family_seconds(root: int) -> float:
    """Processor seconds of that process and all it has started: PostgreSQL with its backends."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            children[int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])].append(int(folder.name))
    family, todo = [], [root]
    while todo:
        family.append(pid := todo.pop())
        todo += children[pid]
    return spent(family)


def memory_mib(pid: int) -> tuple[float, float]:
    """What a process takes of memory, pages that several share divided among them (PSS); what of it is its own alone."""
    sizes: dict[str, int] = defaultdict(int)
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, size, *_ = line.split()
            sizes[name] = int(size)
    return sizes["Pss:"] / 1024, (sizes["Private_Clean:"] + sizes["Private_Dirty:"]) / 1024


def league_mib(data: Path) -> dict[str, list[float]]:
    """The memory of every process of the league, by part: PSS; of match processes what is theirs alone, which is what
    one more takes. What they share with the nursery counts as the nursery's."""
    by_part: dict[str, list[float]] = defaultdict(list)
    shared = 0.0
    for pid, part in league_processes(data).items():
        proportional, own = memory_mib(pid)
        by_part[part].append(own if part == "matches" else proportional)
        shared += proportional - own if part == "matches" else 0.0
    if by_part["nursery"]:
        by_part["nursery"][0] += shared
    return dict(by_part)


class Group:
    """A control group that counts the processor time of what is started in it, whoever is its parent later."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def seconds(self) -> float:
        """Processor seconds so far."""
        if (usage := self.path / "cpuacct.usage").exists():
            return int(usage.read_text()) / 1e9
        line = (self.path / "cpu.stat").read_text().split()
        return int(line[line.index("usage_usec") + 1]) / 1e6

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What this process starts meanwhile is in the group; this process is back where it was afterwards."""
        home = home_group(self.path)
        (self.path / "cgroup.procs").write_text(str(os.getpid()))
        try:
            yield
        finally:
            (home / "cgroup.procs").write_text(str(os.getpid()))


def home_group(like: Path) -> Path:
    """The group this process is in, of the hierarchy that `like` belongs to."""
    v1 = V1 in like.parents
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if (v1 and "cpuacct" in controllers.split(",")) or (not v1 and not controllers):
            return (V1 if v1 else V2) / path.lstrip("/")
    raise FileNotFoundError("this process is in no control group that counts processor time")


@contextmanager
def group(name: str) -> Iterator[Group]:
    """A fresh group, removed afterwards; needs root."""
    path = (V1 if V1.is_dir() else V2) / name
    path.mkdir()
    try:
        yield Group(path)
    finally:
        for pid in (path / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (home_group(path) / "cgroup.procs").write_text(pid)
        with suppress(OSError):
            path.rmdir()
