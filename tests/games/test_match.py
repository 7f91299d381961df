"""The match machine: what it promises whoever drives it, whatever the game."""

from __future__ import annotations

import random

import pytest

from referee.errors import IllegalAction, UsageError
from referee.games import registry
from referee.games.base import Action
from referee.games.match import Fault, Match

SEED = bytes(range(32))
GAMES = registry.names()


def random_match(name: str, players: int, seed: int = 0, **options: object) -> Match:
    game = registry.get(name)
    match = Match(game, game.complete(options, players), players, seed.to_bytes(32, "big"))
    chooser = random.Random(seed)
    while match.turn is not None:
        match.choose(chooser.choice(match.legal()), 1.0, 0.5)
    return match


@pytest.mark.parametrize("name", GAMES)
def test_always_at_a_real_choice(name: str) -> None:
    game = registry.get(name)
    match = Match(game, game.complete({}, 3), 3, SEED)
    chooser = random.Random(1)
    choices = 0
    while match.turn is not None:
        legal = match.legal()
        assert len(legal) >= 2
        assert len(set(legal)) == len(legal)
        match.choose(chooser.choice(legal), choices, None)
        choices += 1
    assert match.finished
    assert match.legal() == ()
    times = [event["ms"] for played in match.rounds for event in played["events"] if "ms" in event]
    assert times == list(range(choices))


@pytest.mark.parametrize("name", GAMES)
def test_the_same_seed_and_choices_give_the_same_document(name: str) -> None:
    assert random_match(name, 4, 7).document() == random_match(name, 4, 7).document()
    assert random_match(name, 4, 7).document() != random_match(name, 4, 8).document()


@pytest.mark.parametrize("name", GAMES)
def test_the_document_is_json_and_holds_the_result(name: str) -> None:
    import json

    match = random_match(name, 2, 3)
    document = match.document()
    assert json.loads(json.dumps(document)) == document
    assert list(document) == ["first_dealer", "rounds", "result", "faults"]
    assert document["result"] == {"totals": match.totals, "places": match.places}
    assert document["rounds"][-1]["end"]["totals"] == match.totals
    assert [played["round"] for played in document["rounds"]] == list(range(1, len(document["rounds"]) + 1))
    assert match.rounds is match.rounds


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_choice_changes_nothing(name: str) -> None:
    game = registry.get(name)
    match = Match(game, game.complete({}, 2), 2, SEED)
    before, turn, legal = match.document(), match.turn, match.legal()
    for wrong in (Action("dance"), Action("play", ("ZZ",)), Action("discard", ("9C",) * 7), Action("keep")):
        with pytest.raises(IllegalAction) as caught:
            match.choose(wrong)
        assert caught.value.seat == turn
        assert str(caught.value).startswith(f"seat {turn} chose {wrong}, not legal under ")
    assert (match.document(), match.turn, match.legal()) == (before, turn, legal)


RULES_OF_TURN = {"nines": "N1.3", "nine": "K1.3"}


@pytest.mark.parametrize("name", GAMES)
def test_not_its_turn(name: str) -> None:
    game = registry.get(name)
    match = Match(game, game.complete({}, 2), 2, SEED)
    other = 1 - match.turn
    with pytest.raises(IllegalAction) as caught:
        match.resolve(match.legal()[0], seat=other)
    assert (caught.value.seat, caught.value.rule) == (other, RULES_OF_TURN[name])
    assert match.resolve(match.legal()[0], seat=match.turn) is match.legal()[0]


def test_nothing_is_chosen_where_nobody_is_asked() -> None:
    match = random_match("nines", 2)
    with pytest.raises(ValueError, match="nobody is to choose"):
        match.choose(Action("keep"))
    with pytest.raises(ValueError, match="no round is in play"):
        match.view(0)
    with pytest.raises(ValueError, match="the match has ended"):
        match.proceed()


def test_pausing_changes_nothing_but_the_pauses() -> None:
    def play(pausing: bool) -> tuple[Match, int]:
        game = registry.get("nines")
        faults = [Fault(2, "start", "")]
        match = Match(game, game.complete({}, 4), 4, SEED, start_faults=faults, pausing=pausing)
        pauses = 0
        while not match.finished:
            if match.turn is None:
                match.proceed()
                pauses += 1
            else:
                match.choose(match.legal()[0])
        return match, pauses

    (plain, none), (paused, pauses) = play(False), play(True)
    assert plain.document() == paused.document()
    standins = sum(event.get("standin", False) for played in plain.rounds for event in played["events"])
    assert (none, pauses) == (0, standins + plain.rounds_finished)


def test_a_fault_noticed_before_a_stand_in_chooses() -> None:
    game = registry.get("nines")
    match = Match(game, game.complete({}, 4), 4, SEED, start_faults=[Fault(2, "start", "")], pausing=True)
    while not (match.round is not None and match.round.turn == 2):
        match.proceed() if match.turn is None else match.choose(match.legal()[0])
    assert match.turn is None
    events = match.round.event_count()
    match.forfeit([Fault(0, "exit", "ended by itself")])
    assert match.faults[-1]["event"] == events == match.round.event_count()
    match.proceed()
    assert match.round is None or match.round.event_count() > events


def test_the_registry() -> None:
    assert registry.names()[:2] == ("nines", "nine")
    assert registry.get("nines") is registry.get("nines")
    with pytest.raises(UsageError, match="no game 'chess'; the games are: nines, nine"):
        registry.get("chess")


@pytest.mark.parametrize("name", GAMES)
def test_long_rounds_stay_linear(name: str) -> None:
    """A round of many turns keeps only what happened: each event is logged once, whoever looks at it."""
    options = {"nines": {"max_turns": 3000, "match_end": "rounds", "rounds": 1}, "nine": {"max_goarounds": 300}}[name]
    game = registry.get(name)
    match = Match(game, game.complete(options, 6), 6, SEED)
    while match.turn is not None and match.rounds_finished == 0:
        match.choose(match.legal()[-1])  # keeping what is drawn makes the longest rounds
    assert len(match.rounds[0]["events"]) > 20


@pytest.mark.parametrize("name", GAMES)
def test_a_clone_is_another_round(name: str) -> None:
    game = registry.get(name)
    match = Match(game, game.complete({}, 3), 3, SEED)
    for _ in range(8):
        match.choose(match.legal()[0])
    original, copy = match.round, match.round.clone()
    before = (original.events(), original.turn, original.legal(), original.view(original.turn))
    while copy.turn is not None:
        copy.apply(copy.legal()[-1])
    assert copy.end is not None
    assert (original.events(), original.turn, original.legal(), original.view(original.turn)) == before
    twin = original.clone()
    assert (twin.events(), twin.turn, twin.legal(), twin.view(twin.turn)) == before
