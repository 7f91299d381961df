"""Resets its stream, and stays."""

import struct

from _wire import RST_STREAM, at_third_decision, for_ever, frame


def deed(table, turn):
    table.raw(frame(RST_STREAM, 0, 1, struct.pack(">I", 8)))
    for_ever(table)


at_third_decision(deed)
