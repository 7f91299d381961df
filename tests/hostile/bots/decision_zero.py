"""Answers decision 0, which there never is."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(0, index=0)
    for_ever(table)


at_third_decision(deed)
