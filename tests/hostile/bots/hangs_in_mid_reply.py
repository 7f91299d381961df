"""Sends half of its answer and sleeps."""

import time

from _wire import DATA, at_third_decision, frame, grpc


def deed(table, turn):
    table.raw(frame(DATA, 0, 1, grpc(b"\x12\x04", length=40)))
    time.sleep(1000)


at_third_decision(deed)
