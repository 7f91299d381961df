"""Asks for real-time scheduling, a better priority, all processors and higher limits, and plays on."""

import os
import resource

from _deed import at_third_decision, found, works


def deed():
    attempts = {
        "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
        "nice": lambda: os.nice(-1),
        "files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100_000, 100_000)),
        "core": lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)),
        "memlock": lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (-1, -1)),
        "oom score": lambda: os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000"),
        "clock": lambda: __import__("time").clock_settime(0, 0),
    }
    found(name for name, attempt in attempts.items() if works(attempt))


at_third_decision(deed)
