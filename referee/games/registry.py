"""The only list of games: a new game is one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from referee.errors import UsageError
from referee.games.base import Game
from referee.wording import meant

GAMES: dict[str, str] = {
    "nines": "referee.games.nines",
    "nine": "referee.games.nine",
}
"""Name of a game -> the package that exports it as `GAME`; imported only when it is played."""


def names() -> tuple[str, ...]:
    """The names of all games, in the order of the list."""
    return tuple(GAMES)


def get(name: str) -> Game:
    """The game of that name; `UsageError` names the games there are."""
    try:
        module = GAMES[name]
    except KeyError:
        raise UsageError(f"there is no game {name!r}{meant(name, GAMES)}; the games are: {', '.join(GAMES)}") from None
    return _load(module)


@cache
def _load(module: str) -> Game:
    game: Game = import_module(module).GAME
    return game
