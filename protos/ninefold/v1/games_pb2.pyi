from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class View(_message.Message):
    __slots__ = ("nines", "nine")
    NINES_FIELD_NUMBER: _ClassVar[int]
    NINE_FIELD_NUMBER: _ClassVar[int]
    nines: NinesView
    nine: NineView
    def __init__(self, nines: _Optional[_Union[NinesView, _Mapping]] = ..., nine: _Optional[_Union[NineView, _Mapping]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("nines", "nine")
    NINES_FIELD_NUMBER: _ClassVar[int]
    NINE_FIELD_NUMBER: _ClassVar[int]
    nines: NinesAction
    nine: NineAction
    def __init__(self, nines: _Optional[_Union[NinesAction, _Mapping]] = ..., nine: _Optional[_Union[NineAction, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("seat", "nines", "nine", "forfeit")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NINES_FIELD_NUMBER: _ClassVar[int]
    NINE_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    nines: NinesEvent
    nine: NineEvent
    forfeit: Forfeit
    def __init__(self, seat: _Optional[int] = ..., nines: _Optional[_Union[NinesEvent, _Mapping]] = ..., nine: _Optional[_Union[NineEvent, _Mapping]] = ..., forfeit: _Optional[_Union[Forfeit, _Mapping]] = ...) -> None: ...

class Forfeit(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Discard(_message.Message):
    __slots__ = ("card", "seat", "suit")
    CARD_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    card: str
    seat: int
    suit: str
    def __init__(self, card: _Optional[str] = ..., seat: _Optional[int] = ..., suit: _Optional[str] = ...) -> None: ...

class NinesView(_message.Message):
    __slots__ = ("seat", "hand", "upcard", "active_suit", "discards", "hand_sizes", "stock_size", "direction", "dealer", "scores", "round", "playoff", "players", "phase", "drawn", "turns", "reshuffles", "forfeited")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_SUIT_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    STOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PLAYOFF_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[str]
    upcard: str
    active_suit: str
    discards: _containers.RepeatedCompositeFieldContainer[Discard]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    stock_size: int
    direction: int
    dealer: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    round: int
    playoff: bool
    players: _containers.RepeatedScalarFieldContainer[int]
    phase: str
    drawn: str
    turns: int
    reshuffles: int
    forfeited: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., hand: _Optional[_Iterable[str]] = ..., upcard: _Optional[str] = ..., active_suit: _Optional[str] = ..., discards: _Optional[_Iterable[_Union[Discard, _Mapping]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., stock_size: _Optional[int] = ..., direction: _Optional[int] = ..., dealer: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., round: _Optional[int] = ..., playoff: _Optional[bool] = ..., players: _Optional[_Iterable[int]] = ..., phase: _Optional[str] = ..., drawn: _Optional[str] = ..., turns: _Optional[int] = ..., reshuffles: _Optional[int] = ..., forfeited: _Optional[_Iterable[int]] = ...) -> None: ...

class NinesAction(_message.Message):
    __slots__ = ("do", "cards", "suit")
    DO_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    do: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    suit: str
    def __init__(self, do: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ..., suit: _Optional[str] = ...) -> None: ...

class NinesEvent(_message.Message):
    __slots__ = ("do", "cards", "suit", "count")
    DO_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    do: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    suit: str
    count: int
    def __init__(self, do: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ..., suit: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class NineView(_message.Message):
    __slots__ = ("seat", "hand", "top", "discards", "taken", "hand_sizes", "draw_pile_size", "dealer", "scores", "round", "go_around", "turns_taken", "teams", "phase", "drawn", "reshuffles", "forfeited")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    DRAW_PILE_SIZE_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    GO_AROUND_FIELD_NUMBER: _ClassVar[int]
    TURNS_TAKEN_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[str]
    top: str
    discards: _containers.RepeatedCompositeFieldContainer[Discard]
    taken: _containers.RepeatedCompositeFieldContainer[Taken]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    draw_pile_size: int
    dealer: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    round: int
    go_around: int
    turns_taken: _containers.RepeatedScalarFieldContainer[int]
    teams: int
    phase: str
    drawn: str
    reshuffles: int
    forfeited: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., hand: _Optional[_Iterable[str]] = ..., top: _Optional[str] = ..., discards: _Optional[_Iterable[_Union[Discard, _Mapping]]] = ..., taken: _Optional[_Iterable[_Union[Taken, _Mapping]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., draw_pile_size: _Optional[int] = ..., dealer: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., round: _Optional[int] = ..., go_around: _Optional[int] = ..., turns_taken: _Optional[_Iterable[int]] = ..., teams: _Optional[int] = ..., phase: _Optional[str] = ..., drawn: _Optional[str] = ..., reshuffles: _Optional[int] = ..., forfeited: _Optional[_Iterable[int]] = ...) -> None: ...

class Taken(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class NineAction(_message.Message):
    __slots__ = ("do", "cards")
    DO_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    do: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, do: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ...) -> None: ...

class NineEvent(_message.Message):
    __slots__ = ("do", "cards", "total", "count")
    DO_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    do: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    total: int
    count: int
    def __init__(self, do: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ..., total: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...
