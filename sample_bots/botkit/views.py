"""What a seat may see when it is asked (N8, K6). Field names are those of the protocol (`games.proto`).

Views are named tuples rather than dataclasses: each bot's container makes these classes anew, and that is ten times as
quick.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from botkit.cards import Card


class Discard(NamedTuple):
    """A card put on the discard pile, by whom (None: turned up at the deal), and the suit named with a nine."""

    card: Card
    seat: int | None
    suit: str | None = None


class Taken(NamedTuple):
    """A card that a seat took from the top of the discard pile (Nine)."""

    seat: int
    card: Card


class NinesView(NamedTuple):
    """The whole legal view of one seat in Nines. Lists by seat cover every seat of the match."""

    seat: int
    hand: tuple[Card, ...]
    """Own cards, in pack order."""
    upcard: Card
    active_suit: str
    """The suit to follow, `C D H S`; empty while an upcard nine is not yet named (N1.5)."""
    discards: tuple[Discard, ...]
    """This round's whole history since the deal, oldest first, reshuffled ones too."""
    hand_sizes: tuple[int, ...]
    stock_size: int
    direction: int
    """1 clockwise, -1 reversed."""
    dealer: int
    scores: tuple[int, ...]
    """Match totals by seat, before this round."""
    round: int
    """From 1; counts playoffs from 1 anew."""
    playoff: bool
    players: tuple[int, ...]
    """Seats playing this round, in seat order."""
    phase: str
    """`name_suit`, `turn`, `drawn` (play the card just drawn, or keep it) or `answer` (a pair of nines, N6.6)."""
    drawn: Card | None
    turns: int
    reshuffles: int
    forfeited: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The view as plain JSON values, under the same names."""
        return _to_json(self)


class NineView(NamedTuple):
    """The whole legal view of one seat in Nine. Lists by seat cover every seat of the match."""

    seat: int
    hand: tuple[Card, ...]
    """Own cards, in pack order."""
    top: Card | None
    """Top card of the discard pile; None only in phase "discard", when the drawn card was the last of the pile."""
    discards: tuple[Discard, ...]
    """This round's whole history, oldest first; cards taken or reshuffled since are still in it."""
    taken: tuple[Taken, ...]
    """Who took which card from the discard pile, in order of play."""
    hand_sizes: tuple[int, ...]
    draw_pile_size: int
    dealer: int
    scores: tuple[int, ...]
    """Match totals by seat, before this round."""
    round: int
    go_around: int
    turns_taken: tuple[int, ...]
    """By seat, this round."""
    teams: int
    """Number of teams, 0 for none; seat s is in team s mod teams."""
    phase: str
    """`draw` or `discard`."""
    drawn: Card | None
    """In phase `discard`: the card just drawn or taken."""
    reshuffles: int
    forfeited: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The view as plain JSON values, under the same names."""
        return _to_json(self)


View = NinesView | NineView


def _to_json(record: NinesView | NineView | Discard | Taken) -> dict[str, Any]:
    return {name: _plain(value) for name, value in zip(record._fields, record, strict=True)}


def _plain(value: Any) -> Any:
    if isinstance(value, Discard | Taken):
        return _to_json(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Card) else value
