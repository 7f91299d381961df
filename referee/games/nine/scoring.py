"""Nine's scoring: what a call costs whom, how totals grow, when the match ends (K3-K5). Hands come as their totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CALL_LIMIT = 9
"""Highest total with which a call can win (K3.2, K3.4)."""
LOST_CALL = 25
"""Penalty of a lost call (K3.3)."""
FALLS_FROM, FALLS_TO = 90, 45
"""A total of exactly this much becomes that much (K4.1)."""


def teams_of(teams: int, players: int) -> tuple[tuple[int, ...], ...]:
    """The sides of the table: teams of partners who sit opposite (K5.1), or each seat alone."""
    if not teams:
        return tuple((seat,) for seat in range(players))
    return tuple(tuple(range(team, players, teams)) for team in range(teams))


def call_wins(caller: int, hands: Sequence[int], teams: int) -> bool:
    """Whether the call is won: own hand 9 or less, and the caller's side strictly lowest (K3.2, K3.3, K3.4, K5.2)."""
    if hands[caller] > CALL_LIMIT:
        return False
    sides = [sum(hands[seat] for seat in side) for side in teams_of(teams, len(hands))]
    own = caller % len(sides)
    return all(sides[own] < other for side, other in enumerate(sides) if side != own)


def call_penalties(caller: int, hands: Sequence[int], teams: int) -> dict[int, int]:
    """Penalties by seat of a round that `caller` stopped (K3.2, K3.3, K5.3)."""
    if call_wins(caller, hands, teams):
        return {seat: 0 if seat == caller else hand for seat, hand in enumerate(hands)}
    return {seat: LOST_CALL if seat == caller else 0 for seat in range(len(hands))}


def add_up(totals: Sequence[int], penalties: Mapping[int, int]) -> list[int]:
    """Totals after a round; exactly 90 becomes 45 before anything else is decided (K4.1)."""
    sums = (total + penalties.get(seat, 0) for seat, total in enumerate(totals))
    return [FALLS_TO if total == FALLS_FROM else total for total in sums]


def is_over(cutoff: int, totals: Sequence[int]) -> bool:
    """Whether some total is at or above the cutoff (K4.2)."""
    return max(totals) >= cutoff
