"""What is sent to a bot, and what it sent, between the words of the driver and the messages of the table protocol.

`View`, `Action` and `Event` are encoded by the game's own `wire` module, from the seat's own view and from what it may
know; nothing else of a match reaches this module.
"""

from __future__ import annotations

import json
import struct
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from google.protobuf.message import DecodeError

from protos.ninefold.v1 import games_pb2, table_pb2
from referee.games import registry
from referee.games.base import Action, Json
from referee.games.framing import field, varint
from referee.match.seat import MAX_MESSAGE_BYTES, NOTE_CHARACTERS, MatchEnd, MatchStart, RoundEnd, RoundStart, Turn
from referee.sandbox.limits import Limits

PROTOCOL = 1
_TURN, _ROUND_END = 4, 5  # field numbers: of ToBot, then of Turn and of RoundEnd
_VIEW, _LEGAL, _EVENT, _CLOCK = 2, 3, 4, 5
_LAST_EVENT = 6
_DECISION = b"\x08"  # field 1, a varint
_TIMES = struct.Struct("<BdBd")  # fields 3 and 4 of Clock: a tag and a double each
_CLOCK_TIMES, _LEFT, _CHARGED = _TIMES.pack, 3 << 3 | 1, 4 << 3 | 1
MAX_EVENTS_KEPT = 20_000
MAX_LISTS_KEPT = 2_000


class Wire(Protocol):
    """The `wire` module of a game."""

    def encode_view(self, view: Any) -> bytes: ...
    def encode_action(self, action: Action) -> games_pb2.Action: ...
    def encode_event(self, event: dict[str, Json]) -> games_pb2.Event: ...
    def decode_action(self, action: games_pb2.Action) -> Action: ...


@cache
def wire_of(game: str) -> Wire:
    """The `wire` module of that game, imported only when it is played."""
    module: Any = import_module(f"{registry.GAMES[game]}.wire")
    return module  # type: ignore[no-any-return]


@cache
def _clock(bank_ms: int, increment_ms: int, charged_as: str) -> bytes:
    """The beginning of a Turn's clock field: its length, and all in it that stays the same in a match."""
    same = table_pb2.Clock(bank_ms=bank_ms, increment_ms=increment_ms, charged_as=charged_as).SerializeToString()
    return varint(_CLOCK << 3 | 2) + varint(len(same) + _TIMES.size) + same


class Encoder:
    """Encodes for the seats of one game. Fields that recur are kept as bytes: serialised fields may be joined."""

    def __init__(self, game: str) -> None:
        self._wire = wire_of(game)
        self._legal: dict[int, bytes] = {}
        self._lists: dict[int, tuple[tuple[Action, ...], bytes]] = {}
        self._events: dict[tuple[int, Json], bytes] = {}
        self._shown: tuple[RoundEnd, bytes] | None = None

    def turn(self, decision: int, turn: Turn, bank_ms: int, increment_ms: int, charged_as: str) -> bytes:
        """A whole `ToBot` with the Turn."""
        return field(
            _TURN,
            b"".join(
                (
                    _DECISION,
                    varint(decision),
                    field(_VIEW, self._wire.encode_view(turn.view)),
                    self._all(turn.legal),
                    *[self._event(_EVENT, event) for event in turn.events],
                    _clock(bank_ms, increment_ms, charged_as),
                    _CLOCK_TIMES(_LEFT, turn.left_ms, _CHARGED, turn.charged_ms),
                )
            ),
        )

    def _all(self, legal: tuple[Action, ...]) -> bytes:
        """The fields of a list of legal actions. Games make each list once, so it is known by its identity."""
        known = self._lists.get(id(legal))
        if known is not None and known[0] is legal:
            return known[1]
        fields = self._legal
        try:
            encoded = b"".join([fields[action.key] for action in legal])
        except KeyError:
            encoded = b"".join([self._remember(action) for action in legal])
        if len(self._lists) >= MAX_LISTS_KEPT:
            self._lists.clear()
        self._lists[id(legal)] = legal, encoded  # the list is kept too, so that its identity stays its own
        return encoded

    def _remember(self, action: Action) -> bytes:
        encoded = field(_LEGAL, self._wire.encode_action(action).SerializeToString())
        if action.key >= 0:
            self._legal[action.key] = encoded
        return encoded

    def _event(self, number: int, event: dict[str, Json]) -> bytes:
        """One event as the field of that number. A match has few different ones, so they are kept."""
        key = number, tuple([tuple(value) if type(value) is list else value for value in event.values()])
        encoded = self._events.get(key)
        if encoded is None:
            encoded = field(number, self.event(event).SerializeToString())
            if len(self._events) < MAX_EVENTS_KEPT:
                self._events[key] = encoded
        return encoded

    def event(self, event: dict[str, Json]) -> games_pb2.Event:
        """An event as the seat may know it; that somebody forfeited is told in every game alike (F4)."""
        if event["do"] == "forfeit":
            return games_pb2.Event(seat=event["seat"], forfeit=games_pb2.Forfeit())
        return self._wire.encode_event(event)

    def round_end(self, end: RoundEnd) -> bytes:
        """A whole `ToBot` with the RoundEnd. What all seats are shown alike is encoded once for all of them."""
        shown = self._shown
        if shown is None or shown[0][:-1] != end[:-1]:
            hands = [table_pb2.Hand(cards=hand) for hand in end.hands]
            alike = table_pb2.RoundEnd(
                reason=end.reason, by=end.by, hands=hands, penalties=end.penalties, totals=end.totals
            )
            self._shown = shown = end, alike.SerializeToString()
        return field(_ROUND_END, b"".join((shown[1], *[self._event(_LAST_EVENT, event) for event in end.events])))


@cache
def encoder_of(game: str) -> Encoder:
    """The one encoder of that game in this process."""
    return Encoder(game)


def welcome(limits: Limits) -> bytes:
    return table_pb2.ToBot(
        welcome=table_pb2.Welcome(
            protocol=PROTOCOL,
            max_message_bytes=MAX_MESSAGE_BYTES,
            memory_mib=limits.memory_mib,
            processes=limits.pids,
            note_characters=NOTE_CHARACTERS,
            start_limit_ms=round(limits.start_seconds * 1000),
        )
    ).SerializeToString()


def match_start(start: MatchStart) -> bytes:
    return table_pb2.ToBot(
        match_start=table_pb2.MatchStart(
            game=start.game,
            rules={name: json.dumps(value) for name, value in start.rules.items()},
            profile=start.profile or "",
            seat=start.seat,
            players=start.players,
            commitment=start.commitment,
            bot_seed=start.bot_seed,
            clock=table_pb2.Clock(
                bank_ms=start.bank_ms,
                increment_ms=start.increment_ms,
                left_ms=start.bank_ms,
                charged_as=start.charged_as,
            ),
            match=start.match,
        )
    ).SerializeToString()


def round_start(start: RoundStart) -> bytes:
    return table_pb2.ToBot(
        round_start=table_pb2.RoundStart(
            round=start.round,
            playoff=start.playoff,
            dealer=start.dealer,
            players=start.players,
            hand=start.hand,
            upcard=start.upcard,
            scores=start.scores,
            cuts=[table_pb2.Cut(cards=cut) for cut in start.cuts],
        )
    ).SerializeToString()


def match_end(end: MatchEnd) -> bytes:
    return table_pb2.ToBot(
        match_end=table_pb2.MatchEnd(places=end.places, totals=end.totals, forfeited=end.forfeited)
    ).SerializeToString()


def goodbye(reason: str) -> bytes:
    return table_pb2.ToBot(goodbye=table_pb2.Goodbye(reason=reason)).SerializeToString()


def from_bot(data: bytes) -> table_pb2.FromBot:
    """What a bot sent; `ValueError` if it is no message of the protocol."""
    try:
        return table_pb2.FromBot.FromString(data)
    except DecodeError:
        raise ValueError("bytes that are no message of the protocol") from None


def indexed(decision: int) -> bytes:
    """How the usual answer to a decision begins: a Choice of an index below 128, which follows as one last byte."""
    body = _DECISION + varint(decision) + b"\x10"
    return b"\x12" + varint(len(body) + 1) + body


def pick(game: str, choice: table_pb2.Choice) -> int | Action:
    """What a Choice picks; `ValueError` says in which way it picks nothing."""
    which = choice.WhichOneof("pick")
    if which == "index":
        return choice.index
    if which == "action":
        return wire_of(game).decode_action(choice.action)
    raise ValueError("a Choice with neither index nor action")
