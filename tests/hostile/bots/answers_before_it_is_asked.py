"""Answers decision 1 with its Hello."""

from _wire import Table, for_ever

table = Table()
table.choose(1, index=0)
for_ever(table)
