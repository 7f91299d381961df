"""Traces a child and reads its memory, and plays on."""

import os
import time

from _deed import at_third_decision, call, found, in_child


def deed():
    child = os.fork()
    if child == 0:
        time.sleep(1000)
    attempts = {
        "traceme": lambda: call(101, 0, 0, 0, 0),
        "attach": lambda: call(101, 16, child, 0, 0),
        "seize": lambda: call(101, 0x4206, child, 0, 0),
        "process_vm_readv": lambda: call(310, child, 0, 0, 0, 0, 0),
        "process_vm_writev": lambda: call(311, child, 0, 0, 0, 0, 0),
        "kcmp": lambda: call(312, child, 1, 0, 0, 0),
    }
    found(name for name, attempt in attempts.items() if in_child(attempt))
    os.kill(child, 9)
    os.wait()


at_third_decision(deed)
