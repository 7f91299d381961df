"""Sends SIGKILL to every process it can see, and plays on."""

import os
import signal

from _deed import at_third_decision, found


def deed():
    killed = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            os.kill(int(name), signal.SIGKILL)
            killed.append(name)
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    found(killed)


at_third_decision(deed)
