"""Sends a message of no bytes at all."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(b"")
    for_ever(table)


at_third_decision(deed)
