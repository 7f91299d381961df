"""Exits, while a detached child keeps the connection to the table open."""

import os
import time

from _deed import at_third_decision


def deed():
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    os._exit(0)


at_third_decision(deed)
