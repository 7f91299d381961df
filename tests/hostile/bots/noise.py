"""Sends bytes that are no message."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(bytes(range(200, 256)) * 3)
    for_ever(table)


at_third_decision(deed)
