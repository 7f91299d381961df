from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FixtureSpec(_message.Message):
    __slots__ = ("fixture_id", "attempt", "game", "rules_json", "profile", "seats", "matches", "bank_ms", "increment_ms")
    FIXTURE_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_JSON_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    fixture_id: str
    attempt: int
    game: str
    rules_json: str
    profile: str
    seats: _containers.RepeatedCompositeFieldContainer[SeatSpec]
    matches: _containers.RepeatedCompositeFieldContainer[MatchSpec]
    bank_ms: int
    increment_ms: int
    def __init__(self, fixture_id: _Optional[str] = ..., attempt: _Optional[int] = ..., game: _Optional[str] = ..., rules_json: _Optional[str] = ..., profile: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[SeatSpec, _Mapping]]] = ..., matches: _Optional[_Iterable[_Union[MatchSpec, _Mapping]]] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ...) -> None: ...

class SeatSpec(_message.Message):
    __slots__ = ("bot", "version", "digest", "image", "runtime", "content_digest")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    digest: str
    image: str
    runtime: str
    content_digest: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., digest: _Optional[str] = ..., image: _Optional[str] = ..., runtime: _Optional[str] = ..., content_digest: _Optional[str] = ...) -> None: ...

class MatchSpec(_message.Message):
    __slots__ = ("match_id", "seed")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seed: bytes
    def __init__(self, match_id: _Optional[str] = ..., seed: _Optional[bytes] = ...) -> None: ...

class FixtureUpdate(_message.Message):
    __slots__ = ("progress", "match", "finished", "void")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    progress: Progress
    match: MatchResult
    finished: Finished
    void: Void
    def __init__(self, progress: _Optional[_Union[Progress, _Mapping]] = ..., match: _Optional[_Union[MatchResult, _Mapping]] = ..., finished: _Optional[_Union[Finished, _Mapping]] = ..., void: _Optional[_Union[Void, _Mapping]] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("stage", "match", "round", "totals", "matches_finished")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FINISHED_FIELD_NUMBER: _ClassVar[int]
    stage: str
    match: int
    round: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    matches_finished: int
    def __init__(self, stage: _Optional[str] = ..., match: _Optional[int] = ..., round: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ..., matches_finished: _Optional[int] = ...) -> None: ...

class Finished(_message.Message):
    __slots__ = ("machine", "speed")
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    SPEED_FIELD_NUMBER: _ClassVar[int]
    machine: str
    speed: float
    def __init__(self, machine: _Optional[str] = ..., speed: _Optional[float] = ...) -> None: ...

class MatchResult(_message.Message):
    __slots__ = ("match_id", "canonical_sha256", "replay", "rounds", "plies", "seats")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_SHA256_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    PLIES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    canonical_sha256: str
    replay: bytes
    rounds: int
    plies: int
    seats: _containers.RepeatedCompositeFieldContainer[SeatResult]
    def __init__(self, match_id: _Optional[str] = ..., canonical_sha256: _Optional[str] = ..., replay: _Optional[bytes] = ..., rounds: _Optional[int] = ..., plies: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SeatResult, _Mapping]]] = ...) -> None: ...

class SeatResult(_message.Message):
    __slots__ = ("seat", "place", "points", "penalty", "cause", "detail", "sent", "decisions", "wall_ms", "cpu_ms", "log", "log_cut")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    PENALTY_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    WALL_MS_FIELD_NUMBER: _ClassVar[int]
    CPU_MS_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    LOG_CUT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    place: int
    points: float
    penalty: int
    cause: str
    detail: str
    sent: str
    decisions: int
    wall_ms: float
    cpu_ms: float
    log: bytes
    log_cut: bool
    def __init__(self, seat: _Optional[int] = ..., place: _Optional[int] = ..., points: _Optional[float] = ..., penalty: _Optional[int] = ..., cause: _Optional[str] = ..., detail: _Optional[str] = ..., sent: _Optional[str] = ..., decisions: _Optional[int] = ..., wall_ms: _Optional[float] = ..., cpu_ms: _Optional[float] = ..., log: _Optional[bytes] = ..., log_cut: _Optional[bool] = ...) -> None: ...

class Void(_message.Message):
    __slots__ = ("cause", "reason")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    cause: str
    reason: str
    def __init__(self, cause: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("fixture_id",)
    FIXTURE_ID_FIELD_NUMBER: _ClassVar[int]
    fixture_id: str
    def __init__(self, fixture_id: _Optional[str] = ...) -> None: ...

class WatchUpdate(_message.Message):
    __slots__ = ("match_id", "match", "whole", "json")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WHOLE_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    match: int
    whole: bool
    json: str
    def __init__(self, match_id: _Optional[str] = ..., match: _Optional[int] = ..., whole: _Optional[bool] = ..., json: _Optional[str] = ...) -> None: ...

class StopRequest(_message.Message):
    __slots__ = ("fixture_id", "cause")
    FIXTURE_ID_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    fixture_id: str
    cause: str
    def __init__(self, fixture_id: _Optional[str] = ..., cause: _Optional[str] = ...) -> None: ...

class StopReply(_message.Message):
    __slots__ = ("was_running",)
    WAS_RUNNING_FIELD_NUMBER: _ClassVar[int]
    was_running: bool
    def __init__(self, was_running: _Optional[bool] = ...) -> None: ...

class RunningRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RunningReply(_message.Message):
    __slots__ = ("fixtures", "capacity", "machine", "trouble")
    FIXTURES_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    TROUBLE_FIELD_NUMBER: _ClassVar[int]
    fixtures: _containers.RepeatedCompositeFieldContainer[RunningFixture]
    capacity: int
    machine: str
    trouble: str
    def __init__(self, fixtures: _Optional[_Iterable[_Union[RunningFixture, _Mapping]]] = ..., capacity: _Optional[int] = ..., machine: _Optional[str] = ..., trouble: _Optional[str] = ...) -> None: ...

class RunningFixture(_message.Message):
    __slots__ = ("fixture_id", "attempt", "progress", "seconds", "silent_seconds")
    FIXTURE_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    SILENT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    fixture_id: str
    attempt: int
    progress: Progress
    seconds: float
    silent_seconds: float
    def __init__(self, fixture_id: _Optional[str] = ..., attempt: _Optional[int] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., seconds: _Optional[float] = ..., silent_seconds: _Optional[float] = ...) -> None: ...
