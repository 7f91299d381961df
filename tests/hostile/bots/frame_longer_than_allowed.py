"""Sends one HTTP/2 frame of sixteen megabytes."""

from _wire import DATA, at_third_decision, for_ever, frame


def deed(table, turn):
    table.raw(frame(DATA, 0, 1, bytes((1 << 24) - 1)))
    for_ever(table)


at_third_decision(deed)
