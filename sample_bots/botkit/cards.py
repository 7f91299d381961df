"""Cards as text that knows its rank, suit and value. A card equals its code: `card == "9S"`."""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "CDHS"
ZEROS = ("X1", "X2")


class Card(str):
    """One card by its code, such as `Card("9S")`, `Card("TD")` or `Card("X1")`; there is one instance of each.

    `rank` and `suit` are its two letters (a zero of Nine has rank `X`), `value` is its value in Nine, 0 to 13.
    """

    rank: str
    suit: str
    value: int
    __slots__ = ("rank", "suit", "value")

    def __new__(cls, code: str) -> Card:
        """The one card of that code; ValueError if there is none."""
        try:
            return CARDS[code]
        except (KeyError, TypeError):
            raise ValueError(f"{code!r} is no card: write rank A 2-9 T J Q K, then suit C D H S, or X1, X2") from None

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return (Card, (str(self),))


CARDS: dict[str, Card] = {}
"""Every card by its code, in pack order: `A…K` within suit `C D H S`, then the two zeros (S4)."""


def _make(code: str, value: int) -> None:
    card = str.__new__(Card, code)
    card.rank, card.suit, card.value = code[0], code[1], value
    CARDS[code] = card


for _suit in SUITS:
    for _value, _rank in enumerate(RANKS, start=1):
        _make(_rank + _suit, _value)
for _code in ZEROS:
    _make(_code, 0)

PACK_ORDER: dict[str, int] = {code: position for position, code in enumerate(CARDS)}


def pack(game: str, decks: int = 1) -> tuple[Card, ...]:
    """All cards of a game in pack order (S4); `decks` counts for Nines alone (N1.1)."""
    if game == "nine":
        return tuple(CARDS.values())
    return tuple(CARDS.values())[:52] * decks


def nines_penalty(cards: Iterable[str], hard_nines: bool = False) -> int:
    """What the cards cost at the end of a round of Nines (N5.1; a nine costs 25 with `hard_nines`, N6.4)."""
    points = HARD_POINTS if hard_nines else POINTS
    return sum(points[card] for card in cards)


def nine_total(cards: Iterable[str]) -> int:
    """The total of a hand of Nine: the sum of its values (K3.1)."""
    return sum(CARDS[card].value for card in cards)


POINTS: dict[str, int] = {
    code: 15 if card.rank == "9" else min(card.value, 10) for code, card in CARDS.items() if card.value
}
HARD_POINTS: dict[str, int] = {code: 25 if code[0] == "9" else points for code, points in POINTS.items()}
