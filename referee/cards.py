"""Cards of both games: one text form everywhere ("9H"), and one number for each, in pack order (S4).

A card's number is its place in the unshuffled pack: rank `A..K` within suit `C D H S`, then the two zeros of Nine.
Inside the games cards are numbers, so that a hand is a set of bits; text appears only in documents and actions.
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "CDHS"

PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards in pack order (S4); the index is the card's number."""

ZEROS: tuple[str, ...] = ("X1", "X2")
"""The zeros of Nine, after the pack (K1.1)."""

CODES: tuple[str, ...] = PACK + ZEROS

NUMBER: dict[str, int] = {code: number for number, code in enumerate(CODES)}


def codes(numbers: Iterable[int]) -> tuple[str, ...]:
    """The text forms of `numbers`, in the same order."""
    return tuple([CODES[number] for number in numbers])


def numbers(codes: Iterable[str]) -> list[int]:
    """The numbers of `codes`, in the same order; KeyError for what is no card."""
    return [NUMBER[code] for code in codes]
