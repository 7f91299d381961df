"""Sends a message with fields that the protocol does not have and none that it has."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(b"\xfa\x07\x03abc")
    for_ever(table)


at_third_decision(deed)
