"""Plays one of its cards twice at once."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    card = turn.legal[0].nines.cards[0]
    table.choose(3, action=games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=[card, card])))
    for_ever(table)


at_third_decision(deed)
