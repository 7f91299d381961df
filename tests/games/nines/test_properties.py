"""Properties of whole random matches, of every profile and of any mix of options."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import PACK
from referee.games.match import Match
from referee.games.nines import GAME, NinesRound, from_position, position
from referee.games.nines.options import OPTIONS
from referee.games.shuffler import Shuffler


def cards_of(state: NinesRound) -> Counter[str]:
    """All cards of a round, wherever they are."""
    where = position(state)
    return Counter([card for hand in where["hands"].values() for card in hand] + where["stock"] + where["discards"])


def follow(deal: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """The hands after the recorded events, by plain bookkeeping: no card is played that was not held, or drawn twice."""
    hands = {int(seat): Counter(hand) for seat, hand in deal["hands"].items()}
    stock, discards = list(deal["stock"]), [deal["upcard"]]
    total = sum(map(len, deal["hands"].values())) + len(stock) + 1
    for event in events:
        hand = hands[event["seat"]]
        match event["do"]:
            case "play":
                for card in event["cards"]:
                    assert hand[card] > 0
                    hand[card] -= 1
                    discards.append(card)
            case "draw" | "forced_draw":
                for card in event["cards"]:
                    assert card == stock.pop()
                    hand[card] += 1
            case "reshuffle":
                assert not stock
                assert Counter(event["stock"]) == Counter(discards[:-1])
                stock, discards = list(event["stock"]), discards[-1:]
        assert sum(map(Counter.total, hands.values())) + len(stock) + len(discards) == total
    return hands


def options(players: int) -> st.SearchStrategy[dict[str, Any]]:
    fields = {
        name: st.sampled_from(option.allowed)
        for name, option in OPTIONS.items()
        if not isinstance(option.allowed, range)
    }
    fields["decks"] = st.just(1) if players < 5 else st.sampled_from((1, 2))
    fields |= {
        "cutoff": st.integers(1, 150),
        "rounds": st.integers(1, 4),
        "max_turns": st.sampled_from((1, 7, 60, 2000)),
    }
    return st.fixed_dictionaries({}, optional=fields)


def play_and_check(given_options: dict[str, Any], players: int, seed: int) -> None:
    rules = GAME.complete(given_options, players)
    match = Match(GAME, rules, players, seed.to_bytes(32, "big"))
    chooser = random.Random(seed)
    pack = Counter(list(PACK) * rules["decks"])
    while match.turn is not None:
        state = match.round
        legal = match.legal()
        assert len(legal) >= 2  # some action is legal until the end, and nobody is asked where one is
        assert len(set(legal)) == len(legal)
        assert cards_of(state) == pack
        view = state.view(match.turn)
        assert view.hand_sizes[match.turn] == len(view.hand)
        assert sum(view.hand_sizes) + view.stock_size + len(position(state)["discards"]) == 52 * rules["decks"]
        choice = chooser.choice(legal)
        assert state.resolve(choice) is choice
        match.choose(choice)
    assert match.finished
    for played in match.rounds:
        hands = follow(played["deal"], played["events"])
        ended = {int(seat): Counter(hand) for seat, hand in played["end"]["hands"].items()}
        assert {seat: +hand for seat, hand in hands.items()} == ended
    assert sorted(match.places)[0] == 1
    assert match.rounds_finished < 500


PROFILES = [(name, players) for name in GAME.profiles for players in range(2, 7)]


@pytest.mark.parametrize(("name", "players"), PROFILES)
def test_every_profile(name: str, players: int) -> None:
    changes = GAME.profile(name, players)
    if changes.get("decks") == 2 and players < 5:
        return
    for seed in range(3):
        play_and_check(dict(changes), players, 1000 * players + seed)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), players=st.integers(2, 6), seed=st.integers(0, 2**64))
def test_any_mix_of_options(data: st.DataObject, players: int, seed: int) -> None:
    play_and_check(data.draw(options(players)), players, seed)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), players=st.integers(2, 6), seed=st.integers(0, 2**64), moves=st.integers(0, 40))
def test_a_position_goes_on_alike(data: st.DataObject, players: int, seed: int, moves: int) -> None:
    """A round built from a position plays on as the round that stood there."""
    rules = GAME.complete(data.draw(options(players)), players)
    match = Match(GAME, rules, players, seed.to_bytes(32, "big"))
    chooser = random.Random(seed)
    while match.turn is not None and moves > 0 and match.rounds_finished == 0:
        match.choose(chooser.choice(match.legal()))
        moves -= 1
    if match.turn is None or match.rounds_finished:
        return
    state = match.round
    again = from_position(rules, position(state), Shuffler(seed.to_bytes(32, "big")))
    start = state.event_count()
    assert (again.turn, again.phase, again.legal()) == (state.turn, state.phase, state.legal())
    assert position(again) == position(state)
    while state.turn is not None:
        choice = chooser.choice(state.legal())
        assert again.legal() == state.legal()
        state.apply(choice)
        again.apply(choice)
    assert again.events() == state.events()[start:]
    assert again.end == state.end
