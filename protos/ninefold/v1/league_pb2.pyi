from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Document(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...

class Chunk(_message.Message):
    __slots__ = ("data", "total", "name")
    DATA_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    total: int
    name: str
    def __init__(self, data: _Optional[bytes] = ..., total: _Optional[int] = ..., name: _Optional[str] = ...) -> None: ...

class AboutRequest(_message.Message):
    __slots__ = ("client_version",)
    CLIENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    client_version: str
    def __init__(self, client_version: _Optional[str] = ...) -> None: ...

class UploadKey(_message.Message):
    __slots__ = ("sha256", "size")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    sha256: str
    size: int
    def __init__(self, sha256: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class UploadAt(_message.Message):
    __slots__ = ("offset",)
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    offset: int
    def __init__(self, offset: _Optional[int] = ...) -> None: ...

class SubmitPart(_message.Message):
    __slots__ = ("key", "offset", "name", "request_id", "data")
    KEY_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    key: UploadKey
    offset: int
    name: str
    request_id: str
    data: bytes
    def __init__(self, key: _Optional[_Union[UploadKey, _Mapping]] = ..., offset: _Optional[int] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class Submitted(_message.Message):
    __slots__ = ("submission", "place")
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    submission: int
    place: int
    def __init__(self, submission: _Optional[int] = ..., place: _Optional[int] = ...) -> None: ...

class SubmissionKey(_message.Message):
    __slots__ = ("submission",)
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    submission: int
    def __init__(self, submission: _Optional[int] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ("mine",)
    MINE_FIELD_NUMBER: _ClassVar[int]
    mine: bool
    def __init__(self, mine: _Optional[bool] = ...) -> None: ...

class BotKey(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class BuildLogRequest(_message.Message):
    __slots__ = ("name", "version", "submission")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    submission: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., submission: _Optional[int] = ...) -> None: ...

class MatchLogsRequest(_message.Message):
    __slots__ = ("name", "match_id", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    match_id: str
    after: int
    def __init__(self, name: _Optional[str] = ..., match_id: _Optional[str] = ..., after: _Optional[int] = ...) -> None: ...

class RetireRequest(_message.Message):
    __slots__ = ("name", "undo", "reason", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNDO_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    undo: bool
    reason: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., undo: _Optional[bool] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class NewTournament(_message.Message):
    __slots__ = ("name", "game", "profile", "rules", "bots", "all_bots", "format", "table_size", "blocks", "matches_per_fixture", "bank_ms", "increment_ms", "same_author", "seed", "until_separated", "max_blocks", "request_id", "max_sets")
    class RulesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    ALL_BOTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    TABLE_SIZE_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_FIXTURE_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    SAME_AUTHOR_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    UNTIL_SEPARATED_FIELD_NUMBER: _ClassVar[int]
    MAX_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_SETS_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: str
    profile: str
    rules: _containers.ScalarMap[str, str]
    bots: _containers.RepeatedScalarFieldContainer[str]
    all_bots: bool
    format: str
    table_size: int
    blocks: int
    matches_per_fixture: int
    bank_ms: int
    increment_ms: int
    same_author: str
    seed: bytes
    until_separated: bool
    max_blocks: int
    request_id: str
    max_sets: int
    def __init__(self, name: _Optional[str] = ..., game: _Optional[str] = ..., profile: _Optional[str] = ..., rules: _Optional[_Mapping[str, str]] = ..., bots: _Optional[_Iterable[str]] = ..., all_bots: _Optional[bool] = ..., format: _Optional[str] = ..., table_size: _Optional[int] = ..., blocks: _Optional[int] = ..., matches_per_fixture: _Optional[int] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., same_author: _Optional[str] = ..., seed: _Optional[bytes] = ..., until_separated: _Optional[bool] = ..., max_blocks: _Optional[int] = ..., request_id: _Optional[str] = ..., max_sets: _Optional[int] = ...) -> None: ...

class TournamentKey(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class TournamentChange(_message.Message):
    __slots__ = ("name", "change", "fixture", "reason", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    FIXTURE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    change: str
    fixture: str
    reason: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., change: _Optional[str] = ..., fixture: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class EntryKey(_message.Message):
    __slots__ = ("tournament", "bot", "reason", "request_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    reason: str
    request_id: str
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ExportRequest(_message.Message):
    __slots__ = ("name", "replays", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REPLAYS_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    replays: bool
    after: int
    def __init__(self, name: _Optional[str] = ..., replays: _Optional[bool] = ..., after: _Optional[int] = ...) -> None: ...

class MatchFilter(_message.Message):
    __slots__ = ("tournament", "bot", "opponent", "cause", "before", "limit")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    opponent: str
    cause: str
    before: str
    limit: int
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ..., opponent: _Optional[str] = ..., cause: _Optional[str] = ..., before: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class MatchKey(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class ChallengeRequest(_message.Message):
    __slots__ = ("bot", "opponent", "matches", "game", "profile", "request_id")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponent: str
    matches: int
    game: str
    profile: str
    request_id: str
    def __init__(self, bot: _Optional[str] = ..., opponent: _Optional[str] = ..., matches: _Optional[int] = ..., game: _Optional[str] = ..., profile: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class StatusRequest(_message.Message):
    __slots__ = ("deep",)
    DEEP_FIELD_NUMBER: _ClassVar[int]
    deep: bool
    def __init__(self, deep: _Optional[bool] = ...) -> None: ...

class NewUser(_message.Message):
    __slots__ = ("name", "role", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    role: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., role: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ListUsersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UserKey(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class NewToken(_message.Message):
    __slots__ = ("user", "label")
    USER_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    user: str
    label: str
    def __init__(self, user: _Optional[str] = ..., label: _Optional[str] = ...) -> None: ...

class TokenKey(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class BanRequest(_message.Message):
    __slots__ = ("user", "reason", "undo")
    USER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    UNDO_FIELD_NUMBER: _ClassVar[int]
    user: str
    reason: str
    undo: bool
    def __init__(self, user: _Optional[str] = ..., reason: _Optional[str] = ..., undo: _Optional[bool] = ...) -> None: ...

class QuotaRequest(_message.Message):
    __slots__ = ("user", "quota")
    class QuotaEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    USER_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    user: str
    quota: _containers.ScalarMap[str, int]
    def __init__(self, user: _Optional[str] = ..., quota: _Optional[_Mapping[str, int]] = ...) -> None: ...

class FreezeRequest(_message.Message):
    __slots__ = ("undo", "reason")
    UNDO_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    undo: bool
    reason: str
    def __init__(self, undo: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class AuditRequest(_message.Message):
    __slots__ = ("limit",)
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    limit: int
    def __init__(self, limit: _Optional[int] = ...) -> None: ...
