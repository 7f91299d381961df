"""Starts threads until no more can be had, and plays on."""

import threading

from _deed import at_third_decision, reached


def deed():
    threading.stack_size(65536)
    never = threading.Event()
    started = 0
    try:
        while True:
            threading.Thread(target=never.wait, daemon=True).start()
            started += 1
    except RuntimeError:
        reached(started)


at_third_decision(deed)
