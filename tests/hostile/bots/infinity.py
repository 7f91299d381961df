#!/usr/bin/python3.11
"""A stdio bot that answers with a number beyond all numbers."""

import json
import sys

for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn is not None:
        print('{"index": 1e999}' if turn["decision"] == 3 else '{"index": 0}', flush=True)
