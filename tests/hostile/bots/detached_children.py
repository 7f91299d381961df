"""Leaves children in sessions of their own that ignore every signal, and plays on."""

import os
import signal
import time

from _deed import at_third_decision


def deaf():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        time.sleep(100)


def deed():
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                deaf()
            os._exit(0)


at_third_decision(deed)
