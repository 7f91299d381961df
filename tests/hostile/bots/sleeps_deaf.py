"""Sleeps, deaf to every signal it may ignore."""

import signal
import time

from _deed import at_third_decision


def deed():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        time.sleep(1000)


at_third_decision(deed)
