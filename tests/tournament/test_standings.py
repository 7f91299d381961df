"""Points and tables, computed by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from referee.tournament.points import UNIT, MatchFact, points
from referee.tournament.standings import Sums, Tally, standings


def fact(places: str, forfeits: str = "", penalties: tuple[int, ...] = (), entries: tuple[int, ...] = ()) -> MatchFact:
    n = len(places)
    return MatchFact(
        1,
        1,
        1,
        entries or tuple(range(n)),
        tuple(map(int, places)),
        penalties or (0,) * n,
        tuple(str(i) in forfeits for i in range(n)),
    )


POINTS = [  # why, places, forfeited sides, points
    ("a win", "12", "", "1 0"),
    ("level", "11", "", "1/2 1/2"),
    ("four apart", "1234", "", "1 2/3 1/3 0"),
    ("two share the first place", "1134", "", "5/6 5/6 1/3 0"),
    ("three share the last", "1222", "", "1 1/3 1/3 1/3"),
    ("all level at six", "111111", "", "1/2 1/2 1/2 1/2 1/2 1/2"),
    ("five apart", "12345", "", "1 3/4 1/2 1/4 0"),
    ("a forfeit is behind everyone", "1233", "23", "1 2/3 0 0"),
    ("level with a forfeit: only the sound one scores", "112", "2", "3/4 3/4 0"),
    ("a forfeit of two", "12", "1", "1 0"),
    ("all forfeited: nobody scores", "111", "012", "0 0 0"),
    ("both forfeited", "11", "01", "0 0"),
]


@pytest.mark.parametrize(("places", "forfeits", "expected"), [r[1:] for r in POINTS], ids=[r[0] for r in POINTS])
def test_points(places: str, forfeits: str, expected: str) -> None:
    assert [Fraction(p, UNIT) for p in points(fact(places, forfeits))] == [Fraction(x) for x in expected.split()]


def test_teams_count_once() -> None:
    match = MatchFact.of_seats(2, 1, 3, (5, 7, 5, 7), (1, 2, 1, 2), (10, 40, 20, 50), forfeited=[3], sides=2)
    assert match == MatchFact(2, 1, 3, (5, 7), (1, 2), (30, 90), (False, True))
    assert points(match) == (UNIT, 0)


def test_sums_by_hand() -> None:
    sums = Sums.of([fact("123", penalties=(10, 40, 70)), fact("122", "12", penalties=(5, 99, 99))])
    first = sums.entries[0]
    assert (first.matches, first.score, first.won, first.lost) == (2, 1, 4, 0)
    assert (first.clean, first.mean_penalty, first.mean_margin) == (1, 10, 45)  # the mean of 30 and 60
    assert sums.entries[1].forfeits == 1
    assert sums.entries[1].score == Fraction(1, 4)  # half of the field behind it, then nothing
    assert sums.entries[1].mean_margin == 0  # 30 ahead of one, 30 behind the other
    assert sums.opponents[0, 2] == Tally(2, 2 * UNIT, 2, 0, 0, 0, 1, 10, 60 * UNIT)
    assert sums.opponents[1, 2].lost == 1  # both forfeited: both have lost
    assert sums.seats[2, 2].matches == 2


def random_facts(rng: Random, count: int) -> list[MatchFact]:
    facts = []
    for i in range(count):
        size = rng.choice((2, 3, 4))
        entries = tuple(rng.sample(range(7), size))
        forfeits = tuple(rng.random() < 0.1 for _ in range(size))
        places = tuple(rng.randint(1, size) for _ in range(size))
        facts.append(MatchFact(i, 1, 1, entries, places, tuple(rng.randint(0, 120) for _ in range(size)), forfeits))
    return facts


def test_any_order_and_any_split_give_the_same_sums_and_table() -> None:
    rng = Random(5)
    facts = random_facts(rng, 300)
    whole = Sums.of(facts)
    rng.shuffle(facts)
    parts = Sums.of(facts[:77])
    parts.merge(Sums.of(facts[77:]))
    assert parts == whole
    assert standings(parts.entries) == standings(whole.entries)
    assert sum(t.matches for t in whole.seats.values()) == sum(t.matches for t in whole.entries.values())


def test_each_tie_break_decides_in_turn() -> None:
    tallies = {
        0: Tally(matches=2, points=UNIT, clean=2, margin=0, penalty=80),
        1: Tally(matches=2, points=UNIT, clean=2, margin=0, penalty=80),  # level with 0: entered later
        2: Tally(matches=2, points=UNIT, clean=2, margin=0, penalty=60),  # less penalty
        3: Tally(matches=4, points=2 * UNIT, clean=4, margin=8, penalty=400),  # a better margin
        4: Tally(matches=1, points=UNIT),  # a better share of points, from fewer matches
        5: Tally(matches=2, points=UNIT, clean=2, margin=0, penalty=80, forfeits=1),
    }
    table = standings(tallies, entries=range(8), withdrawn={7})
    assert [(row.entry, row.decided_by) for row in table] == [
        (4, ""),
        (3, "points"),
        (2, "margin"),
        (0, "penalty"),
        (1, "entry"),
        (5, "forfeits"),
        (6, "points"),  # has not played
    ]
    assert [row.rank for row in table] == list(range(1, 8))
    assert table[-1].tally.score is None


def test_a_withdrawn_bot_loses_its_row_and_its_opponents_nothing() -> None:
    sums = Sums.of([fact("12"), fact("12", entries=(1, 2))])
    table = standings(sums.entries, withdrawn={0})
    assert [row.entry for row in table] == [1, 2]
    assert table[0].tally.matches == 2
