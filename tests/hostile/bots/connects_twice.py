"""Dials a second time and opens a stream there."""

from _wire import Table, at_third_decision, for_ever


def deed(table, turn):
    second = Table(hello=False)
    for_ever(table)
    for_ever(second)


at_third_decision(deed)
