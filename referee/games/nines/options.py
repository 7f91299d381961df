"""The options of Nines and the profiles that name common choices of them (N6, N7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.errors import InvalidRules
from referee.games.options import Option, Options, Value

MOST = 100_000
"""The largest cutoff and the largest turn limit (N5.2)."""

ONE, UNTIL_PLAYABLE = "one", "until_playable"
SWITCH = (False, True)

OPTIONS = Options(
    Option("decks", 1, (1, 2), "packs in play; two let pairs of nines be played, with 5 or 6 players (N1.1, N6.3)"),
    Option("draw", ONE, (ONE, UNTIL_PLAYABLE), "how many cards a player without a legal card draws (N2.3, N2.4)"),
    Option("powers", False, SWITCH, "jacks skip, queens reverse, aces make the next player draw two (N6.2)"),
    Option("ace_keeps_turn", False, SWITCH, "who draws two for an ace may then take the turn (N6.2)"),
    Option("hard_nines", False, SWITCH, "a nine left in a hand scores 25 instead of 15 (N6.4)"),
    Option("no_nine_out", False, SWITCH, "a nine or a pair of nines may not be the last of a hand (N6.5)"),
    Option("stacking_nines", False, SWITCH, "a pair of nines may be answered with a nine or a pair (N6.6)"),
    Option("first_dealer", "seat", ("seat", "cut"), "seat 0 deals first, or the lowest cut card does (N1.4)"),
    Option("match_end", "cutoff", ("cutoff", "rounds"), "what ends the match (N5.2)"),
    Option("cutoff", 100, range(1, MOST + 1), "a total at or above it ends the match (N5.2)"),
    Option("rounds", 5, range(1, 101), "how many rounds with `match_end = rounds`, else ignored (N5.2)"),
    Option("ties", "share", ("share", "playoff"), "equal lowest totals share the win or play it off (N5.4)"),
    Option("max_turns", 2000, range(1, MOST + 1), "a round of so many turns ends like a deadlock (N4.4)"),
)

PROFILES: Mapping[str, Mapping[str, Value]] = {
    "nines/strict": {},
    "nines/folk": {"first_dealer": "cut", "ties": "playoff"},
    "nines/draw-until": {"draw": UNTIL_PLAYABLE},
    "nines/powers": {"powers": True},
    "nines/double": {"decks": 2},
    "nines/hard": {"hard_nines": True},
    "nines/no-nine-out": {"no_nine_out": True},
    "nines/stacking": {"decks": 2, "stacking_nines": True},
    "nines/five-rounds": {"match_end": "rounds", "rounds": 5},
    "nines/seven-rounds": {"match_end": "rounds", "rounds": 7},
    "nines/ten-rounds": {"match_end": "rounds", "rounds": 10},
}


def complete(given: Mapping[str, Any], players: int) -> dict[str, Value]:
    """Every option with its value, for a table of `players`; `InvalidRules` for what does not go (N1.1, N6)."""
    if type(players) is not int or not 2 <= players <= 6:
        raise InvalidRules("players", players, "Nines is for 2 to 6 players (N1.1)")
    values = OPTIONS.complete(given)
    if values["decks"] == 2 and players < 5:
        raise InvalidRules("decks", 2, f"two packs need 5 or 6 players, not {players} (N1.1); allowed is 1")
    return values
