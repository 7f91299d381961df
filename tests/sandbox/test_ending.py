"""Exit codes and signals from a wait status, and from Docker's one number where there is none."""

from __future__ import annotations

import os
import signal
import time

import pytest

from referee.sandbox import ending

TABLE = [  # what happened, wait status or None, the engine's number, code, signal
    ("exit 0", 0, 0, 0, None),
    ("exit 3", 3 << 8, 3, 3, None),
    ("exit 137 of its own", 137 << 8, 137, 137, None),
    ("killed", 9, 137, None, 9),
    ("segmentation fault with core bit", 11 | 0x80, 139, None, 11),
    ("unknown status, fault", None, 139, None, 11),
    ("unknown status, 137", None, 137, 137, None),
    ("unknown status, 255", None, 255, 255, None),
]


@pytest.mark.parametrize(("status", "engine", "code", "number"), [t[1:] for t in TABLE], ids=[t[0] for t in TABLE])
def test_code_and_signal(status, engine, code, number):
    assert ending.code_and_signal(status, engine) == (code, number)


def test_a_zombie_tells_its_status():
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], os.environ)
    try:
        for _ in range(500):
            if (status := ending.status_of_zombie(pid)) is not None:
                break
            time.sleep(0.01)
        assert status == 7 << 8
    finally:
        os.waitpid(pid, 0)
    assert ending.status_of_zombie(pid) is None


def test_a_pidfd_tells_the_status_after_the_end_where_the_kernel_can():
    pid = os.posix_spawn("/bin/sleep", ["sleep", "100"], os.environ)
    pidfd = os.pidfd_open(pid)
    try:
        assert ending.status_of_pidfd(pidfd) is None
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert ending.status_of_pidfd(pidfd) in (9, None)
    finally:
        os.close(pidfd)
