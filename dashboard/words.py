"""Text that goes to the page: what came from outside letter for letter, times and causes as people say them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(/[0-9]+)*")

CAUSES = {
    "completed": "completed",
    "start": "did not start",
    "illegal": "illegal move",
    "malformed": "malformed answer",
    "protocol": "broke the protocol",
    "timeout": "out of time",
    "memory": "out of memory",
    "crash": "crashed",
    "exit": "exited early",
    "cancelled": "cancelled",
    "withdrawn": "withdrawn",
    "docker": "container engine failed",
    "guarantee": "a sandbox guarantee failed",
    "internal": "internal error",
    "host_memory": "machine out of memory",
    "lease_lost": "worker lost",
    "shutdown": "service stopped",
}
"""Every ending has one cause out of a closed list; each has one wording, the same on every page."""
FAULTS = ("start", "illegal", "malformed", "protocol", "timeout", "memory", "crash", "exit")


def code(text: object) -> str:
    """Markdown that shows `text` letter for letter, whatever it holds."""
    line = " ".join(str(text).split()) or " "
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def name(text: str) -> str:
    """Markdown for a name or match id: as it is if it holds only letters, digits and dashes, else as `code`."""
    return text if _PLAIN.fullmatch(text) else code(text)


def cause(word: str) -> str:
    return CAUSES.get(word, word.replace("_", " "))


def ago(moment: datetime | None, now: datetime | None = None) -> str:
    """How long ago, in one unit; a dash for never."""
    if moment is None:
        return "–"
    return f"{span(((now or datetime.now(UTC)) - moment).total_seconds())} ago"


def span(seconds: float) -> str:
    seconds = max(seconds, 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def number(value: float | None, digits: int = 1) -> str:
    """The number with its sign only if negative; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def short(value: float) -> str:
    """The number to two digits, or whole from ten on."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


@lru_cache(maxsize=20_000)
def url(page: str, **query: object) -> str:
    """The address of a page of ours. Kept: a list of matches holds over a thousand, and most are the same bots'."""
    wanted = {key: value for key, value in query.items() if value not in (None, "", False)}
    return f"/{page}" + (f"?{urlencode(wanted, safe='/')}" if wanted else "")


def players(seats: list[Mapping[str, Any]]) -> str:
    """Who plays, in seat order, as plain text."""
    return " · ".join(f"{seat['bot']}" for seat in seats)
