"""Plays a card that it does not hold."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    held = set(turn.view.nines.hand)
    card = next(rank + suit for suit in "CDHS" for rank in "23" if rank + suit not in held)
    table.choose(3, action=games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=[card])))
    for_ever(table)


at_third_decision(deed)
