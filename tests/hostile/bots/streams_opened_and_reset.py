"""Opens streams and resets each at once, a hundred thousand times ("rapid reset")."""

import struct

from _wire import END_HEADERS, HEADERS, RST_STREAM, at_third_decision, for_ever, frame, headers


def deed(table, turn):
    for number in range(100_000):
        stream = 3 + 2 * number
        table.raw(frame(HEADERS, END_HEADERS, stream, headers()) + frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
    for_ever(table)


at_third_decision(deed)
