"""What a bot printed, as its author is shown it: the last lines, printable, and of a stack the author's own frames."""

from __future__ import annotations

import re

LINES = 30
ASKED_WHERE = re.compile(r"(Stack|Current thread 0x[0-9a-f]+) \(most recent call first\):")
WHERE = "where it was when its time was up (most recent call first):"
_FRAME = re.compile(r'  File "(.*)", line \d+ in ')
_OURS = re.compile(r"/(botkit|asyncio)/\w+\.py$|/(images|opt/ninefold)/start\.py$|^<frozen ")


def tail(log: str, most: int = LINES) -> list[str]:
    """At most `most` last lines of a log; what was left out is counted in a first line."""
    lines = _authors(log.splitlines())
    cut = len(lines) - most
    return [*([f"… {cut} lines of its log before these"] if cut > 0 else []), *map(printable, lines[-most:])]


def printable(line: str) -> str:
    """The line without anything that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line)


def _authors(lines: list[str]) -> list[str]:
    """The lines without our own frames in a stack that the bot was asked for (`faulthandler`, see botkit)."""
    kept: list[str] = []
    asked = False
    for line in lines:
        frame = _FRAME.match(line)
        if ASKED_WHERE.fullmatch(line):
            asked, line = True, WHERE
        elif asked and frame and _OURS.search(frame[1]):
            continue
        elif not frame:
            asked = False
        kept.append(line)
    return kept
