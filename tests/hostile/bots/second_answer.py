"""Answers every decision twice, the second time with something else; the first counts."""

from _wire import Table

table = Table()
for turn in table.turns():
    table.choose(turn.decision, index=0)
    table.choose(turn.decision, index=1)
