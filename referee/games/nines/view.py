"""What one seat may see of a round of Nines (N8): nothing else leaves the engine for a bot."""

from __future__ import annotations

from typing import Any, NamedTuple


class Discard(NamedTuple):
    """A card on the discard pile; `seat` is None for the card turned up, `suit` empty unless one was named with it."""

    card: str
    seat: int | None = None
    suit: str = ""


class View(NamedTuple):
    """The whole legal view of `seat`. Lists by seat cover every seat of the match, 0 for one that does not play.

    `phase` and `drawn` are the seat's own: empty while another is to act, who may have a choice that nobody knows of.
    """

    seat: int
    hand: tuple[str, ...]
    upcard: str
    active_suit: str
    discards: tuple[Discard, ...]
    hand_sizes: tuple[int, ...]
    stock_size: int
    direction: int
    dealer: int
    scores: tuple[int, ...]
    round: int
    playoff: bool
    players: tuple[int, ...]
    phase: str
    drawn: str
    turns: int
    reshuffles: int
    forfeited: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The view as JSON values, under the same names."""
        document = {name: list(value) if isinstance(value, tuple) else value for name, value in self._asdict().items()}
        return document | {"discards": [discard._asdict() for discard in self.discards]}
