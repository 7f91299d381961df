"""Gives itself a hard limit of processor time, at which the kernel kills with SIGKILL, and works up to it."""

import resource
import signal
import time

from _deed import at_third_decision, spin


def deed():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    seconds = int(time.process_time()) + 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    except (OSError, ValueError) as error:
        print("refused:", error, flush=True)
    spin(100)


at_third_decision(deed)
