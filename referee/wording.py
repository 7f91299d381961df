"""Numbers and other people's texts in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_SHOWN = 1_000
"""Characters of a whole message; more of them was written by somebody who wants to fill a screen or a log."""


def counted(number: float, one: str, many: str = "") -> str:
    """The number with its noun: "1 match", "1,200 matches", "1.5 days"; `many` is `one` with an s unless given."""
    shown = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{shown} {one if number == 1 else many or one + 's'}"


def printable(text: str, *, breaks: bool = True) -> str:
    """The text with nothing in it that a terminal obeys: what others have written is shown, and does nothing.

    Tabs stay. Line breaks stay too, unless without `breaks`: then the text is one line, with a space for each.
    """
    text = text if breaks else " ".join(text.splitlines())
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def abridged(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning and end if it is longer than `most`: what a caller sent is not echoed whole.

    The end stays because that is where our sentences say what to do.
    """
    return text if len(text) <= most else f"{text[: most - most // 3 - 1]}…{text[len(text) - most // 3 :]}"


def meant(name: str, known: Iterable[str]) -> str:
    """What follows an unknown name: in brackets the known one that comes close to it, if any does."""
    from difflib import get_close_matches

    near = get_close_matches(name[:80], list(known), 1, 0.7)
    return f" (did you mean {near[0]!r}?)" if near else ""


_CREDENTIALS = re.compile(r"(?<=://)[^\s'\"]*@")
_PARAMETER = re.compile(r"(?i)(?<=[?&;])([\w.-]*(?:passw|pwd|secret|token|key)[\w.-]*=)[^&;\s'\"]+")


def masked(text: str) -> str:
    """The text, with the passwords of addresses in it left out: "redis://…@queue.example/0"."""
    return _PARAMETER.sub(r"\1…", _CREDENTIALS.sub("…@", text))
