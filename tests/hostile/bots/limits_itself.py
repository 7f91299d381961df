"""Sets limits at which the kernel would kill, by every call and for its child too, reads all limits, and plays on."""

import ctypes
import os
import resource

from _deed import at_third_decision, call, found, in_child, works

CPU, RTTIME = 0, 15
HIGH = 1 << 32
"""The kernel looks at 32 bits of a resource's number, a filter may look at 64."""


def deed():
    both = (1, 1)
    high = (resource.RLIM_INFINITY,) * 2
    pair = (ctypes.c_ulong * 2)(1000, 1000)
    attempts = {
        "setrlimit": lambda: resource.setrlimit(CPU, (1000, 1000)),
        "prlimit": lambda: resource.prlimit(0, CPU, (1000, 1000)),
        "prlimit of the first process": lambda: resource.prlimit(1, CPU, (1000, 1000)),
        "the limit it has": lambda: resource.setrlimit(CPU, high),
        "realtime": lambda: resource.prlimit(0, RTTIME, both),
        "setrlimit, high bits": lambda: call(160, ctypes.c_ulong(HIGH), pair),
        "prlimit64, high bits": lambda: call(302, 0, ctypes.c_ulong(HIGH), pair, 0),
    }
    done = [name for name, attempt in attempts.items() if in_child(attempt)]
    done += [f"reading {number}" for number in range(16) if not works(lambda number=number: resource.prlimit(0, number))]
    harmless = {n: (n, resource.getrlimit(n)) for n in range(1, 15)}
    done += [f"setting {n}" for n, now in harmless.items() if not works(lambda now=now: resource.setrlimit(*now))]
    found(done + ([] if os.getpid() == 1 else ["another pid"]))


at_third_decision(deed)
