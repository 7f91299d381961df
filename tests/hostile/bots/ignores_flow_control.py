"""Sends fifty million bytes as one message, whatever the window that the referee gives it."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(bytes(50_000_000))
    for_ever(table)


at_third_decision(deed)
