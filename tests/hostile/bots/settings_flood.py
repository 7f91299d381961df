"""Sends settings without end and reads no acknowledgement."""

import struct

from _wire import SETTINGS, at_third_decision, frame


def deed(table, turn):
    while True:
        table.raw(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535)) * 100)


at_third_decision(deed)
