"""Piles whose shuffle is done from the top down, and only as far as cards are taken."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice


class Pile:
    """A pile of cards to take from, shuffled as it is taken.

    S3 swaps into the top place first and never touches it again, then into the next: so the top of a shuffled pile is
    known before the rest of it, and most rounds end before all of theirs is needed.
    """

    __slots__ = ("_cards", "_swaps")

    def __init__(self, cards: list[int], swaps: Iterator[int]) -> None:
        """`cards` in the order before the shuffle, now the pile's own; `swaps`, for each place from the top down to the
        last but one, are the places to swap with (S3): none if the cards lie in their final order."""
        self._cards, self._swaps = cards, swaps

    def __len__(self) -> int:
        return len(self._cards)

    def take(self, count: int) -> list[int]:
        """The top `count` cards, or all if there are fewer, in the order in which they lay: the last was on top."""
        cards = self._cards
        i = len(cards)
        for j in islice(self._swaps, count):
            i -= 1
            cards[i], cards[j] = cards[j], cards[i]
        start = max(len(cards) - count, 0)
        taken = cards[start:]
        del cards[start:]
        return taken
