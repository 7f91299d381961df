"""What a seat may see when it is asked (N8, K6). Field names are those of the protocol (`games.proto`).

Each bot's container makes these classes anew, so they are no dataclasses: those take ten times as long to make. A
field of a view is decoded when it is first read: few bots read all of them at every decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from botkit.cards import Card
from botkit.names import has_no, naming


@naming
class Discard(NamedTuple):
    """A card put on the discard pile, by whom (None: turned up at the deal), and the suit named with a nine."""

    card: Card
    seat: int | None
    suit: str | None = None


@naming
class Taken(NamedTuple):
    """A card that a seat took from the top of the discard pile (Nine)."""

    seat: int
    card: Card


class Sent(Protocol):
    """A view as it was sent."""

    def field(self, name: str) -> Any:
        """The decoded value of that field."""


class _View:
    """The fields that were given, and those that `_sent` has, decoded when they are asked for."""

    _sent: Sent | None = None

    def __init__(self, sent: Sent | None = None, **fields: Any) -> None:
        self.__dict__.update(fields)
        if sent is not None:
            self._sent = sent

    if not TYPE_CHECKING:  # a checker shall know the fields alone

        def __getattr__(self, name: str) -> Any:
            """Called for what is not there yet."""
            sent = self._sent
            if sent is None or name not in type(self).__annotations__:
                raise has_no(self, name, self._names())
            value = self.__dict__[name] = sent.field(name)
            return value

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(cls.__annotations__)

    def to_json(self) -> dict[str, Any]:
        """The view as plain JSON values, under the same names."""
        return {name: _plain(getattr(self, name)) for name in self._names()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash(tuple(self.__getstate__().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.__getstate__().items())})"

    def __getstate__(self) -> dict[str, Any]:
        """All fields: what is copied, pickled and compared."""
        return {name: getattr(self, name) for name in self._names()}


class NinesView(_View):
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


class NineView(_View):
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


View = NinesView | NineView


def _plain(value: Any) -> Any:
    if isinstance(value, Discard | Taken):
        return {name: _plain(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Card) else value
