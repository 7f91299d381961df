"""Dies after half of its answer."""

import os

from _wire import DATA, at_third_decision, frame, grpc


def deed(table, turn):
    table.raw(frame(DATA, 0, 1, grpc(b"\x12\x04", length=40)))
    os._exit(3)


at_third_decision(deed)
