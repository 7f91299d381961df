"""What a bot printed, as its author is shown it: the last lines, printable, and of a stack the author's own frames."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.sandbox.limits import Limits
from referee.wording import counted, printable

LINES = 30
PRINTED = "what the bot printed:\n"
TRY = "ninefold play DIR "
"""As the judge writes them (`referee.service.judge`), which knows the upload alone."""
ASKED_WHERE = re.compile(r"(Stack|Current thread 0x[0-9a-f]+) \(most recent call first\):")
WHERE = "where it was when its time was up (most recent call first):"
LOUD_BYTES = 32 * 1024
"""A match in which less is printed is not worth a word."""
_CUT = re.compile(rb"\n\[\.\.\. (\d+) bytes cut here \.\.\.\]\n")
_PASSED = ("unpack: ", "manifest: ")
"""What the judge logs of stages that a refusal shows as passed."""
_FULL = "No space left on device"
_THEIR_STACK = ("ERROR: Exception:", "Traceback (most recent call last)")
_FRAME = re.compile(r'  File "(.*)", line \d+ in ')
_OURS = re.compile(r"/(botkit|asyncio)/\w+\.py$|/(images|opt/ninefold)/start\.py$|^<frozen ")


def tail(log: str, most: int = LINES) -> list[str]:
    """At most `most` last lines of a log; what was left out is counted in a first line."""
    lines = _authors(log.splitlines())
    cut = len(lines) - most
    return [*([f"… {counted(cut, 'line')} of its log before these"] if cut > 0 else []), *map(printable, lines[-most:])]


def of_build(log: str, stage: str, most: int = LINES) -> list[str]:
    """What says why a build was refused at that stage: what the bot printed, if it came to play, and not the verdict
    again. Of dependencies what pip or npm found, and neither a stack of their own code nor what our limit made of them.
    """
    told = log.rpartition(PRINTED)[2].rstrip("\n").splitlines()
    if told and told[-1].startswith("refused at "):
        told.pop()
    while told and told[0].startswith(_PASSED):
        told.pop(0)
    if stage == "dependencies":
        if any(_FULL in line for line in told):
            return []
        told = told[: next((n for n, line in enumerate(told) if line.startswith(_THEIR_STACK)), len(told))]
    return tail("\n".join(told).rstrip("\n"), most)


def loud(name: str, logs: Sequence[bytes]) -> str:
    """That the bot printed much in these matches, and what it costs; empty if it did not."""
    printed = [len(log) + sum(int(cut) for cut in _CUT.findall(log)) for log in logs]
    if not printed or sum(printed) < LOUD_BYTES * len(printed):
        return ""
    much = f"{sum(printed) / 1024:,.0f} KiB in {counted(len(printed), 'match', 'matches')}"
    kept = f"; of a match {Limits().log_kib} KiB are kept" if max(printed) > Limits().log_bytes else ""
    return f"{name} printed {much}: the time it takes to write is on its clock{kept}"


def with_folder(fix: str, source: Path) -> str:
    """The advice with the folder that was given, where it says how to try a bot."""
    return fix.replace(TRY, f"ninefold play {shlex.quote(str(source))} ") if source.is_dir() else fix


def view(seen: Mapping[str, Any]) -> dict[str, Any]:
    """The view as botkit prints it: what is not there (a card drawn, a top card, a suit named) is null, not empty."""
    shown: dict[str, Any] = {
        name: None if name in ("drawn", "top") and value == "" else value for name, value in seen.items()
    }
    discards = [{**discard, "suit": discard.get("suit") or None} for discard in seen["discards"]]
    return shown | {"discards": discards}


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
