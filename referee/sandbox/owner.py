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


def start_of(pid: int) -> int:
    """When process `pid` started, in clock ticks since boot; 0 if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[19])


def abandoned(owner: str) -> bool:
    """Whether the process of that label has ended; false for a process of another machine, which we cannot see."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    pid, start = rest, owner.rpartition("/")[2]
    if host != socket.gethostname() or not pid.isdigit() or not start.isdigit():
        return False
    return start_of(int(pid)) != int(start)
