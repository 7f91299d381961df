"""Opens a thousand more streams on its connection."""

from _wire import END_HEADERS, HEADERS, at_third_decision, for_ever, frame, headers


def deed(table, turn):
    for number in range(1000):
        table.raw(frame(HEADERS, END_HEADERS, 3 + 2 * number, headers()))
    for_ever(table)


at_third_decision(deed)
