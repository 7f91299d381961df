#!/usr/bin/python3.11
"""A stdio bot whose stdout carries a megabyte without newline before each of its answers has one."""

import json
import sys

for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn is not None:
        if turn["decision"] == 3:
            sys.stdout.write("x" * (1 << 20) + "\n")
        print('{"index": 0}', flush=True)
