"""What one seat may see of a round of Nine (K6); field names are those of NineView in games.proto."""

from __future__ import annotations

from typing import NamedTuple

from referee.games.base import Json


class Discarded(NamedTuple):
    """A card on the discard pile and who put it there; None for the card turned up by the deal."""

    card: str
    seat: int | None


class Taken(NamedTuple):
    """A card that a seat took from the discard pile, for all to see."""

    seat: int
    card: str


class View(NamedTuple):
    """The whole legal view of `seat`; tuples "by seat" cover every seat of the match.

    `discards` is this round's whole discard history, oldest first, with cards that were taken or reshuffled since;
    `drawn` is the card just drawn or taken, empty in phase `draw`; `scores` are the totals before this round.
    """

    seat: int
    hand: tuple[str, ...]
    top: str
    discards: tuple[Discarded, ...]
    taken: tuple[Taken, ...]
    hand_sizes: tuple[int, ...]
    draw_pile_size: int
    dealer: int
    scores: tuple[int, ...]
    round: int
    go_around: int
    turns_taken: tuple[int, ...]
    teams: int
    phase: str
    drawn: str
    reshuffles: int
    forfeited: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """The view with the same names; tuples as lists."""
        return {
            "seat": self.seat,
            "hand": list(self.hand),
            "top": self.top,
            "discards": [{"card": item.card, "seat": item.seat} for item in self.discards],
            "taken": [{"seat": item.seat, "card": item.card} for item in self.taken],
            "hand_sizes": list(self.hand_sizes),
            "draw_pile_size": self.draw_pile_size,
            "dealer": self.dealer,
            "scores": list(self.scores),
            "round": self.round,
            "go_around": self.go_around,
            "turns_taken": list(self.turns_taken),
            "teams": self.teams,
            "phase": self.phase,
            "drawn": self.drawn,
            "reshuffles": self.reshuffles,
            "forfeited": list(self.forfeited),
        }
