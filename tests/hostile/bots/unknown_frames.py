"""Sends frames of a kind that HTTP/2 does not know, which must be ignored, without end."""

from _wire import at_third_decision, frame


def deed(table, turn):
    while True:
        table.raw(frame(0xFA, 0, 0, bytes(100)) * 500)


at_third_decision(deed)
