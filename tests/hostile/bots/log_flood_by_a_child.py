"""A detached child prints without end, byte by byte, while the bot plays on."""

import os

from _deed import at_third_decision


def deed():
    if os.fork() == 0:
        os.setsid()
        while True:
            os.write(1, b"y")


at_third_decision(deed)
