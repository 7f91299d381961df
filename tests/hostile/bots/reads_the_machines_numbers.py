"""Reads and moves numbers that are one for the whole machine, and so a wire to other containers, and plays on."""

import ctypes
import glob
import os

from _deed import at_third_decision, call, found, works

FILES = """
    loadavg vmstat meminfo interrupts diskstats buddyinfo key-users zoneinfo slabinfo softirqs schedstat sched_debug
    timer_list locks keys partitions swaps uptime cgroups modules crypto pagetypeinfo vmallocinfo mdstat cmdline iomem
""".split()


def deed():
    context, room = ctypes.c_ulong(0), ctypes.create_string_buffer(4096)
    attempts = {
        "io_setup": lambda: call(206, 100, ctypes.byref(context)),
        "io_uring_setup": lambda: call(425, 8, room),
        "sync": lambda: call(162) or call(306, 0),
    }
    seen = [name for name, attempt in attempts.items() if works(attempt)]
    seen += [name for name in FILES if works(lambda name=name: open(f"/proc/{name}", "rb").read(1)[0])]
    folders = ("sys", "pressure", "fs", "irq", "bus", "driver", "tty")
    seen += [name for folder in folders for name in glob.glob(f"/proc/{folder}/**", recursive=True) if os.path.isfile(name)]
    found(seen)


at_third_decision(deed)
