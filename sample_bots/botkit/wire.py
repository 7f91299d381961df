"""From protocol messages to views, actions and events, and back.

A Turn, which comes hundreds of times a match, is cut into its fields where they lie; actions and events met before are
known by their bytes, and a view is decoded as far as the bot reads it. All else is parsed by protobuf, as is a Turn
that is written in any other way than the referee's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from botkit.actions import Action
from botkit.cards import CARDS, HARD_POINTS, POINTS, Card
from botkit.events import Event, MatchEnd, RoundEnd, RoundStart
from botkit.views import Discard, NinesView, NineView, Taken, View
from protos.ninefold.v1 import games_pb2, table_pb2

KNOWN_KEPT = 50_000
"""Actions, and events, that are kept by their bytes."""
TURN, CHOICE = b"\x22", b"\x12"
"""How a `ToBot` with a Turn begins, and a `FromBot` with a Choice."""
_DECISION, _VIEW, _LEGAL, _EVENT, _CLOCK, _INDEX = 0x08, 0x12, 0x1A, 0x22, 0x2A, b"\x10"


class Turn(NamedTuple):
    """One decision. `clock` is the protocol's Clock in bytes, empty if there is none."""

    decision: int
    view: View
    legal: tuple[Action, ...]
    events: list[Event]
    clock: bytes


def cards_of(codes: Iterable[str]) -> tuple[Card, ...]:
    """The cards of these codes, in order."""
    return tuple([CARDS[code] for code in codes])


class Decoder:
    """Decodes what one seat is sent in matches of one game; `hard_nines` is the rule that penalties depend on (N6.4).

    Actions and events met before and the history seen before are kept.
    """

    def __init__(self, game: str, hard_nines: bool = False) -> None:
        self.game, self.hard_nines = game, hard_nines
        self._points = {c: CARDS[c].value for c in CARDS} if game == "nine" else HARD_POINTS if hard_nines else POINTS
        self._actions: dict[bytes, Action] = {}
        self._events: dict[bytes, Event] = {}
        self._discards: list[Discard] = []
        self._taken: list[Taken] = []

    def round_start(self, message: table_pb2.RoundStart) -> RoundStart:
        """The deal as this seat sees it; the history of the round before is forgotten."""
        self._discards, self._taken = [], []
        return RoundStart(
            round=message.round,
            playoff=message.playoff,
            dealer=message.dealer,
            players=tuple(message.players),
            hand=cards_of(message.hand),
            upcard=CARDS[message.upcard],
            scores=tuple(message.scores),
            cuts=tuple({seat: CARDS[code] for seat, code in cut.cards.items()} for cut in message.cuts),
        )

    def turn(self, data: bytes) -> Turn:
        """The Turn that a `ToBot` holds; its fields are read in place, in any order."""
        try:
            size, at = _varint(data, 1)
            if at + size != len(data) or data[:1] != TURN:
                return self._parsed(data)
            decision, view, clock = 0, b"", b""
            legal: list[Action] = []
            events: list[Event] = []
            actions, known = self._actions, self._events
            end = len(data)
            while at < end:
                tag, size = data[at], data[at + 1]
                at += 2
                if size > 0x7F:
                    size, at = _varint(data, at - 1)
                if tag == _DECISION:
                    decision = size
                    continue
                field = data[at : at + size]
                at += size
                if tag == _LEGAL:
                    legal.append(actions.get(field) or self._action(field))
                elif tag == _EVENT:
                    events.append(known.get(field) or self._event(field))
                elif tag == _VIEW and not view:
                    view = field
                elif tag == _CLOCK and not clock:
                    clock = field
                else:
                    return self._parsed(data)
            if at != end:
                return self._parsed(data)
        except IndexError:
            return self._parsed(data)
        return Turn(decision, self.view(view), tuple(legal), events, clock)

    def _parsed(self, data: bytes) -> Turn:
        """The same by protobuf's own parser, whatever way the message is written in."""
        turn = table_pb2.ToBot.FromString(data).turn
        return Turn(
            turn.decision,
            self.view(turn.view.SerializeToString()),
            tuple([self._action(action.SerializeToString()) for action in turn.legal]),
            self.events(turn.events),
            turn.clock.SerializeToString() if turn.HasField("clock") else b"",
        )

    def view(self, data: bytes) -> View:
        """The view of the seat that is asked. ValueError if it is of no known game."""
        game = _VIEWS.get(data[:1])
        if game is None:
            raise ValueError("the referee sent a view of a game that this botkit does not know: update botkit")
        return game(_Sent(data, self._discards, self._taken))

    def _action(self, data: bytes) -> Action:
        message = games_pb2.Action.FromString(data)
        if message.WhichOneof("game") == "nine":
            cards = cards_of(message.nine.cards)
            action = Action(message.nine.do, cards, None, sum(self._points[c] for c in cards))
        else:
            cards = cards_of(message.nines.cards)
            suit = message.nines.suit or None
            action = Action(message.nines.do, cards, suit, sum(self._points[c] for c in cards))
        if len(self._actions) < KNOWN_KEPT:
            self._actions[data] = action
        return action

    def events(self, messages: Iterable[games_pb2.Event]) -> list[Event]:
        """The events, in order of play."""
        return [self._event(message.SerializeToString()) for message in messages]

    def _event(self, data: bytes) -> Event:
        message = games_pb2.Event.FromString(data)
        which = message.WhichOneof("game")
        if which == "nines":
            m = message.nines
            event = Event(message.seat, m.do, cards_of(m.cards), m.suit or None, m.count)
        elif which == "nine":
            n = message.nine
            event = Event(message.seat, n.do, cards_of(n.cards), None, n.count, n.total)
        else:
            event = Event(message.seat, which or "unknown")
        if len(self._events) < KNOWN_KEPT:
            self._events[data] = event
        return event


class _Sent:
    """The fields of one view, each decoded when it is asked for.

    Histories grow within a round, so what is known of them is kept for all views of the round; but for the last
    discard, which may be a nine whose suit is yet to be named (N1.5).
    """

    __slots__ = ("_data", "_discards", "_message", "_taken")

    def __init__(self, data: bytes, discards: list[Discard], taken: list[Taken]) -> None:
        self._data, self._discards, self._taken = data, discards, taken
        self._message: Any = None

    def field(self, name: str) -> Any:
        """The value as botkit's views have it."""
        if self._message is None:
            view = games_pb2.View.FromString(self._data)
            self._message = view.nines if view.HasField("nines") else view.nine
        value = getattr(self._message, name)
        if name == "hand":
            return cards_of(value)
        if name in ("upcard", "top", "drawn"):
            return CARDS.get(value)
        if name == "discards":
            known = self._discards
            known.extend([_discard(item) for item in value[len(known) : -1]])
            return (*known[: max(0, len(value) - 1)], *map(_discard, value[-1:]))
        if name == "taken":
            self._taken.extend(Taken(item.seat, CARDS[item.card]) for item in value[len(self._taken) :])
            return tuple(self._taken[: len(value)])
        return value if isinstance(value, int | str) else tuple(value)


def _discard(item: games_pb2.Discard) -> Discard:
    return Discard(CARDS[item.card], item.seat if item.HasField("seat") else None, item.suit or None)


_VIEWS: dict[bytes, type[NinesView] | type[NineView]] = {b"\x0a": NinesView, b"\x12": NineView}
"""By the first byte of a View: which field of its oneof it is."""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at that place and the place after it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def _written(number: int) -> bytes:
    """The number as a varint."""
    if number < 0x80:
        return bytes((number,))
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def left_ms(clock: bytes) -> float:
    """What a Turn's Clock says is left."""
    return table_pb2.Clock.FromString(clock).left_ms


def choose(decision: int, index: int) -> bytes:
    """A whole `FromBot` with the Choice of that index."""
    body = b"\x08" + _written(decision) + _INDEX + _written(index)
    return CHOICE + _written(len(body)) + body


def encode(game: str, action: Action) -> games_pb2.Action:
    """The action as the protocol writes it, legal or not. TypeError if its parts are no text."""
    if game == "nine":
        return games_pb2.Action(nine=games_pb2.NineAction(do=action.do, cards=action.cards))
    return games_pb2.Action(nines=games_pb2.NinesAction(do=action.do, cards=action.cards, suit=action.suit or ""))


def round_end(m: table_pb2.RoundEnd) -> RoundEnd:
    """How a round ended."""
    return RoundEnd(
        reason=m.reason,
        by=m.by if m.HasField("by") else None,
        hands=tuple(cards_of(hand.cards) for hand in m.hands),
        penalties=tuple(m.penalties),
        totals=tuple(m.totals),
    )


def match_end(m: table_pb2.MatchEnd) -> MatchEnd:
    """How a match ended."""
    return MatchEnd(places=tuple(m.places), totals=tuple(m.totals), forfeited=tuple(m.forfeited))
