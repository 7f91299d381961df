"""Fills the container with sleeping children and exits with 0 at once."""

import os
import time

from _deed import at_third_decision


def deed():
    try:
        while True:
            if os.fork() == 0:
                os.setsid()
                time.sleep(1000)
    except OSError:
        os._exit(0)


at_third_decision(deed)
