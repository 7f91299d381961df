"""Answers with fields that the protocol does not have, thousands of them; they are skipped, and the game goes on."""

from _wire import Table

from protos.ninefold.v1 import table_pb2

table = Table()
for turn in table.turns():
    answer = table_pb2.FromBot(choice=table_pb2.Choice(decision=turn.decision, index=0))
    table.send(answer.SerializeToString() + b"\xfa\x07\x03abc" * 9000)
