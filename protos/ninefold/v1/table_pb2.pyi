from protos.ninefold.v1 import games_pb2 as _games_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FromBot(_message.Message):
    __slots__ = ("hello", "choice")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    choice: Choice
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., choice: _Optional[_Union[Choice, _Mapping]] = ...) -> None: ...

class ToBot(_message.Message):
    __slots__ = ("welcome", "match_start", "round_start", "turn", "round_end", "match_end", "goodbye")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    MATCH_START_FIELD_NUMBER: _ClassVar[int]
    ROUND_START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ROUND_END_FIELD_NUMBER: _ClassVar[int]
    MATCH_END_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    match_start: MatchStart
    round_start: RoundStart
    turn: Turn
    round_end: RoundEnd
    match_end: MatchEnd
    goodbye: Goodbye
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., match_start: _Optional[_Union[MatchStart, _Mapping]] = ..., round_start: _Optional[_Union[RoundStart, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., round_end: _Optional[_Union[RoundEnd, _Mapping]] = ..., match_end: _Optional[_Union[MatchEnd, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("client",)
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    client: str
    def __init__(self, client: _Optional[str] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "max_message_bytes", "memory_mib", "processes", "note_characters", "start_limit_ms")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    NOTE_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    START_LIMIT_MS_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    max_message_bytes: int
    memory_mib: int
    processes: int
    note_characters: int
    start_limit_ms: int
    def __init__(self, protocol: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., memory_mib: _Optional[int] = ..., processes: _Optional[int] = ..., note_characters: _Optional[int] = ..., start_limit_ms: _Optional[int] = ...) -> None: ...

class MatchStart(_message.Message):
    __slots__ = ("game", "rules", "profile", "seat", "players", "commitment", "bot_seed", "clock", "match")
    class RulesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_SEED_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    game: str
    rules: _containers.ScalarMap[str, str]
    profile: str
    seat: int
    players: int
    commitment: str
    bot_seed: bytes
    clock: Clock
    match: int
    def __init__(self, game: _Optional[str] = ..., rules: _Optional[_Mapping[str, str]] = ..., profile: _Optional[str] = ..., seat: _Optional[int] = ..., players: _Optional[int] = ..., commitment: _Optional[str] = ..., bot_seed: _Optional[bytes] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., match: _Optional[int] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("bank_ms", "increment_ms", "left_ms", "charged_ms", "charged_as")
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    CHARGED_AS_FIELD_NUMBER: _ClassVar[int]
    bank_ms: int
    increment_ms: int
    left_ms: float
    charged_ms: float
    charged_as: str
    def __init__(self, bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., left_ms: _Optional[float] = ..., charged_ms: _Optional[float] = ..., charged_as: _Optional[str] = ...) -> None: ...

class RoundStart(_message.Message):
    __slots__ = ("round", "playoff", "dealer", "players", "hand", "upcard", "scores", "cuts")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PLAYOFF_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    CUTS_FIELD_NUMBER: _ClassVar[int]
    round: int
    playoff: bool
    dealer: int
    players: _containers.RepeatedScalarFieldContainer[int]
    hand: _containers.RepeatedScalarFieldContainer[str]
    upcard: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    cuts: _containers.RepeatedCompositeFieldContainer[Cut]
    def __init__(self, round: _Optional[int] = ..., playoff: _Optional[bool] = ..., dealer: _Optional[int] = ..., players: _Optional[_Iterable[int]] = ..., hand: _Optional[_Iterable[str]] = ..., upcard: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ..., cuts: _Optional[_Iterable[_Union[Cut, _Mapping]]] = ...) -> None: ...

class Cut(_message.Message):
    __slots__ = ("cards",)
    class CardsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: str
        def __init__(self, key: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.ScalarMap[int, str]
    def __init__(self, cards: _Optional[_Mapping[int, str]] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("decision", "view", "legal", "events", "clock")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    decision: int
    view: _games_pb2.View
    legal: _containers.RepeatedCompositeFieldContainer[_games_pb2.Action]
    events: _containers.RepeatedCompositeFieldContainer[_games_pb2.Event]
    clock: Clock
    def __init__(self, decision: _Optional[int] = ..., view: _Optional[_Union[_games_pb2.View, _Mapping]] = ..., legal: _Optional[_Iterable[_Union[_games_pb2.Action, _Mapping]]] = ..., events: _Optional[_Iterable[_Union[_games_pb2.Event, _Mapping]]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ...) -> None: ...

class Choice(_message.Message):
    __slots__ = ("decision", "index", "action", "note")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    decision: int
    index: int
    action: _games_pb2.Action
    note: str
    def __init__(self, decision: _Optional[int] = ..., index: _Optional[int] = ..., action: _Optional[_Union[_games_pb2.Action, _Mapping]] = ..., note: _Optional[str] = ...) -> None: ...

class RoundEnd(_message.Message):
    __slots__ = ("reason", "by", "hands", "penalties", "totals", "events")
    REASON_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    PENALTIES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    reason: str
    by: int
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    penalties: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    events: _containers.RepeatedCompositeFieldContainer[_games_pb2.Event]
    def __init__(self, reason: _Optional[str] = ..., by: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., penalties: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., events: _Optional[_Iterable[_Union[_games_pb2.Event, _Mapping]]] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("places", "totals", "forfeited")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    forfeited: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, places: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., forfeited: _Optional[_Iterable[int]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...
