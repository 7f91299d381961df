"""Picks the index just after the last."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(3, index=len(turn.legal))
    for_ever(table)


at_third_decision(deed)
