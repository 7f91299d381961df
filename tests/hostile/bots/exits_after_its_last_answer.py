"""Exits with 0 as soon as its last answer is on the wire: that is no forfeit if the answer ended the match (F1)."""

import os

from _wire import Table

table = Table()
for turn in table.turns():
    table.choose(turn.decision, index=0)
    if turn.view.nines.round == 2 and len(turn.view.nines.hand) == 1:
        print("gone", flush=True)
        os._exit(0)
