"""Plays two cards that are no pair of nines."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    table.choose(3, action=games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=list(turn.view.nines.hand[:2]))))
    for_ever(table)


at_third_decision(deed)
