"""Protobuf's wire format, as far as joining what is serialised already takes it: a number, and a field of bytes."""

from __future__ import annotations

_BYTES = [bytes([number]) for number in range(0x80)]


def varint(number: int) -> bytes:
    """The number as protobuf writes it, seven bits a byte."""
    if number < 0x80:
        return _BYTES[number]
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, body: bytes) -> bytes:
    """A length-delimited field; fields of one message may simply be joined, as the wire format defines."""
    return varint(number << 3 | 2) + varint(len(body)) + body
