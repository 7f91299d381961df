"""Answers with neither an index nor an action."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(3)
    for_ever(table)


at_third_decision(deed)
