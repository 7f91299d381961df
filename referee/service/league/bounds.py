"""What no call may hold, whichever call it is: numbers that no database can keep, and texts without measure.

The border looks at every message before anything else does, so that what a call is asked for can be odd, but never so
odd that answering fails inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.errors import UsageError
from referee.wording import abridged

LARGEST = {
    FieldDescriptor.TYPE_UINT32: 2**31 - 1,
    FieldDescriptor.TYPE_UINT64: 2**63 - 1,
}
"""Of the numbers that the contract has; those a database holds are signed."""
LONGEST_TEXT = 200
"""Characters of a name, a key, a value: everything but a reason."""
LONGEST_REASON = 10_000


def demand_measure(request: Any) -> None:
    """Every number of the message can be kept, and every text is one and of a length that makes sense; else
    `UsageError` names the field, and quotes no more than a little of it."""
    for name, kind, value in _values(request):
        if isinstance(value, str):
            _demand_text(name, value)
        elif (largest := LARGEST.get(kind)) is not None and value > largest:
            raise UsageError(f"{name} cannot be {value}: it must lie in 0–{largest}")


def _demand_text(name: str, text: str) -> None:
    most = LONGEST_REASON if name == "reason" else LONGEST_TEXT
    if len(text) > most:
        raise UsageError(f"{name} {abridged(text, 40)!r} has {len(text):,} characters; it may have {most:,} at most")
    if "\0" in text:
        raise UsageError(f"{name} {abridged(text, 40)!r} holds a zero byte; send it without")


def _values(message: Message) -> Iterator[tuple[str, int, Any]]:
    """Every value in the message and in those inside it, with its field's name and type; of maps, keys and values."""
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is not None and kind.GetOptions().map_entry:
            for part, values in (("key", value.keys()), ("value", value.values())):
                yield from ((field.name, kind.fields_by_name[part].type, one) for one in values)
            continue
        for one in value if field.is_repeated else (value,):
            if isinstance(one, Message):
                yield from _values(one)
            else:
                yield field.name, field.type, one
