"""Sends an answer of a thousand bytes, a byte at a time, ten a second."""

import time

from _wire import DATA, at_third_decision, frame, grpc

from protos.ninefold.v1 import table_pb2


def deed(table, turn):
    answer = table_pb2.FromBot(choice=table_pb2.Choice(decision=3, index=0, note="n" * 1000))
    for byte in grpc(answer.SerializeToString()):
        table.raw(frame(DATA, 0, 1, bytes([byte])))
        time.sleep(0.1)


at_third_decision(deed)
