"""Shuffles that anyone can check with a SHA-256 function and this page (S1-S3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count

_RANGE = 2**32
_WORDS_A_BLOCK = 8
_COUNTERS = tuple(k.to_bytes(4, "big") for k in range(16))
_UNPACK = tuple(struct.Struct(f">{words}I").unpack_from for words in range(_WORDS_A_BLOCK * len(_COUNTERS) + 1))
"""By number of words: takes so many off the beginning of a stream."""

_HIGH = b"\xff" * 3
"""A word that is too high for a size up to 256 is above 2^32 - 256, and so begins with these bytes."""


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

    def _fair_words(self, label: str, size: int) -> Sequence[int]:
        """Words for a number below `size`, one below `size - 1` and so on down to 2: the stream of `label` without what
        would favour the low numbers (S3)."""
        if 1 < size <= len(_UNPACK):
            prefix = self._seed + label.encode()
            blocks = (size + _WORDS_A_BLOCK - 2) // _WORDS_A_BLOCK
            stream = b"".join([sha256(prefix + counter).digest() for counter in _COUNTERS[:blocks]])
            if stream.find(_HIGH) < 0:  # `in` would first try the bytes as a number
                return _UNPACK[size - 1](stream)
        # word by word: a word is passed over, which hardly ever happens, or the pile is larger than any of our games
        words = self._words(label)
        return [next(word for word in words if word < _RANGE // below * below) for below in range(size, 1, -1)]

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile (S3)."""
        pile = list(cards)
        size = len(pile)
        for word in self._fair_words(label, size):
            place = word % size
            size -= 1
            pile[size], pile[place] = pile[place], pile[size]
        return pile

    def below(self, label: str, n: int) -> int:
        """A number below `n`, each as likely as the other, from block 0 of the label's stream on (S3, S6)."""
        return next(word for word in self._words(label) if word < _RANGE // n * n) % n
