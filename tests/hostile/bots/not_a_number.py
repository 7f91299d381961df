#!/usr/bin/python3.11
"""A stdio bot that answers with not-a-number and infinity."""

import json
import sys

for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn is not None:
        print('{"index": NaN, "note": "Infinity"}' if turn["decision"] == 3 else '{"index": 0}', flush=True)
