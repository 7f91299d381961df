"""Nine's 54 cards as bits of one integer, and every discard there is, ready made (K1.1, K2.2).

A card is a number, `value * 4 + suit` with suits in the order C D H S; the two zeros are 0 and 1. A hand is an integer
with one bit set for each card, so the four bits from `value * 4` on tell which cards of a value it holds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

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

CALL = Action("call", key=0)
DRAW_PILE = Action("draw_pile", key=1)
TAKE_DISCARD = Action("take_discard", key=2)

FIRST_DISCARD = 3
"""Keys from it on are those of discards."""
MASKS: list[int] = [0] * FIRST_DISCARD
"""By key of a discard: the bits of its cards."""
TOTALS: list[int] = [0] * FIRST_DISCARD
"""By the same keys: the sum of its values."""
_BY_CARDS: dict[tuple[str, ...], Action] = {}


def value(code: str) -> int:
    """The value of a card, 0 to 13 (K1.1)."""
    return NUMBERS[code] // 4


def discard(cards: tuple[str, ...]) -> Action:
    """The one Action that discards these cards in this order; interned, so that legal lists share it.

    Only for cards that are one discard (K2.2): of those there are some ten thousand in all.
    """
    action = _BY_CARDS.get(cards)
    if action is None:
        action = _BY_CARDS[cards] = Action("discard", cards, key=len(MASKS))
        MASKS.append(sum(1 << NUMBERS[code] for code in cards))
        TOTALS.append(sum(value(code) for code in cards))
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

_RUNS: tuple[int, ...] = tuple(sum(1 << value for value in range(low, low + RUN)) for low in range(1, VALUES - RUN + 1))
"""The runs by lowest value, as sets of values; a zero is in none (K2.2)."""


class Half(NamedTuple):
    """What the cards of one half of the values are worth, and can do."""

    sets: tuple[tuple[Action, ...], ...]
    """Singles, pairs, threes and fours, each by value (S7)."""
    several: bool
    """Whether there is more than singles."""
    values: int
    """The values held, as a set of bits."""
    total: int


ROOM = 1 << 15
"""How many entries a table keeps before it begins anew."""


class _Halves(dict[int, Half]):
    """By its bits, each half of a hand that has occurred: the cards of `HALF` values, from `lowest` on."""

    def __init__(self, lowest: int) -> None:
        super().__init__()
        self._lowest = lowest

    def __missing__(self, cards: int) -> Half:
        if len(self) >= ROOM:
            self.clear()
        held = [(value, cards >> (value - self._lowest) * 4 & 15) for value in range(self._lowest, self._lowest + HALF)]
        sets = tuple(
            tuple([action for value, bits in held if (action := of_size[value][bits]) is not None]) for of_size in SETS
        )
        values = sum(1 << value for value, bits in held if bits)
        total = sum(value * bits.bit_count() for value, bits in held)
        self[cards] = half = Half(sets, bool(sets[1]), values, total)
        return half


HALF = VALUES // 2
_LOW, _HIGH = _Halves(0), _Halves(HALF)
_SHIFT = HALF * 4
_LOW_BITS = (1 << _SHIFT) - 1


def discards(hand: int) -> tuple[Action, ...]:
    """Every discard of a hand in the order of S7: singles, pairs, threes, fours by value, then runs by lowest value."""
    low, several_low, values_low, _ = _LOW[hand & _LOW_BITS]
    high, several_high, values_high, _ = _HIGH[hand >> _SHIFT]
    found = low[0] + high[0]
    if several_low or several_high:
        found += low[1] + high[1] + low[2] + high[2] + low[3] + high[3]
    values = values_low | values_high
    if values.bit_count() >= RUN:
        found += tuple([_run(hand, lowest) for lowest, run in enumerate(_RUNS, 1) if values & run == run])
    return found


def _run(hand: int, low: int) -> Action:
    """The run from value `low` on, of equal cards the first in pack order."""
    firsts = (SETS[0][value][hand >> value * 4 & 15] for value in range(low, low + RUN))
    return discard(tuple(first.cards[0] for first in firsts if first is not None))


def total(hand: int) -> int:
    """The sum of a hand's values (K3.1)."""
    return _LOW[hand & _LOW_BITS][-1] + _HIGH[hand >> _SHIFT][-1]


@lru_cache(maxsize=1 << 15)
def codes(hand: int) -> tuple[str, ...]:
    """The cards of a hand in pack order (S4)."""
    held = [card for card in range(len(CODES)) if hand >> card & 1]
    held.sort(key=PLACE_IN_PACK.__getitem__)
    return tuple(CODES[card] for card in held)
