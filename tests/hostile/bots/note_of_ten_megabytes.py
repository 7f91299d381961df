"""Answers with a note of ten megabytes."""

from _ordinary import at_third_decision

from protos.ninefold.v1 import table_pb2


def deed(send):
    send(table_pb2.FromBot(choice=table_pb2.Choice(decision=3, index=0, note="n" * 10_000_000)).SerializeToString())


at_third_decision(deed)
