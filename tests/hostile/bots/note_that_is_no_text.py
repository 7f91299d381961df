"""Answers with a note that is not UTF-8."""

from _wire import at_third_decision, for_ever


def deed(table, turn):
    table.send(b"\x12\x08\x08\x03\x10\x00\x22\x02\xff\xfe")
    for_ever(table)


at_third_decision(deed)
