"""Nine as a game of the league: its options, its profiles, and how its rounds make a match (K)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.errors import InvalidRules
from referee.games.base import Game, Rules, ShufflerLike
from referee.games.nine import scoring
from referee.games.nine.cards import CODES
from referee.games.nine.rules import NineRound
from referee.games.nine.skins import SKINS
from referee.games.options import Option, Options

PLAYERS = range(2, 7)

OPTIONS = Options(
    Option("skin", "numbered", tuple(SKINS), "how cards are drawn on screen; changes no rule (K1.2)"),
    Option("teams", 0, (0, 2, 3), "teams of two: 2 with 4 players, 3 with 6; 0 for none (K5)"),
    Option("overcall", "forbidden", ("forbidden", "penalised"), "a call above 9: not legal, or legal and lost (K3.4)"),
    Option("max_goarounds", 100, range(1, 100_001), "a round without a call ends after this many go-arounds (K3.5)"),
    Option("first_dealer", "seat", ("seat", "cut"), "seat 0 deals first, or the lowest of cut cards (N1.4)"),
    Option("cutoff", 99, range(1, 100_001), "the match ends with a total at or above this (K4.2)"),
)


class Nine(Game):
    """Draw, discard, and call "Nine" (K)."""

    name = "nine"
    turn_rule = "K1.3"
    citations: Mapping[str, str] = {
        "profile": "K8",
        "round": "K4.2",
        "playoff": "K4.2",
        "dealer": "K1.3",
        "end": "K3.1",
        "hands": "K3.1",
        "penalties": "K3.2",
        "totals": "K4.1",
        "over": "K4.2",
        "places": "K4.2",
        "call": "K3.1",
        "draw_pile": "K2.1",
        "take_discard": "K2.1",
        "discard": "K2.2",
        "reshuffle": "K2.4",
    }
    options = OPTIONS
    codes: Sequence[str] = CODES
    profiles: Mapping[str, Mapping[str, Any]] = {
        "nine/standard": {},
        "nine/teams": {"teams": 2},
        "nine/overcall": {"overcall": "penalised"},
    }

    def complete(self, options: Mapping[str, Any], players: int) -> Rules:
        """All options with their values; `InvalidRules` if one is refused or does not fit the number of players."""
        if isinstance(players, bool) or players not in PLAYERS:
            raise InvalidRules("players", players, f"Nine is played by {PLAYERS[0]} to {PLAYERS[-1]} (K1.1)")
        rules = OPTIONS.complete(options)
        if rules["teams"] and rules["teams"] * 2 != players:
            raise InvalidRules(
                "teams", rules["teams"], f"allowed is 0, 2 with 4 players or 3 with 6, not with {players} (K5.1)"
            )
        return rules

    def profile(self, name: str, players: int) -> Mapping[str, Any]:
        """The options of a named profile; `nine/teams` is two teams, three with six players (K8)."""
        options = super().profile(name, players)
        return {**options, "teams": 3} if name == "nine/teams" and players == 6 else options

    def start_round(
        self,
        rules: Rules,
        *,
        number: int,
        kind: str,
        seats: tuple[int, ...],
        players: int,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
    ) -> NineRound:
        """A round that all seats play; Nine has no playoffs."""
        if len(seats) != players:
            raise ValueError(f"a round of Nine is played by all {players} seats, not by {seats}")
        return NineRound(
            rules,
            number=number,
            kind=kind,
            players=players,
            dealer=dealer,
            totals=totals,
            forfeited=forfeited,
            shuffler=shuffler,
        ).deal_out()

    def add_up(self, rules: Rules, totals: Sequence[int], penalties: Mapping[int, int]) -> list[int]:
        """Totals after a round; exactly 90 becomes 45 (K4.1)."""
        return scoring.add_up(totals, penalties)

    def is_over(self, rules: Rules, totals: Sequence[int], rounds: int) -> bool:
        """Whether a total has reached the cutoff (K4.2)."""
        return scoring.is_over(rules["cutoff"], totals)

    def sides(self, rules: Rules, players: int) -> tuple[tuple[int, ...], ...]:
        """Teams of partners who sit opposite (K5.1), or every seat for itself."""
        return scoring.teams_of(rules["teams"], players)
