"""What happened at the table, as this seat may know it, and how rounds and matches begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from botkit.cards import Card
from botkit.names import naming


@naming
class Event(NamedTuple):
    """One thing that happened. `seat` did it, or it befell that seat.

    `do` in Nines: `name_suit`, `play`, `draw`, `pass`, `forced_draw`, `skip`, `reshuffle`; in Nine: `call`,
    `draw_pile`, `take_discard`, `discard`, `reshuffle`; in both `forfeit`. Cards that others drew are not told: `cards`
    is empty then, and `count` says how many they were. After a `reshuffle`, `count` is the size of the new pile.
    """

    seat: int
    do: str
    cards: tuple[Card, ...] = ()
    suit: str | None = None
    count: int = 0  # type: ignore[assignment]
    total: int = 0
    """With `call`: the caller's own total."""


@naming
class RoundStart(NamedTuple):
    """A deal as one seat sees it; `hand` is empty for a seat that does not play (N5.4)."""

    round: int
    playoff: bool
    dealer: int
    players: tuple[int, ...]
    hand: tuple[Card, ...]
    upcard: Card
    """The first discard; in Nine the first card of the discard pile."""
    scores: tuple[int, ...]
    cuts: tuple[Mapping[int, Card], ...] = ()
    """Cards cut for the first deal, by seat (N1.4)."""


@naming
class RoundEnd(NamedTuple):
    """A round is over and all hands are shown. `by` went out or called; lists are by seat."""

    reason: str
    by: int | None
    hands: tuple[tuple[Card, ...], ...]
    penalties: tuple[int, ...]
    totals: tuple[int, ...]


@naming
class MatchEnd(NamedTuple):
    """A match is over; lists are by seat, place 1 is best."""

    places: tuple[int, ...]
    totals: tuple[int, ...]
    forfeited: tuple[int, ...]
