"""Answers with the longest note that a message can carry, full of markup and controls; it is cut, and the game goes on."""

from _wire import Table

NASTY = "<script>alert(1)</script>\x00\x1b[2J\u202e=cmd|' /C calc'!A0 "

table = Table()
for turn in table.turns():
    table.choose(turn.decision, index=0, note=(NASTY * 1500)[:60_000] if turn.decision == 3 else "")
