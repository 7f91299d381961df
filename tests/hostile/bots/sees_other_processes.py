"""Looks for processes that are not its own, and for files of theirs, and plays on."""

import os

from _deed import at_third_decision, found


def deed():
    mine = {1, *(int(name) for name in os.listdir("/proc/self/task"))}
    seen = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in mine]
    seen += [pid for pid in range(2, 40_000) if pid not in mine and works_quietly(pid)]
    found(seen)


def works_quietly(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


at_third_decision(deed)
