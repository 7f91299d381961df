"""Views leak nothing: ten thousand pairs of worlds that a seat cannot tell apart, and twenty senders that leak, all caught."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from protos.ninefold.v1 import table_pb2
from referee.games import registry
from tests.bench.leak import DRAWS, Leak, Tell, Told, dealt_otherwise, honest, pairs, watch

PAIRS = 5000


@pytest.mark.parametrize("game", registry.names())
def test_views_legal_lists_events_and_refusals_leak_nothing(game: str) -> None:
    compared = worlds = 0
    for count in pairs(random.Random(2026), game=game):
        compared, worlds = compared + count, worlds + (count > 0)
        if compared >= PAIRS:
            break
    assert worlds > 300


@pytest.mark.parametrize("game", registry.names())
def test_worlds_are_dealt_otherwise(game: str) -> None:
    """The worlds compared do differ: in others' hands, not only in the stock."""
    rng = random.Random(3)
    differing = 0
    for _ in range(60):
        scene = watch(rng, honest, game)
        if not scene.messages:
            continue
        instead = dealt_otherwise(scene, rng)
        in_hands = 0
        for label, pile in instead.items():
            assert sorted(pile) == sorted(scene.piles[label])
            hands = range(len(pile) - (5 if game == "nine" or scene.players > 4 else 7) * scene.players, len(pile))
            in_hands += label.endswith("/deal") and any(pile[place] != scene.piles[label][place] for place in hands)
        differing += bool(in_hands)
    assert differing > 25


# ---------------------------------------------------------------- senders that leak

Change = Callable[[Any, Any, Told], None]


def others(told: Told) -> list[str]:
    """The cards of the other hands."""
    view = told.state.view(told.seat)
    return [card for seat in range(len(view.scores)) if seat != told.seat for card in told.state.view(seat).hand]


def stock(told: Told) -> list[str]:
    """The stock as it lies, by the deal and what was drawn since."""
    pile = list(told.state.deal()["stock"])
    for event in told.state.events():
        if event["do"] == "reshuffle":
            pile = list(event["stock"])
        elif event["do"] in DRAWS:
            del pile[len(pile) - len(event.get("cards", [1])) :]
    return pile


def nines_held(told: Told) -> int:
    return sum(card[0] == "9" for card in others(told))


def add_hand(turn: Any, view: Any, told: Told) -> None:
    view.hand.extend(others(told)[:1])


def add_next_card(turn: Any, view: Any, told: Told) -> None:
    if stock(told):
        view.drawn = stock(told)[-1]


def count_in_sizes(turn: Any, view: Any, told: Told) -> None:
    view.hand_sizes[0] += nines_held(told)


def order_of_hand(turn: Any, view: Any, told: Told) -> None:
    if nines_held(told):
        hand = list(view.hand)
        del view.hand[:]
        view.hand.extend(reversed(hand))


def order_of_legal(turn: Any, view: Any, told: Told) -> None:
    if stock(told) and stock(told)[-1][1] in "CD":
        legal = list(turn.legal)
        del turn.legal[:]
        turn.legal.extend(reversed(legal))


def legal_left_out(turn: Any, view: Any, told: Told) -> None:
    if nines_held(told):
        del turn.legal[-1]


def legal_twice(turn: Any, view: Any, told: Told) -> None:
    if nines_held(told) > 1:
        turn.legal.append(turn.legal[0])


def length(turn: Any, view: Any, told: Told) -> None:
    turn.clock.charged_as = "cpu" + " " * (len("".join(others(told))) and ord(others(told)[0][0]) % 3)


def decision_counts_all(turn: Any, view: Any, told: Told) -> None:
    turn.decision = told.decisions_of_all


def decision_counts_hidden(turn: Any, view: Any, told: Told) -> None:
    turn.decision += told.hidden_events


def turns_count_hidden(turn: Any, view: Any, told: Told) -> None:
    view.round += told.hidden_events


def events_with_drawn_cards(turn: Any, view: Any, told: Told) -> None:
    mine = told.state.events()[told.since :]
    drawn = [card for event in mine if event["do"] in DRAWS for card in event.get("cards", [event.get("card")])]
    for event in turn.events:
        inner = getattr(event, told.game.name)
        if inner.do in DRAWS and not inner.cards:
            inner.cards.extend(drawn[-1:])


def events_with_keep(turn: Any, view: Any, told: Told) -> None:
    for event in told.state.events()[told.since :]:
        if event["do"] in ("keep", "accept"):
            getattr(turn.events.add(seat=event["seat"]), told.game.name).do = event["do"]


def reshuffle_with_its_order(turn: Any, view: Any, told: Told) -> None:
    piles = [event["stock"] for event in told.state.events() if event["do"] == "reshuffle"]
    if piles:
        getattr(turn.events.add(), told.game.name).cards.extend(piles[-1][:2])


def event_ids(turn: Any, view: Any, told: Told) -> None:
    turn.clock.bank_ms = told.state.event_count()


def clock_by_hands(turn: Any, view: Any, told: Told) -> None:
    turn.clock.charged_ms = float(nines_held(told))


def clock_left_by_stock(turn: Any, view: Any, told: Told) -> None:
    turn.clock.left_ms += sum(map(ord, "".join(stock(told)[-1:])))


def scores_of_the_moment(turn: Any, view: Any, told: Told) -> None:
    view.scores[0] += len([card for card in others(told) if card[0] in "TJQK"])


def forfeited_by_hand(turn: Any, view: Any, told: Told) -> None:
    if nines_held(told):
        view.forfeited.append(0)


def history_with_a_mark(turn: Any, view: Any, told: Told) -> None:
    view.discards[-1].suit = (stock(told) or ["--"])[-1][1]


def phase_by_hands(turn: Any, view: Any, told: Told) -> None:
    view.phase += "!" * (nines_held(told) > 0)


def digest_of_everything(turn: Any, view: Any, told: Told) -> None:
    turn.clock.bank_ms = (
        sum(place * sum(map(ord, card)) for place, card in enumerate(stock(told) + others(told))) % 10_000
    )


LEAKS: list[tuple[Change, str]] = [
    (add_hand, "nine"),
    (add_next_card, "nine"),
    (count_in_sizes, "nine"),
    (order_of_hand, "nines"),
    (order_of_legal, "nines"),
    (legal_left_out, "nines"),
    (legal_twice, "nine"),
    (length, "nine"),
    (decision_counts_all, "nines"),
    (decision_counts_hidden, "nines"),
    (turns_count_hidden, "nines"),
    (events_with_drawn_cards, "nines"),
    (events_with_drawn_cards, "nine"),
    (events_with_keep, "nines"),
    (reshuffle_with_its_order, "nines"),
    (event_ids, "nines"),
    (clock_by_hands, "nine"),
    (clock_left_by_stock, "nines"),
    (scores_of_the_moment, "nines"),
    (forfeited_by_hand, "nine"),
    (history_with_a_mark, "nine"),
    (phase_by_hands, "nines"),
    (digest_of_everything, "nine"),
]


def leaking(change: Change) -> Tell:
    def tell(told: Told) -> bytes:
        message = table_pb2.ToBot.FromString(told.honest())
        change(message.turn, getattr(message.turn.view, told.game.name), told)
        return message.SerializeToString(deterministic=True)

    return tell


def refusal_names_a_card(told: Told) -> bytes:
    return "\n".join([*told.refusals(), f"seat 1 holds {others(told)[:1]}"]).encode()


def refusal_has_another_length(told: Told) -> bytes:
    return "\n".join(told.refusals()).encode() + b"." * nines_held(told)


def found(tell: Tell, game: str, most: int = 6000) -> bool:
    compared = 0
    try:
        for count in pairs(random.Random(7), tell, game):
            compared += count
            if compared > most:
                return False
    except Leak:
        return True
    return False


def test_there_are_twenty_kinds() -> None:
    assert len(LEAKS) >= 20


@pytest.mark.parametrize(("change", "game"), LEAKS, ids=[f"{change.__name__}-{game}" for change, game in LEAKS])
def test_a_planted_leak_is_found(change: Change, game: str) -> None:
    assert found(leaking(change), game)


@pytest.mark.parametrize("tell", [refusal_names_a_card, refusal_has_another_length])
def test_a_leaking_refusal_is_found(tell: Tell) -> None:
    assert found(tell, "nine")


def test_the_frame_of_the_planted_leaks_leaks_nothing_itself() -> None:
    assert not found(leaking(lambda turn, view, told: None), "nines", most=300)
