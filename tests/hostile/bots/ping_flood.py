"""Sends pings without end."""

from _wire import PING, at_third_decision, frame


def deed(table, turn):
    while True:
        table.raw(frame(PING, 0, 0, bytes(8)) * 100)


at_third_decision(deed)
