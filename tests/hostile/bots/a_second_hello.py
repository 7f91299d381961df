"""Says Hello again."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import table_pb2


def deed(table, turn):
    table.say(table_pb2.FromBot(hello=table_pb2.Hello(client="again")))
    for_ever(table)


at_third_decision(deed)
