"""Sends noise where HTTP/2 frames belong."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.raw(bytes(range(256)) * 400)
    for_ever(table)


at_third_decision(deed)
