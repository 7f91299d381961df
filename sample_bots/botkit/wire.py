"""From protocol messages to views, actions and events, and back. Made for one match: penalties depend on its rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from botkit.actions import Action
from botkit.cards import CARDS, HARD_POINTS, POINTS, Card
from botkit.events import Event, MatchEnd, RoundEnd, RoundStart
from botkit.views import Discard, NinesView, NineView, Taken, View
from protos.ninefold.v1 import games_pb2, table_pb2

KNOWN_ACTIONS_KEPT = 50_000


def cards_of(codes: Iterable[str]) -> tuple[Card, ...]:
    """The cards of these codes, in order."""
    return tuple([CARDS[code] for code in codes])


class Decoder:
    """Decodes what one seat is sent in one match. Actions met before and the history seen before are kept."""

    def __init__(self, game: str, hard_nines: bool = False) -> None:
        self.game = game
        self._points = {c: CARDS[c].value for c in CARDS} if game == "nine" else HARD_POINTS if hard_nines else POINTS
        self._actions: dict[bytes, Action] = {}
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

    def view(self, message: games_pb2.View) -> View:
        """The view of the seat that is asked. ValueError if it is of no known game."""
        which = message.WhichOneof("game")
        if which == "nines":
            return self._nines(message.nines)
        if which == "nine":
            return self._nine(message.nine)
        raise ValueError("the referee sent a view of a game that this botkit does not know: update botkit")

    def _history(self, sent: Sequence[games_pb2.Discard]) -> tuple[Discard, ...]:
        """The whole discard history; it only ever grows within a round, so what is known of it is kept."""
        known = self._discards
        for item in sent[len(known) :]:
            seat = item.seat if item.HasField("seat") else None
            known.append(Discard(CARDS[item.card], seat, item.suit or None))
        return tuple(known)

    def _nines(self, m: games_pb2.NinesView) -> NinesView:
        return NinesView(
            m.seat,
            cards_of(m.hand),
            CARDS[m.upcard],
            m.active_suit,
            self._history(m.discards),
            tuple(m.hand_sizes),
            m.stock_size,
            m.direction,
            m.dealer,
            tuple(m.scores),
            m.round,
            m.playoff,
            tuple(m.players),
            m.phase,
            CARDS.get(m.drawn),
            m.turns,
            m.reshuffles,
            tuple(m.forfeited),
        )

    def _nine(self, m: games_pb2.NineView) -> NineView:
        self._taken.extend(Taken(item.seat, CARDS[item.card]) for item in m.taken[len(self._taken) :])
        return NineView(
            m.seat,
            cards_of(m.hand),
            CARDS.get(m.top),
            self._history(m.discards),
            tuple(self._taken),
            tuple(m.hand_sizes),
            m.draw_pile_size,
            m.dealer,
            tuple(m.scores),
            m.round,
            m.go_around,
            tuple(m.turns_taken),
            m.teams,
            m.phase,
            CARDS.get(m.drawn),
            m.reshuffles,
            tuple(m.forfeited),
        )

    def legal(self, messages: Iterable[games_pb2.Action]) -> tuple[Action, ...]:
        """The legal actions, in the order sent."""
        known = self._actions
        actions = []
        for message in messages:
            key = message.SerializeToString()
            action = known.get(key)
            if action is None:
                action = self._action(message)
                if len(known) < KNOWN_ACTIONS_KEPT:
                    known[key] = action
            actions.append(action)
        return tuple(actions)

    def _action(self, message: games_pb2.Action) -> Action:
        if message.WhichOneof("game") == "nine":
            cards = cards_of(message.nine.cards)
            return Action(message.nine.do, cards, None, sum(self._points[c] for c in cards))
        cards = cards_of(message.nines.cards)
        return Action(message.nines.do, cards, message.nines.suit or None, sum(self._points[c] for c in cards))

    def events(self, messages: Iterable[games_pb2.Event]) -> list[Event]:
        """The events, in order of play."""
        return [self._event(message) for message in messages]

    def _event(self, message: games_pb2.Event) -> Event:
        which = message.WhichOneof("game")
        if which == "nines":
            m = message.nines
            return Event(message.seat, m.do, cards_of(m.cards), m.suit or None, m.count)
        if which == "nine":
            n = message.nine
            return Event(message.seat, n.do, cards_of(n.cards), None, n.count, n.total)
        return Event(message.seat, which or "unknown")


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
