"""Calls a method that the table does not have, beside its stream, and plays on."""

from _wire import END_HEADERS, HEADERS, at_third_decision, frame, headers


def deed(table, turn):
    table.raw(frame(HEADERS, END_HEADERS, 3, headers("/ninefold.v1.Referee/RunFixture")))


at_third_decision(deed)
