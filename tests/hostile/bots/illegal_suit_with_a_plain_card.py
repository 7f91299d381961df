"""Names a suit with a card that is no nine."""

from _wire import at_third_decision, for_ever

from protos.ninefold.v1 import games_pb2


def deed(table, turn):
    card = next(a.nines.cards[0] for a in turn.legal if a.nines.cards[0][0] != "9")
    table.choose(3, action=games_pb2.Action(nines=games_pb2.NinesAction(do="play", cards=[card], suit="H")))
    for_ever(table)


at_third_decision(deed)
