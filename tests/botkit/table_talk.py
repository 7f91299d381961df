"""What the referee would tell each seat of a match in play, as botkit's own events: tests drive `referee.games` with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from botkit.cards import Card
from botkit.events import Event, RoundStart

from referee.games import registry
from referee.games.base import Round
from referee.games.match import Match


def event(document: Mapping[str, Any]) -> Event:
    """The botkit event of what `Round.visible` tells."""
    cards = document.get("cards") or ([document["card"]] if document.get("card") else [])
    return Event(
        document["seat"],
        document["do"],
        tuple(map(Card, cards)),
        document.get("suit"),
        document.get("count", 0),
        document.get("total", 0),
    )


def round_start(dealt: Round, seat: int, number: int, dealer: int, seats: tuple[int, ...]) -> RoundStart:
    """The deal as `seat` sees it."""
    deal = dealt.deal()
    hand = tuple(map(Card, deal["hands"].get(str(seat), [])))
    return RoundStart(number, False, dealer, seats, hand, Card(deal["upcard"]), (0,) * 6)


def decisions(game: str, options: Mapping[str, Any], players: int, seed: int, rounds: int = 3) -> Iterator[Match]:
    """A match of random choices stands before each of its decisions, for so many rounds at most."""
    rng = Random(seed)
    rules = registry.get(game).complete(options, players)
    match = Match(registry.get(game), rules, players, rng.randbytes(32))
    while not match.finished and match.rounds_finished < rounds:
        yield match
        match.choose(rng.choice(match.legal()))
