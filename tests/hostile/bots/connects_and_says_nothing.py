"""Dials, opens its stream and never says Hello."""

from _wire import Table, for_ever

for_ever(Table(hello=False))
