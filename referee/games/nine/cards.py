"""Nine's 54 cards as bits of one integer, and every discard there is, ready made (K1.1, K2.2).

A card is a number, `value * 4 + suit` with suits in the order C D H S; the two zeros are 0 and 1. A hand is an integer
with one bit set for each card, so the four bits from `value * 4` on tell which cards of a value it holds.
"""

from __future__ import annotations

from functools import lru_cache

from referee.games.base import Action

RANKS = "A23456789TJQK"
SUITS = "CDHS"
VALUES = 14
"""Values run from 0 to 13."""
RUN = 5
"""A run has exactly this many cards (K2.2)."""

CODES: tuple[str, ...] = ("X1", "X2", "", "", *(rank + suit for rank in RANKS for suit in SUITS))
"""Text form by card number; numbers 2 and 3 are no cards."""
NUMBERS: dict[str, int] = {code: number for number, code in enumerate(CODES) if code}
PACK: tuple[int, ...] = (*(NUMBERS[rank + suit] for suit in SUITS for rank in RANKS), 0, 1)
"""The pack in the order of S4: by rank within suit, then the zeros."""
PLACE_IN_PACK: tuple[int, ...] = tuple(PACK.index(number) if code else 99 for number, code in enumerate(CODES))

CALL = Action("call")
DRAW_PILE = Action("draw_pile")
TAKE_DISCARD = Action("take_discard")

_BY_CARDS: dict[tuple[str, ...], Action] = {}


def discard(cards: tuple[str, ...]) -> Action:
    """The one Action that discards these cards in this order; interned, so that legal lists share it."""
    action = _BY_CARDS.get(cards)
    if action is None:
        action = _BY_CARDS[cards] = Action("discard", cards)
    return action


def _sets(size: int, value: int) -> tuple[Action | None, ...]:
    """By the four bits of a value: the discard of its first `size` cards in pack order, None if it holds fewer."""
    found: list[Action | None] = []
    for bits in range(16):
        held = [CODES[value * 4 + suit] for suit in range(4) if bits >> suit & 1 and CODES[value * 4 + suit]]
        found.append(discard(tuple(held[:size])) if len(held) >= size else None)
    return tuple(found)


SETS: tuple[tuple[tuple[Action | None, ...], ...], ...] = tuple(
    tuple(_sets(size, value) for value in range(VALUES)) for size in (1, 2, 3, 4)
)
"""SETS[size - 1][value][bits] is the discard of the first cards of that value (S7)."""

FIRST_OF: tuple[int, ...] = tuple((bits & -bits).bit_length() - 1 if bits else 0 for bits in range(16))


@lru_cache(maxsize=1 << 16)
def discards(hand: int) -> tuple[Action, ...]:
    """Every discard of a hand in the order of S7: singles, pairs, threes, fours by value, then runs by lowest value."""
    held = [(value, bits) for value in range(VALUES) if (bits := hand >> value * 4 & 15)]
    found = [action for by_value in SETS for value, bits in held if (action := by_value[value][bits]) is not None]
    if len(held) >= RUN:
        present = {value: value * 4 + FIRST_OF[bits] for value, bits in held if value}
        for low in range(1, VALUES - RUN + 1):
            cards = [present[value] for value in range(low, low + RUN) if value in present]
            if len(cards) == RUN:
                found.append(discard(tuple(CODES[card] for card in cards)))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def total(hand: int) -> int:
    """The sum of a hand's values (K3.1)."""
    return sum(value * (hand >> value * 4 & 15).bit_count() for value in range(1, VALUES))


@lru_cache(maxsize=1 << 16)
def codes(hand: int) -> tuple[str, ...]:
    """The cards of a hand in pack order (S4)."""
    held = [card for card in range(len(CODES)) if hand >> card & 1]
    held.sort(key=PLACE_IN_PACK.__getitem__)
    return tuple(CODES[card] for card in held)


def value(code: str) -> int:
    """The value of a card, 0 to 13 (K1.1)."""
    return NUMBERS[code] // 4
