"""Asks for namespaces of its own, and plays on."""

import os

from _deed import at_third_decision, call, found, in_child


def deed():
    kinds = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000, "uts": 0x4000000, "cgroup": 0x2000000}
    attempts = {f"unshare {name}": lambda flag=flag: call(272, flag) for name, flag in kinds.items()}
    attempts |= {f"unshare user and {name}": lambda flag=flag: call(272, flag | 0x10000000) for name, flag in kinds.items()}
    attempts["clone user"] = lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0)
    attempts["setns"] = lambda: call(308, os.open("/proc/self/ns/uts", os.O_RDONLY), 0)
    found(name for name, attempt in attempts.items() if in_child(attempt))


at_third_decision(deed)
