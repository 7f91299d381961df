"""Answers with an action of no game."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    table.choose(3, action=games_pb2.Action())
    for_ever(table)


at_third_decision(deed)
