"""Nine: draw, discard, and call "Nine" to stop the round. Rules in RULES.md."""

from referee.games.nine.game import Nine

GAME = Nine()
