"""A child takes memory without end; the bot itself waits for it and would play on."""

import os

from _deed import at_third_decision


def deed():
    if os.fork() == 0:
        kept = []
        while True:
            kept.append(b"x" * (8 << 20))
    os.wait()


at_third_decision(deed)
