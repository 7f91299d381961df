"""Shuffles that anyone can check with a SHA-256 function and this page (S1-S3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count
from operator import mod

from referee.games.pile import Pile

_RANGE = 2**32
_WORDS = struct.Struct(">8I")
_SMALL, _HIGH = 256, b"\xff" * 3
"""A word that is too high for a size up to `_SMALL` is above 2^32 - 256, and so begins with these bytes."""


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed, hex: published before the match, checked after it (S1)."""
    return sha256(seed).hexdigest()


class Shuffler:
    """All randomness of one match, drawn from its secret seed by label; two of the same seed agree for ever."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def _blocks(self, label: str) -> Iterator[bytes]:
        """The blocks of the endless stream of `label`, each of eight big-endian words (S2)."""
        prefix = self._seed + label.encode()
        for k in count():
            yield sha256(prefix + k.to_bytes(4, "big")).digest()

    def _below(self, label: str, sizes: Sequence[int]) -> Iterator[int]:
        """A number below each of `sizes`, each as likely as the other, by blocks as they are asked for (S3)."""
        return chain.from_iterable(self._batches(label, sizes))

    def _batches(self, label: str, sizes: Sequence[int]) -> Iterator[Iterator[int]]:
        for start, block in zip(range(0, len(sizes), 8), self._blocks(label), strict=False):
            batch = sizes[start : start + 8]
            if _HIGH in block or batch[0] > _SMALL:
                yield self._word_by_word(label, sizes, start)
                return
            yield map(mod, _WORDS.unpack(block), batch)

    def _word_by_word(self, label: str, sizes: Sequence[int], start: int) -> Iterator[int]:
        """As `_below`, from the size at `start` on, passing over words that would favour the low numbers."""
        words = chain.from_iterable(map(_WORDS.unpack, self._blocks(label)))
        numbers = (next(word for word in words if word < _RANGE // size * size) % size for size in sizes)
        return iter(list(numbers)[start:])

    def pile(self, label: str, cards: Sequence[int]) -> Pile:
        """The pile that `shuffle` gives, shuffled as it is taken."""
        return Pile(list(cards), self._below(label, range(len(cards), 1, -1)))

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile (S3)."""
        return self.pile(label, cards).take(len(cards))

    def below(self, label: str, n: int) -> int:
        """A number below `n`, each as likely as the other, from block 0 of the label's stream on (S3, S6)."""
        return next(self._below(label, (n,)))
