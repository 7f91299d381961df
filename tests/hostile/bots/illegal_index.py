"""Picks an index beyond all lists."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.choose(3, index=4_294_967_295)
    for_ever(table)


at_third_decision(deed)
