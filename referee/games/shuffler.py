"""Shuffles that anyone can check with a SHA-256 function and this page (S1-S3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import chain, count
from operator import lt, mod

_RANGE = 2**32
_WORDS_A_BLOCK = 8
_COUNTERS = tuple(k.to_bytes(4, "big") for k in range(16))


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed, hex: published before the match, checked after it (S1)."""
    return sha256(seed).hexdigest()


@cache
def _swaps(cards: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each swap of a shuffle of that many cards: below which number it takes one, and below which word (S3)."""
    sizes = tuple(range(cards, 1, -1))
    return sizes, tuple(_bound(size) for size in sizes)


def _bound(size: int) -> int:
    """Words from here on would favour the low numbers (S3)."""
    return _RANGE // size * size


class Shuffler:
    """All randomness of one match, drawn from its secret seed by label; two of the same seed agree for ever."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def _words(self, label: str) -> Iterator[int]:
        """The endless stream of big-endian words of `label` (S2)."""
        prefix = self._seed + label.encode()
        return chain.from_iterable(struct.unpack(">8I", sha256(prefix + k.to_bytes(4, "big")).digest()) for k in count())

    def _first_words(self, label: str, number: int) -> Sequence[int]:
        """The first words of the stream, at least that many where they are few: what `_words` gives, in one go."""
        prefix = self._seed + label.encode()
        blocks = [sha256(prefix + counter).digest() for counter in _COUNTERS[: -(-number // _WORDS_A_BLOCK)]]
        return struct.unpack(f">{_WORDS_A_BLOCK * len(blocks)}I", b"".join(blocks))

    def _below(self, label: str, sizes: Sequence[int], bounds: Sequence[int]) -> Iterator[int]:
        """A number below each of `sizes`, each as likely as the other (S3)."""
        words = self._first_words(label, len(sizes))
        if len(words) < len(sizes) or not all(map(lt, words, bounds)):
            # once in ten million shuffles a word is too high, and the next takes its place
            stream = self._words(label)
            words = [next(word for word in stream if word < bound) for bound in bounds]
        return map(mod, words, sizes)

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile (S3)."""
        pile = list(cards)
        i = len(pile)
        for j in self._below(label, *_swaps(i)):
            i -= 1
            pile[i], pile[j] = pile[j], pile[i]
        return pile

    def below(self, label: str, n: int) -> int:
        """A number below `n`, each as likely as the other, from block 0 of the label's stream on (S3, S6)."""
        return next(self._below(label, (n,), (_bound(n),)))
