"""What a fixture is asked to be and what came of it: plain frozen data that travels between processes.

A fixture is one seating of bots that plays several matches in one sitting (one container per seat at a time); it is
the unit of scheduling and of retry. Nothing here knows Docker, gRPC or the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BotCause = Literal["start", "illegal", "malformed", "protocol", "timeout", "memory", "crash", "exit"]
UploadCause = Literal["unpack", "manifest", "dependencies", "build", "trial"]
OurCause = Literal["docker", "guarantee", "internal", "host_memory", "lease_lost", "shutdown"]
EndCause = Literal["completed", "cancelled", "withdrawn"]

BOT_CAUSES: tuple[str, ...] = ("start", "illegal", "malformed", "protocol", "timeout", "memory", "crash", "exit")
UPLOAD_CAUSES: tuple[str, ...] = ("unpack", "manifest", "dependencies", "build", "trial")
OUR_CAUSES: tuple[str, ...] = ("docker", "guarantee", "internal", "host_memory", "lease_lost", "shutdown")
PARKING_CAUSES: tuple[str, ...] = ("docker", "internal", "host_memory")
"""Causes of a void that count towards parking; a service killed, stopped or restarted never counts."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Thinking time of one seat in one match: a bank and an increment per decision, both in milliseconds."""

    bank_ms: int = 10_000
    increment_ms: int = 100


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """Who sits at a seat. `image` is the container image to start, by id; empty for a scripted seat. `content_digest`
    names the image's description in the league's blobs, for a machine that lacks it; empty where there is none."""

    bot: str
    version: int
    digest: str
    image: str = ""
    runtime: str = "python"
    content_digest: str = ""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match of a fixture: its public id (`<tournament>/<block>/<seating>/<match>`) and its secret 32-byte seed."""

    match_id: str
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class FixtureSpec:
    """Everything a referee needs to play one fixture; playing it twice gives the same canonical records."""

    fixture_id: str
    attempt: int
    game: str
    rules: Mapping[str, object]
    profile: str | None
    seats: tuple[SeatSpec, ...]
    matches: tuple[MatchSpec, ...]
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What one seat took from one match, as separate facts.

    `points` is the share of opponents placed behind (ties half; 0 after a forfeit); `cause` is `completed` or a
    `BotCause`; `detail` is public (rule or limit), `sent` and `log` are for the bot's owner only. Times are totals over
    the match in milliseconds, None where unknown.
    """

    seat: int
    place: int
    points: float
    penalty: int
    cause: str
    detail: str = ""
    sent: str = ""
    decisions: int = 0
    wall_ms: float | None = None
    cpu_ms: float | None = None
    log: bytes = b""
    log_cut: bool = False


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One finished match. `replay` is the REPLAY document as UTF-8 JSON under zstandard, with the seed inside."""

    match_id: str
    canonical_sha256: str
    replay: bytes = field(repr=False)
    rounds: int
    plies: int
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True)
class FixtureResult:
    """A whole fixture, played to its end: one `MatchResult` for each `MatchSpec`, in order."""

    fixture_id: str
    attempt: int
    machine: str
    speed: float
    matches: tuple[MatchResult, ...]
