"""Nines on the wire: its View, actions and events as the messages of protos/ninefold/v1/games.proto, and back."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.framing import Growing, field
from referee.games.nines.view import Discard, View

# A view is written in parts that recur: serialised fields of one message may simply be joined, in any order. Each part
# is a function of the view's own fields alone, so what a seat cannot know cannot reach its bytes.


def _part(**fields: Any) -> bytes:
    return games_pb2.NinesView(**fields).SerializeToString()


@cache
def _held(card: str) -> bytes:
    return _part(hand=[card])


@cache
def _discard(discard: Discard) -> bytes:
    return _part(discards=[games_pb2.Discard(card=discard.card, seat=discard.seat, suit=discard.suit)])


_history = Growing(_discard)


@lru_cache(maxsize=1024)
def _round(
    seat: int,
    direction: int,
    dealer: int,
    scores: tuple[int, ...],
    number: int,
    playoff: bool,
    players: tuple[int, ...],
    forfeited: tuple[int, ...],
) -> bytes:
    return _part(
        seat=seat,
        direction=direction,
        dealer=dealer,
        scores=scores,
        round=number,
        playoff=playoff,
        players=players,
        forfeited=forfeited,
    )


@lru_cache(maxsize=1024)
def _open(upcard: str, active_suit: str) -> bytes:
    return _part(upcard=upcard, active_suit=active_suit)


@lru_cache(maxsize=1024)
def _own(phase: str, drawn: str) -> bytes:
    return _part(phase=phase, drawn=drawn)


@lru_cache(maxsize=16384)
def _sizes(hand_sizes: tuple[int, ...]) -> bytes:
    return _part(hand_sizes=hand_sizes)


@lru_cache(maxsize=1024)
def _stock(stock_size: int, reshuffles: int) -> bytes:
    return _part(stock_size=stock_size, reshuffles=reshuffles)


@lru_cache(maxsize=1024)
def _turns(turns: int) -> bytes:
    return _part(turns=turns)


def encode_view(view: View) -> bytes:
    """The view as a serialised `View`; nothing is added, nothing left out."""
    body = b"".join(
        (
            _round(
                view.seat,
                view.direction,
                view.dealer,
                view.scores,
                view.round,
                view.playoff,
                view.players,
                view.forfeited,
            ),
            _open(view.upcard, view.active_suit),
            _own(view.phase, view.drawn),
            _sizes(view.hand_sizes),
            _stock(view.stock_size, view.reshuffles),
            _turns(view.turns),
            *[_held(card) for card in view.hand],
            _history.fields(view.discards),
        )
    )
    return field(games_pb2.View.NINES_FIELD_NUMBER, body)


@cache
def encode_action(action: Action) -> games_pb2.Action:
    """The action as a message, always the same one; not to be changed."""
    return games_pb2.Action(nines=games_pb2.NinesAction(do=action.do, cards=action.cards, suit=action.suit or ""))


def encode_event(event: dict[str, Any]) -> games_pb2.Event:
    """An event of `Round.visible` as a message."""
    return games_pb2.Event(
        seat=event["seat"],
        nines=games_pb2.NinesEvent(
            do=event["do"], cards=event.get("cards", ()), suit=event.get("suit", ""), count=event.get("count", 0)
        ),
    )


def decode_action(message: games_pb2.Action) -> Action:
    """The action that a bot sent, not yet checked; ValueError if it is none of Nines."""
    if message.WhichOneof("game") != "nines":
        raise ValueError("not an action of Nines")
    sent = message.nines
    if len(sent.cards) > 2 or len(sent.do) > 20 or len(sent.suit) > 1 or any(len(card) != 2 for card in sent.cards):
        raise ValueError("not an action of Nines: too long, or no card")
    return Action(sent.do, tuple(sent.cards), sent.suit or None)
