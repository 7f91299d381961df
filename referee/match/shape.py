"""The types of a replay's fields. Unknown fields are ignored; what the values mean is for `verify` to say."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from referee.match.fixture import BotCause
from referee.wording import described

MOST_EVENTS = 200_000
"""Events and rounds of one match, together; a long match of six has under 10,000."""
MOST_NOTES = 64
"""Notes at one moment: each seat says at most one thing of it, and no more than so many sit at a table."""

_STRICT = ConfigDict(strict=True, extra="ignore")

Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}\z")]
Text = Annotated[str, StringConstraints(max_length=1000)]
Word = Annotated[str, StringConstraints(max_length=40)]
Card = Annotated[str, StringConstraints(min_length=1, max_length=8)]
Seat = Annotated[int, Field(ge=0, lt=64)]
SeatKey = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]?)\z")]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Note = Annotated[str, StringConstraints(max_length=200)]


@with_config(_STRICT)
class _Clock(TypedDict):
    bank_ms: Count
    increment_ms: Count
    charged: Literal["cpu", "wall"]


@with_config(_STRICT)
class _Played(TypedDict):
    at: Text
    attempt: Count
    machine: Text
    speed: Number


@with_config(_STRICT)
class _Bot(TypedDict):
    bot: Text
    version: Count
    digest: Hex


@with_config(_STRICT)
class _Deal(TypedDict):
    hands: dict[SeatKey, list[Card]]
    upcard: NotRequired[Card]
    stock: NotRequired[list[Card]]


@with_config(_STRICT)
class _Event(TypedDict):
    seat: Seat
    do: Word
    cards: NotRequired[list[Card]]
    card: NotRequired[Card]
    suit: NotRequired[Card]
    total: NotRequired[Count]
    stock: NotRequired[list[Card]]
    standin: NotRequired[bool]
    ms: NotRequired[Number | None]
    cpu_ms: NotRequired[Number | None]


@with_config(_STRICT)
class _End(TypedDict):
    reason: Word
    by: Seat | None
    hands: dict[SeatKey, list[Card]]
    penalties: dict[SeatKey, Count]
    totals: list[Count]


@with_config(_STRICT)
class _Round(TypedDict):
    round: Count
    kind: Literal["round", "playoff"]
    dealer: Seat
    seats: list[Seat]
    deal: _Deal
    events: list[_Event]
    end: _End


@with_config(_STRICT)
class _Result(TypedDict):
    totals: list[Count]
    places: list[Count]


@with_config(_STRICT)
class _Note(TypedDict):
    seat: Seat
    round: Count
    event: Count
    text: Note


@with_config(_STRICT)
class _Fault(TypedDict):
    seat: Seat
    round: Count
    event: Count
    kind: BotCause
    detail: Text
    ms: Number | None
    cpu_ms: Number | None
    limit_ms: Number | None


@with_config(_STRICT)
class _Replay(TypedDict):
    format: Word
    match_id: Text
    profile: Word | None
    clock: _Clock | None
    played: _Played | None
    game: Word
    rules: dict[Word, bool | int | Word]
    seats: Annotated[list[_Bot], Field(min_length=2, max_length=64)]
    commitment: Hex
    seed: Hex | None
    first_dealer: Seat
    cuts: NotRequired[list[dict[SeatKey, Card]]]
    rounds: list[_Round]
    result: _Result
    notes: list[_Note]
    faults: Annotated[list[_Fault], Field(max_length=64)]


_REPLAY: TypeAdapter[Any] = TypeAdapter(_Replay)


def first_fault(document: Any) -> str | None:
    """What is wrong with the first field that is missing, not of its type or too long; None if all is well."""
    try:
        _REPLAY.validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{_short(part)}" for part in first["loc"]).lstrip(
            "."
        )
        if first["type"] == "missing":
            return f"field {place} is missing"
        return f"field {place} is {_short(_written(first['input']))}, not as the format has it ({first['msg']})"
    return _too_many(document)


def _too_many(document: Any) -> str | None:
    events = sum(len(played["events"]) + 1 for played in document["rounds"])
    if events > MOST_EVENTS:
        return f"it has {events:,} events and rounds, and a match may have {MOST_EVENTS:,}"
    moments = Counter((note["round"], note["event"]) for note in document["notes"])
    for (round, event), count in moments.most_common(1):
        if count > MOST_NOTES:
            return f"it has {count:,} notes at round {round}, event {event}, and a moment may have {MOST_NOTES}"
    return None


def _written(value: object) -> str:
    return "an object" if isinstance(value, dict) else described(value)


def _short(text: str) -> str:
    shown = text.encode("ascii", "backslashreplace").decode()
    return shown if len(shown) <= 60 else shown[:57] + "..."
