"""Sends window updates without end."""

import struct

from _wire import WINDOW_UPDATE, at_third_decision, frame


def deed(table, turn):
    while True:
        table.raw(frame(WINDOW_UPDATE, 0, 1, struct.pack(">I", 1)) * 100)


at_third_decision(deed)
