#!/usr/bin/python3.11
"""A stdio bot is not the first process: it does stop when it sends itself SIGSTOP."""

import json
import os
import signal
import sys

for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn is not None:
        if turn["decision"] == 3:
            os.kill(os.getpid(), signal.SIGSTOP)
        print('{"index": 0}', flush=True)
