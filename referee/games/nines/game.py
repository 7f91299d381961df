"""Nines as a game: options, rounds, totals and the end of a match (N5, N7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.base import Game, Rules, ShufflerLike
from referee.games.nines.law import Law
from referee.games.nines.options import OPTIONS, PROFILES, complete
from referee.games.nines.rules import NinesRound


class Nines(Game):
    name = "nines"
    turn_rule = "N1.3"
    citations: Mapping[str, str] = {
        "profile": "N7",
        "round": "N5.2",
        "playoff": "N5.4",
        "dealer": "N1.3",
        "end": "N5.1",
        "hands": "N5.1",
        "penalties": "N5.1",
        "totals": "N5.2",
        "over": "N5.2",
        "places": "N5.5",
        "name_suit": "N1.5",
        "play": "N2.1",
        "draw": "N2.3",
        "keep": "N2.3",
        "pass": "N4.2",
        "forced_draw": "N6.2",
        "skip": "N6.2",
        "accept": "N6.6",
        "reshuffle": "N4.1",
    }
    options = OPTIONS
    profiles = PROFILES

    def __init__(self) -> None:
        self._law: Law | None = None

    def complete(self, options: Mapping[str, Any], players: int) -> Rules:
        return complete(options, players)

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
    ) -> NinesRound:
        law = self._law
        if law is None or law.rules is not rules or law.seats != seats or law.players != players:
            self._law = law = Law(rules, seats, players)  # the same for all rounds of a match, playoffs aside
        return NinesRound(law, number, kind, dealer, tuple(totals), forfeited, shuffler).deal_out()

    def add_up(self, rules: Rules, totals: Sequence[int], penalties: Mapping[int, int]) -> list[int]:
        return [total + penalties[seat] for seat, total in enumerate(totals)]

    def is_over(self, rules: Rules, totals: Sequence[int], rounds: int) -> bool:
        if rules["match_end"] == "rounds":
            return bool(rounds >= rules["rounds"])
        return bool(max(totals) >= rules["cutoff"])

    def sides(self, rules: Rules, players: int) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(players))

    def playoff(self, rules: Rules) -> bool:
        return bool(rules["ties"] == "playoff")
