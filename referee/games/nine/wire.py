"""Nine in protobuf: NineView, NineAction and NineEvent from and to the game's own; its only import of protos."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.nine.cards import CALL, DRAW_PILE, NUMBERS, TAKE_DISCARD
from referee.games.nine.view import View

_WITHOUT_CARDS = {action.do: action for action in (CALL, DRAW_PILE, TAKE_DISCARD)}
_MOST_CARDS = 5


@lru_cache(maxsize=1 << 14)
def _discarded(card: str, seat: int | None) -> games_pb2.Discard:
    return games_pb2.Discard(card=card, seat=seat)


def encode_view(view: View) -> games_pb2.View:
    """The view as it goes to its seat, field by field from K6's allow-list."""
    message = games_pb2.NineView(
        seat=view.seat,
        hand=view.hand,
        top=view.top,
        discards=[_discarded(item.card, item.seat) for item in view.discards],
        taken=[games_pb2.Taken(seat=item.seat, card=item.card) for item in view.taken],
        hand_sizes=view.hand_sizes,
        draw_pile_size=view.draw_pile_size,
        dealer=view.dealer,
        scores=view.scores,
        round=view.round,
        go_around=view.go_around,
        turns_taken=view.turns_taken,
        teams=view.teams,
        phase=view.phase,
        drawn=view.drawn,
        reshuffles=view.reshuffles,
        forfeited=view.forfeited,
    )
    return games_pb2.View(nine=message)


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
