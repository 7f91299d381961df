"""Thirty children take 20 MiB each: none of them much, all of them too much."""

import os
import time

from _deed import at_third_decision


def deed():
    for _ in range(30):
        if os.fork() == 0:
            kept = b"x" * (20 << 20)
            time.sleep(1000)
            os._exit(len(kept) & 1)
    os.wait()
    while True:
        time.sleep(0.1)


at_third_decision(deed)
