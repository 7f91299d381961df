"""Ends its own side of the stream after its answer, as if it had nothing more to say."""

from _wire import DATA, END_STREAM, at_third_decision, for_ever, frame


def deed(table, turn):
    table.raw(frame(DATA, END_STREAM, 1))
    for_ever(table)


at_third_decision(deed)
