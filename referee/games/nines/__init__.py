"""Nines: a shedding game in which nines are wild. RULES.md beside this file has the rules."""

from referee.games.nines.game import Nines
from referee.games.nines.position import from_position, position
from referee.games.nines.rules import NinesRound

GAME = Nines()

__all__ = ["GAME", "Nines", "NinesRound", "from_position", "position"]
