"""Sends sixty kilobytes that unpack to sixty megabytes."""

import gzip

from _wire import DATA, Table, at_third_decision, for_ever, frame, grpc


def deed(table, turn):
    data = grpc(gzip.compress(bytes(60_000_000), 9), compressed=1)
    for at in range(0, len(data), 16384):
        table.raw(frame(DATA, 0, 1, data[at : at + 16384]))
    for_ever(table)


at_third_decision(deed, Table(grpc_encoding="gzip"))
