"""Nine in protobuf: NineView, NineAction and NineEvent from and to the game's own; its only import of protos."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.framing import Growing, field
from referee.games.nine.cards import CALL, DRAW_PILE, NUMBERS, TAKE_DISCARD
from referee.games.nine.view import Discarded, Taken, View

_WITHOUT_CARDS = {action.do: action for action in (CALL, DRAW_PILE, TAKE_DISCARD)}
_MOST_CARDS = 5


# A view is written in parts that recur: serialised fields of one message may simply be joined, in any order. Each part
# is a function of the view's own fields alone, so what a seat cannot know cannot reach its bytes.


def _part(**fields: Any) -> bytes:
    return games_pb2.NineView(**fields).SerializeToString()


@cache
def _held(card: str) -> bytes:
    return _part(hand=[card])


@lru_cache(maxsize=1 << 14)
def _discarded(item: Discarded) -> bytes:
    return _part(discards=[games_pb2.Discard(card=item.card, seat=item.seat)])


@lru_cache(maxsize=1 << 14)
def _taken(item: Taken) -> bytes:
    return _part(taken=[games_pb2.Taken(seat=item.seat, card=item.card)])


_history, _takings = Growing(_discarded), Growing(_taken)


@lru_cache(maxsize=1024)
def _round(
    seat: int, dealer: int, scores: tuple[int, ...], number: int, teams: int, forfeited: tuple[int, ...]
) -> bytes:
    return _part(seat=seat, dealer=dealer, scores=scores, round=number, teams=teams, forfeited=forfeited)


@lru_cache(maxsize=1 << 14)
def _open(top: str, phase: str, drawn: str) -> bytes:
    return _part(top=top, phase=phase, drawn=drawn)


@lru_cache(maxsize=1 << 14)
def _turns(go_around: int, turns_taken: tuple[int, ...]) -> bytes:
    return _part(go_around=go_around, turns_taken=turns_taken)


@lru_cache(maxsize=1 << 14)
def _sizes(hand_sizes: tuple[int, ...]) -> bytes:
    return _part(hand_sizes=hand_sizes)


@lru_cache(maxsize=1024)
def _pile(draw_pile_size: int, reshuffles: int) -> bytes:
    return _part(draw_pile_size=draw_pile_size, reshuffles=reshuffles)


def encode_view(view: View) -> bytes:
    """The view as a serialised `View` as it goes to its seat, field by field from K6's allow-list."""
    body = b"".join(
        (
            _round(view.seat, view.dealer, view.scores, view.round, view.teams, view.forfeited),
            _open(view.top, view.phase, view.drawn),
            _turns(view.go_around, view.turns_taken),
            _sizes(view.hand_sizes),
            _pile(view.draw_pile_size, view.reshuffles),
            *[_held(card) for card in view.hand],
            _history.fields(view.discards),
            _takings.fields(view.taken),
        )
    )
    return field(games_pb2.View.NINE_FIELD_NUMBER, body)


@lru_cache(maxsize=1 << 14)
def encode_action(action: Action) -> games_pb2.Action:
    """The action as a message; the same object for the same action, not to be changed."""
    return games_pb2.Action(nine=games_pb2.NineAction(do=action.do, cards=action.cards))


def encode_event(event: Mapping[str, Any]) -> games_pb2.Event:
    """An event as `visible` gives it: a field that is not there is not known to the seat."""
    do = event["do"]
    cards = event.get("cards") or ((event["card"],) if "card" in event else ())
    message = games_pb2.NineEvent(do=do, cards=cards, total=event.get("total", 0), count=event.get("count", 0))
    return games_pb2.Event(seat=event["seat"], nine=message)


def decode_action(message: games_pb2.Action) -> Action:
    """The action that a bot sent; `ValueError` says what is malformed. Whether it is legal is for the round to say."""
    if message.WhichOneof("game") != "nine":
        raise ValueError("the action is none of Nine: set `nine`")
    do, cards = message.nine.do, tuple(message.nine.cards)
    if do == "discard":
        if not 1 <= len(cards) <= _MOST_CARDS:
            raise ValueError(f"a discard names 1 to {_MOST_CARDS} cards, not {len(cards)}")
        for card in cards:
            if card not in NUMBERS:
                raise ValueError(f"{card[:8]!r} is no card of Nine")
        return Action(do, cards)  # not interned: a bot may send any number of different ones
    action = _WITHOUT_CARDS.get(do)
    if action is None:
        raise ValueError(f"{do[:20]!r} is no action of Nine: call, draw_pile, take_discard or discard")
    if cards:
        raise ValueError(f"{do} names no cards")
    return action
