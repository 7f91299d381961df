"""Protobuf's wire format, as far as joining what is serialised already takes it: a number, and a field of bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_BYTES = [bytes([number]) for number in range(0x80)]


def varint(number: int) -> bytes:
    """The number as protobuf writes it, seven bits a byte."""
    if number < 0x80:
        return _BYTES[number]
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, body: bytes) -> bytes:
    """A length-delimited field; fields of one message may simply be joined, as the wire format defines."""
    return varint(number << 3 | 2) + varint(len(body)) + body


class Growing:
    """The fields of a list that grows from one view to the next, of which only what is new is encoded.

    What is known is compared with what is given, element by element: a list that is another, or was changed, is encoded
    anew. Elements that are the same objects compare in no time.
    """

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        self._encode = encode
        self._known: tuple[Any, ...] = ()
        self._fields = b""

    def fields(self, items: tuple[Any, ...]) -> bytes:
        """The fields of all items, in order."""
        known = self._known
        start = len(known)
        if items[:start] != known:
            start, self._fields = 0, b""
        if start < len(items):
            self._fields += b"".join([self._encode(item) for item in items[start:]])
        self._known = items
        return self._fields
