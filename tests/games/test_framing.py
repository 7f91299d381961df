"""Lists that grow from view to view: encoded piece by piece, they are always what encoding them whole gives."""

from __future__ import annotations

from random import Random

from referee.games.framing import Growing, field, varint


def encode(item: tuple[int, str]) -> bytes:
    return field(5, f"{item[0]}{item[1]}".encode())


def test_whatever_is_asked_for_in_whatever_order_the_bytes_are_those_of_the_whole():
    rng, growing = Random(1), Growing(encode)
    items: list[tuple[int, str]] = []
    for _ in range(2000):
        match rng.randrange(8):
            case 0:
                items = []
            case 1 if items:
                items[-1] = (items[-1][0], "named")  # a suit named for the nine turned up
            case 2 if items:
                items[rng.randrange(len(items))] = (rng.randrange(3), "other")
            case 3 if items:
                items = items[: rng.randrange(len(items))]
            case _:
                items.append((rng.randrange(3), rng.choice("ab")))
        assert growing.fields(tuple(items)) == b"".join(map(encode, items))


def test_numbers_are_written_as_protobuf_writes_them():
    assert [varint(n).hex() for n in (0, 1, 127, 128, 300, 2**32 - 1)] == ["00", "01", "7f", "8001", "ac02", "ffffffff0f"]
    assert field(31, b"x" * 200)[:4].hex() == "fa01c801"
