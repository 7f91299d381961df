"""Values as people write them: clocks, seeds, rules. The same text means the same wherever it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from referee.errors import UsageError
from referee.games.base import Game
from referee.match.fixture import Clock

SEED_DIGITS = 64
_TIME = r"(\d+(?:\.\d+)?|\.\d+)\s*(ms|s)?"
_CLOCK = re.compile(rf"\s*{_TIME}\s*(?:\+\s*{_TIME}\s*)?")
_MOST_BANK_MS, _MOST_INCREMENT_MS = 3_600_000, 600_000


def parse_clock(text: str) -> Clock:
    """Bank and increment, from `10+0.1` (seconds) or with units, such as `10s+100ms`; without `+`, no increment."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise UsageError(f"--clock {text[:80]!r} is no clock: write bank+increment, such as 10s+100ms or 10+0.1")
    bank, unit, increment, other = match.groups()
    if increment is not None and float(increment) and bool(unit) != bool(other):
        raise UsageError(f"--clock {text[:80]!r} has one unit for two times: write both or none, such as 10s+100ms")
    clock = Clock(_milliseconds(bank, unit), _milliseconds(increment or "0", other))
    if not (1 <= clock.bank_ms <= _MOST_BANK_MS and clock.increment_ms <= _MOST_INCREMENT_MS):
        raise UsageError(
            f"--clock {text[:80]!r} is out of range: the bank is 1 ms to 1 h, the increment at most 10 min"
        )
    return clock


def no_increment(text: str, clock: Clock) -> str:
    """That a clock written without an increment has none; empty if one is written, be it 0."""
    if "+" in text:
        return ""
    return f"--clock {text}: {clock.bank_ms / 1000:g} s for a match and nothing more per decision ({text}+0 says so)"


def _milliseconds(number: str, unit: str | None) -> int:
    return round(min(float(number), 1e12) * (1 if unit == "ms" else 1000))


def parse_seed(text: str, *, padded: bool = False) -> bytes:
    """32 bytes from 64 hex digits; with `padded` fewer will do, with zeros before them."""
    fewest = 1 if padded else SEED_DIGITS
    if not re.fullmatch(rf"[0-9a-fA-F]{{{fewest},{SEED_DIGITS}}}", text):
        what = f"1 to {SEED_DIGITS} hex digits (zeros are put before fewer)" if padded else f"{SEED_DIGITS} hex digits"
        raise UsageError(f"--seed {text[:80]!r} is no seed: it has {what}")
    return bytes.fromhex(text.rjust(SEED_DIGITS, "0"))


def parse_rules(texts: Iterable[str]) -> dict[str, str]:
    """`option=value` texts as a mapping; `UsageError` for one that is no such text."""
    parsed: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--rule {text[:80]!r} is no option=value: write for example --rule cutoff=50")
        parsed[key.strip()] = value.strip()
    return parsed


def complete_rules(
    game: Game, profile: str, changes: Mapping[str, str], players: int
) -> tuple[dict[str, Any], str | None]:
    """All options of the game, from a profile (or none) and single options, and the named profile they are, if any."""
    named = game.profile(profile, players) if profile else {}
    options = dict(named)
    options.update(game.options.parse(f"{name}={value}") for name, value in changes.items())
    rules = game.complete(options, players)
    exact = profile and game.complete(named, players) == rules
    return dict(rules), profile if exact else game.profile_of(rules, players)
