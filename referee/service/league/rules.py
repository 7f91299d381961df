"""The rules of a tournament, from a profile and single options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.games.base import Game


def complete_rules(
    game: Game, profile: str, changes: Mapping[str, str], players: int
) -> tuple[dict[str, Any], str | None]:
    """All options of the game, and the named profile they are exactly, if any."""
    options = dict(game.profile(profile, players)) if profile else {}
    options.update(game.options.parse(f"{name}={value}") for name, value in changes.items())
    rules = game.complete(options, players)
    named = game.profile(profile, players) if profile else None
    exact = named is not None and game.complete(named, players) == rules
    return dict(rules), profile if exact else game.profile_of(rules, players)
