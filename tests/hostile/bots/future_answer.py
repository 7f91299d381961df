"""Answers a decision far in the future."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(4_000_000_000, index=0)
    for_ever(table)


at_third_decision(deed)
