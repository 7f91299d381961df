"""Sends itself SIGSTOP: as the first process of its namespace it cannot be stopped, and plays on."""

import os
import signal

from _deed import at_third_decision, found


def deed():
    os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGTSTP)
    found([])


at_third_decision(deed)
