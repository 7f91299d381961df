"""Answers a decision of long ago two hundred times, and would play on."""

from _wire import at_third_decision


def deed(table, turn):
    for _ in range(200):
        table.choose(1, index=0)


at_third_decision(deed)
