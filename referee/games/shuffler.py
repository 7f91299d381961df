"""Shuffles that anyone can check with a SHA-256 function and this page (S1-S3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import chain, count

_WORDS = struct.Struct(">8I").unpack
_RANGE = 2**32


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed, hex: published before the match, checked after it (S1)."""
    return sha256(seed).hexdigest()


@cache
def _steps(n: int) -> tuple[tuple[int, int, int], ...]:
    """For each swap of a shuffle of `n` cards: i, i + 1, and the bound below which a word is taken (S3)."""
    return tuple((i, i + 1, _RANGE // (i + 1) * (i + 1)) for i in range(n - 1, 0, -1))


class Shuffler:
    """All randomness of one match, drawn from its secret seed by label; two of the same seed agree for ever."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def _words(self, label: str) -> Iterator[int]:
        """The endless stream of big-endian words of `label` (S2)."""
        prefix = self._seed + label.encode()
        return chain.from_iterable(_WORDS(sha256(prefix + k.to_bytes(4, "big")).digest()) for k in count())

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile (S3)."""
        pile = list(cards)
        words = self._words(label)
        for i, n, bound in _steps(len(pile)):
            word = next(words)
            while word >= bound:  # a word so high would favour the low numbers
                word = next(words)
            j = word % n
            pile[i], pile[j] = pile[j], pile[i]
        return pile

    def below(self, label: str, n: int) -> int:
        """A number below `n`, each as likely as the other, from block 0 of the label's stream on (S3, S6)."""
        bound = _RANGE // n * n
        return next(word for word in self._words(label) if word < bound) % n
