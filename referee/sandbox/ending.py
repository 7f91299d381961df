"""How a process that is not our child really ended: Docker gives one number, in which exit(137) looks like a kill."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

PIDFD_GET_INFO = 0xC040FF0B
"""_IOWR(0xFF, 11, struct pidfd_info) in its first size of 64 bytes."""
PIDFD_INFO_EXIT = 1 << 3
_INFO = struct.Struct("=QQ11Ii")


def status_of_zombie(pid: int) -> int | None:
    """The wait status of `pid` while its parent has not yet collected it; None when that is over, or hidden."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[49]) if fields[0] == b"Z" else None


def status_of_pidfd(pidfd: int) -> int | None:
    """The wait status of a process after its parent collected it (Linux 6.15 and later); None where unknown."""
    buffer = bytearray(_INFO.pack(PIDFD_INFO_EXIT, 0, *[0] * 12))
    try:
        fcntl.ioctl(pidfd, PIDFD_GET_INFO, buffer)
    except OSError:
        return None
    values = _INFO.unpack(buffer)
    return int(values[-1]) if values[0] & PIDFD_INFO_EXIT else None


def code_and_signal(status: int | None, engine_code: int) -> tuple[int | None, int | None]:
    """Exit code and killing signal, one of them None, from the wait status, else from what the engine says.

    Without a status 128 + n is read as signal n, except SIGKILL: nothing inside a container can send that to its first
    process, so it is someone outside, which the engine's events tell, a limit that the bot set, or its own exit(137).
    """
    if status is not None:
        return (None, os.WTERMSIG(status)) if os.WIFSIGNALED(status) else (os.WEXITSTATUS(status), None)
    if 128 < engine_code <= 128 + 64 and engine_code != 137:
        return None, engine_code - 128
    return engine_code, None
