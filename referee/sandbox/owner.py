"""Who made a container or folder: the league, and the one process on the one machine that is to remove it."""

from __future__ import annotations

import os
import socket
from functools import cache
from pathlib import Path

from referee.sandbox.engine import LABEL

OWNER = f"{LABEL}.owner"


def owned(league: str) -> dict[str, str]:
    """The labels of whatever this process makes for `league`."""
    return {LABEL: league, OWNER: this_process(os.getpid())}


@cache
def this_process(pid: int) -> str:
    """`host/pid/start`, unlike any other process's, also after a restart of the machine."""
    return f"{socket.gethostname()}/{pid}/{start_of(pid)}"


def folder_prefix(name: str) -> str:
    """`nf-<name>-<pid>-<start>-`: how the name of a folder begins that this process makes for itself."""
    pid = os.getpid()
    return f"nf-{name}-{pid}-{start_of(pid)}-"


def start_of(pid: int) -> int:
    """When process `pid` started, in clock ticks since boot; 0 if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.rpartition(")")[2].split()[19])


def abandoned(owner: str) -> bool:
    """Whether the process of that label has ended; false for a process of another machine, which we cannot see."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    pid, start = rest, owner.rpartition("/")[2]
    if host != socket.gethostname() or not pid.isdigit() or not start.isdigit():
        return False
    return ended(int(pid), int(start))


def ended(pid: int, start: int) -> bool:
    """Whether the process of that number and start has ended; false where it cannot be told (no file can be opened).

    No wall clock is asked: one that steps would make the living look dead.
    """
    try:
        return start_of(pid) != start
    except OSError:
        return False
