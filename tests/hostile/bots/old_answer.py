"""Answers a decision of long ago once more; it is dropped, and the game goes on."""

from _wire import at_third_decision

at_third_decision(lambda table, turn: table.choose(1, index=0))
