"""Announces a message of four gigabytes and sends the first bytes of it."""

from _wire import DATA, at_third_decision, for_ever, frame, grpc


def deed(table, turn):
    table.raw(frame(DATA, 0, 1, grpc(bytes(1000), length=0xFFFFFFFF)))
    for_ever(table)


at_third_decision(deed)
