"""Answers a decision of long ago again and again."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    try:
        for _ in range(100_000):
            table.choose(1, index=0)
    except OSError:
        pass
    for_ever(table)


at_third_decision(deed)
