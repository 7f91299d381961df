"""Sends two hundred thousand empty frames between two answers, and plays on."""

from _wire import DATA, at_third_decision, frame


def deed(table, turn):
    for _ in range(200):
        table.raw(frame(DATA, 0, 1) * 1000)


at_third_decision(deed)
