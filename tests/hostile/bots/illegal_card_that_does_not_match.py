"""Plays a card of its hand that matches neither suit nor rank."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    legal = {card for action in turn.legal for card in action.nines.cards}
    card = next(card for card in turn.view.nines.hand if card not in legal)
    table.choose(3, action=games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=[card])))
    for_ever(table)


at_third_decision(deed)
