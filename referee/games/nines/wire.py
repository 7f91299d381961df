"""Nines on the wire: its View, actions and events as the messages of protos/ninefold/v1/games.proto, and back."""

from __future__ import annotations

from functools import cache
from typing import Any

from protos.ninefold.v1 import games_pb2
from referee.games.base import Action
from referee.games.nines.view import Discard, View


@cache
def _discard(discard: Discard) -> bytes:
    """A view's serialised field for one discard; joined, they are the field of a whole history."""
    message = games_pb2.Discard(card=discard.card, seat=discard.seat, suit=discard.suit)
    return games_pb2.NinesView(discards=[message]).SerializeToString()


def encode_view(view: View) -> games_pb2.View:
    """The view as a message; nothing is added, nothing left out."""
    message = games_pb2.View()
    nines = message.nines
    nines.MergeFromString(b"".join([_discard(discard) for discard in view.discards]))
    nines.seat = view.seat
    nines.hand.extend(view.hand)
    nines.upcard = view.upcard
    nines.active_suit = view.active_suit
    nines.hand_sizes.extend(view.hand_sizes)
    nines.stock_size = view.stock_size
    nines.direction = view.direction
    nines.dealer = view.dealer
    nines.scores.extend(view.scores)
    nines.round = view.round
    nines.playoff = view.playoff
    nines.players.extend(view.players)
    nines.phase = view.phase
    nines.drawn = view.drawn
    nines.turns = view.turns
    nines.reshuffles = view.reshuffles
    nines.forfeited.extend(view.forfeited)
    return message


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
