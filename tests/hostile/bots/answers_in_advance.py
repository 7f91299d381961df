"""Answers the next decision together with this one."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(4, index=0)
    table.choose(3, index=0)
    for_ever(table)


at_third_decision(deed)
