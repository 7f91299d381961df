"""Calls, as one does in Nine, at a table of Nines."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    table.choose(3, action=games_pb2.Action(nine=games_pb2.NineAction(do="call")))
    for_ever(table)


at_third_decision(deed)
