"""F1 to F4: what a bot's failure does to a match, in hand-made tables and in whole matches."""

from __future__ import annotations

import pytest

from referee.games.match import Fault, Match
from referee.games.nines import GAME
from referee.games.places import places

SEED = bytes(range(32))


def crash(seat: int) -> Fault:
    return Fault(seat, "crash", "ended by a signal", 1.5, 1.0, None)


def match(players: int, **options: object) -> Match:
    return Match(GAME, GAME.complete(options, players), players, SEED)


def play(match: Match, choices: int) -> Match:
    for _ in range(choices):
        match.choose(match.legal()[0], 0, None)
    return match


def to_the_end(match: Match) -> Match:
    while match.turn is not None:
        match.choose(match.legal()[0], 0, None)
    return match


# ---------------------------------------------------------------- F1


def test_f1_a_stand_in_plays_from_that_decision_on() -> None:
    table = play(match(3), 5)
    failed, events = table.turn, table.round.event_count()
    table.forfeit([crash(failed)])
    assert table.turn != failed
    assert table.forfeited == {failed}
    to_the_end(table)
    decided = [(event, number) for played in table.rounds for number, event in enumerate(played["events"])]
    first = table.rounds[0]["events"]
    assert first[events]["standin"] is True
    assert "ms" not in first[events]
    assert all(event["seat"] == failed for event, _ in decided if event.get("standin"))
    assert not any("ms" in event for event in first[events:] if event["seat"] == failed)
    assert any("ms" in event for event in first[:events] if event["seat"] == failed)
    assert table.document()["faults"] == [
        {"seat": failed, "round": 0, "event": events, "kind": "crash", "detail": "ended by a signal", "ms": 1.5,
         "cpu_ms": 1.0, "limit_ms": None}
    ]  # fmt: skip


def test_f1_noticed_while_another_is_asked() -> None:
    table = play(match(3), 5)
    turn = table.turn
    table.forfeit([crash((turn + 1) % 3)])
    assert table.turn == turn  # whose turn it is does not change


def test_f1_after_the_end_nothing_is_forfeited() -> None:
    table = to_the_end(match(2))
    before = table.document()
    table.forfeit([crash(0)])
    assert table.document() == before
    assert table.forfeited == frozenset()


def test_f1_two_at_one_moment() -> None:
    table = play(match(4), 5)
    table.forfeit([crash(0), crash(2)])
    assert table.forfeited == {0, 2}
    assert [fault["event"] for fault in table.faults] == [table.faults[0]["event"]] * 2
    assert to_the_end(table).places[0] == table.places[2] == 3


def test_f1_a_seat_forfeits_once() -> None:
    table = play(match(3), 5)
    table.forfeit([crash(1)])
    table.forfeit([crash(1)])
    assert len(table.faults) == 1


def test_f1_between_two_rounds_is_event_0_of_the_next() -> None:
    table = Match(GAME, GAME.complete({}, 3), 3, SEED, pausing=True)
    assert table.round is None
    while not table.rounds_finished:
        if table.turn is None:
            table.proceed()
        else:
            table.choose(table.legal()[0])
    assert (table.turn, table.round) == (None, None)
    table.forfeit([crash(1)])
    assert (table.faults[0]["round"], table.faults[0]["event"]) == (1, 0)
    assert not table.finished


# ---------------------------------------------------------------- F2


def test_f2_two_players_end_at_that_event() -> None:
    table = play(match(2), 6)
    events = table.round.event_count()
    table.forfeit([crash(1)])
    assert table.finished
    assert (table.turn, table.round) == (None, None)
    last = table.rounds[-1]
    assert len(last["events"]) == events
    assert last["end"]["reason"] == "forfeit"
    assert last["end"]["by"] is None
    assert last["end"]["penalties"] == {"0": 0, "1": 0}
    assert last["end"]["totals"] == [0, 0]
    assert (table.places, table.totals) == ([1, 2], [0, 0])
    cards = [card for hand in last["end"]["hands"].values() for card in hand]
    assert cards  # what they held is shown


def test_f2_totals_stay_as_they_were() -> None:
    table = match(2)
    while table.rounds_finished < 2:
        table.choose(table.legal()[0])
    before = list(table.totals)
    assert sum(before) > 0
    table.forfeit([crash(0)])
    assert table.totals == before
    assert table.places == [2, 1]


F2_NEVER_STARTED = [  # players, never started, whether anything is dealt, places
    (2, [0], False, [2, 1]),
    (2, [0, 1], False, [1, 1]),
    (3, [0, 1, 2], False, [1, 1, 1]),
    (3, [0, 2], False, [2, 1, 2]),
    (3, [1], True, None),
]


@pytest.mark.parametrize(("players", "never", "dealt", "expected"), F2_NEVER_STARTED)
def test_f2_bots_that_never_start(players: int, never: list[int], dealt: bool, expected: list[int] | None) -> None:
    faults = [Fault(seat, "start", "not connected within the limit") for seat in never]
    rules = GAME.complete({"first_dealer": "cut"}, players)
    table = Match(GAME, rules, players, SEED, start_faults=faults)
    assert len(table.document()["cuts"]) >= 1  # the cuts stand all the same
    assert [(fault["round"], fault["event"]) for fault in table.faults] == [(0, 0)] * len(never)
    if dealt:
        assert table.round is not None
        assert to_the_end(table).places[1] == 3
    else:
        assert (table.finished, table.rounds, table.places) == (True, [], expected)


def test_f2_the_last_but_one_of_many() -> None:
    table = play(match(4), 4)
    for seat in (0, 1):
        table.forfeit([crash(seat)])
        assert not table.finished
    table.forfeit([crash(3)])
    assert table.finished
    assert table.places == [2, 2, 1, 2]


# ---------------------------------------------------------------- F3

F3 = [  # why, totals, forfeited, winners of a playoff, places
    ("forfeited come last, whatever their total", [0, 50, 20], {0}, (), [3, 2, 1]),
    ("all forfeited share", [90, 10, 40, 7], {0, 1}, (), [3, 3, 2, 1]),
    ("everyone", [5, 6], {0, 1}, (), [1, 1]),
    ("a playoff won by a forfeited seat", [33, 33, 33], {2}, (2,), [1, 1, 3]),
    ("a playoff won by one that plays", [33, 33, 33, 40], {2}, (1,), [2, 1, 4, 3]),
    ("ties among the rest share", [7, 7, 9, 1], {3}, (), [1, 1, 3, 4]),
]


@pytest.mark.parametrize(("totals", "out", "winners", "expected"), [row[1:] for row in F3], ids=[row[0] for row in F3])
def test_f3_places(totals: list[int], out: set[int], winners: tuple[int, ...], expected: list[int]) -> None:
    assert places(totals, [(seat,) for seat in range(len(totals))], out, winners) == expected


F3_PLAYOFFS = [  # why, penalties of the only round, forfeited, seats of the playoff that follows
    ("a forfeited seat leads alone: none", {0: 0, 1: 5, 2: 5}, {0}, None),
    ("it shares the lead: it plays by stand-in", {0: 5, 1: 5, 2: 9}, {0}, (0, 1)),
]


@pytest.mark.parametrize(
    ("penalties", "out", "seats"), [row[1:] for row in F3_PLAYOFFS], ids=[row[0] for row in F3_PLAYOFFS]
)
def test_f3_playoffs(penalties: dict[int, int], out: set[int], seats: tuple[int, ...] | None) -> None:
    from tests.games.nines.test_scoring import ONE_ROUND, Scripted

    game = Scripted([penalties, {0: 0, 1: 3}], ties="playoff", **ONE_ROUND)
    table = Match(game, game.rules, 3, SEED, start_faults=[crash(seat) for seat in out])
    playoffs = [about["seats"] for about in game.started if about["kind"] == "playoff"]
    assert playoffs == ([] if seats is None else [seats])
    assert table.places[0] == 3


# ---------------------------------------------------------------- F4


def test_f4_everyone_is_told_that_but_not_why() -> None:
    table = play(match(3), 3)
    failed = table.turn
    before = table.view((failed + 1) % 3)
    assert before.forfeited == ()
    table.forfeit([crash(failed)])
    for seat in range(3):
        view = table.view(seat)
        assert view.forfeited == (failed,)
        assert "crash" not in str(view.to_json())
