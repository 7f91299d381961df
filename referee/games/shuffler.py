"""Shuffles that anyone can check with a SHA-256 function and this page (S1-S3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count
from operator import mod

_RANGE = 2**32
_WORDS_A_BLOCK = 8
_COUNTERS = tuple(k.to_bytes(4, "big") for k in range(16))
_FORMATS = tuple(f">{_WORDS_A_BLOCK * blocks}I" for blocks in range(len(_COUNTERS) + 1))
_MOST_SIZES = _WORDS_A_BLOCK * len(_COUNTERS)

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

    def _words(self, label: str) -> Iterator[int]:
        """The endless stream of big-endian words of `label` (S2)."""
        prefix = self._seed + label.encode()
        blocks = (sha256(prefix + k.to_bytes(4, "big")).digest() for k in count())
        return chain.from_iterable(struct.unpack(f">{_WORDS_A_BLOCK}I", block) for block in blocks)

    def _below(self, label: str, sizes: Sequence[int]) -> Iterator[int]:
        """A number below each of `sizes` (the largest first), each as likely as the other (S3)."""
        if len(sizes) <= _MOST_SIZES and sizes[0] <= _SMALL:
            prefix = self._seed + label.encode()
            blocks = -(-len(sizes) // _WORDS_A_BLOCK)
            stream = b"".join([sha256(prefix + counter).digest() for counter in _COUNTERS[:blocks]])
            if stream.find(_HIGH) < 0:  # `in` would first try the bytes as a number
                return map(mod, struct.unpack(_FORMATS[blocks], stream), sizes)
        # word by word: a word that would favour the low numbers is passed over, which hardly ever happens
        words = self._words(label)
        return iter([next(word for word in words if word < _RANGE // size * size) % size for size in sizes])

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile (S3)."""
        pile = list(cards)
        if len(pile) < 2:
            return pile
        i = len(pile)
        for j in self._below(label, range(i, 1, -1)):
            i -= 1
            pile[i], pile[j] = pile[j], pile[i]
        return pile

    def below(self, label: str, n: int) -> int:
        """A number below `n`, each as likely as the other, from block 0 of the label's stream on (S3, S6)."""
        return next(self._below(label, (n,)))
