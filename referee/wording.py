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


def unread(error: Exception, most: int = 120) -> str:
    """Why a text could not be read, in the reader's words; Python's advice to change Python is left out."""
    text = str(error)
    return "a number in it has thousands of digits" if "set_int_max_str_digits" in text else text[:most]


def described(value: object) -> str:
    """A value that somebody wrote in TOML or JSON, in a few words, whatever its size and whatever it holds."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        text = ascii(value[:80])
        return text if len(text) <= 80 else f"{text[:77]}...'"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a number of very many digits"
    if isinstance(value, float):
        return repr(value)
    for kind, empty, some in ((list, "an empty list", "a list"), (dict, "an empty table", "a table")):
        if isinstance(value, kind):
            return some if value else empty
    return str(value)[:80]


_CREDENTIALS = re.compile(r"(?<=://)[^\s'\"]*@")
_PARAMETER = re.compile(r"(?i)(?<=[?&;])([\w.-]*(?:passw|pwd|secret|token|key)[\w.-]*=)[^&;\s'\"]+")


def masked(text: str) -> str:
    """The text, with the passwords of addresses in it left out: "redis://…@queue.example/0"."""
    return _PARAMETER.sub(r"\1…", _CREDENTIALS.sub("…@", text))
