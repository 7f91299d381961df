"""Sends groups within groups, ten thousand deep."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(b"\x0b" * 10_000 + b"\x0c" * 10_000)
    for_ever(table)


at_third_decision(deed)
