#!/usr/bin/python3.11
"""A stdio bot that kills and stops the launcher, which is the first process and feels nothing of it."""

import json
import os
import signal
import sys

for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn is not None:
        if turn["decision"] == 3:
            for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGUSR1):
                os.kill(1, number)
        print('{"index": 0}', flush=True)
