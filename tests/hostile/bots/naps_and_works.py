"""Sleeps and works in turns of some milliseconds, to stay under both clocks."""

import time

from _deed import at_third_decision, spin


def deed():
    while True:
        spin(0.002)
        time.sleep(0.004)


at_third_decision(deed)
