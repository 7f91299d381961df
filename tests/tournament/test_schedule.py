"""Who plays whom: counts by hand for small fields, evenness for all, refusals in a sentence."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.tournament.balance import balance_report
from referee.tournament.orders import system
from referee.tournament.schedule import Block, Schedule

TABLE = Path(__file__).parent / "balance.txt"
ROWS = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("entries", range(2, 26))
def test_each_pair_meets_exactly_as_often_as_agreed_odd_or_even(entries: int) -> None:
    meetings = Counter(frozenset(block.entries) for block in Schedule(entries, 2, 3).iter())
    assert meetings == {frozenset(pair): 3 for pair in combinations(range(entries), 2)}


def test_three_bots_by_hand() -> None:
    blocks = list(Schedule(3, 2, 1).iter())
    assert blocks == [
        Block(1, (1, 2), ((1, 2), (2, 1))),
        Block(2, (2, 0), ((2, 0), (0, 2))),
        Block(3, (0, 1), ((0, 1), (1, 0))),
    ]


@pytest.mark.parametrize(("entries", "size", "differ"), [(9, 2, 2), (10, 2, 1), (12, 3, 2), (9, 5, 2)])
def test_standings_mean_something_early(entries: int, size: int, differ: int) -> None:
    played = [0] * entries
    for block in Schedule(entries, size, 2).iter():
        for entry in block.entries:
            played[entry] += 1
        assert max(played) - min(played) <= differ


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_any_block_can_be_had_alone_and_a_schedule_resumed(size: int) -> None:
    schedule = Schedule(7, size, 5)
    blocks = list(schedule.iter())
    assert [block.number for block in blocks] == list(range(1, schedule.total_blocks + 1))
    again = Schedule(7, size, 5)
    assert list(again.iter(17)) == blocks[16:]
    assert again.block(23) == blocks[22]
    assert {again.pass_of(b.number) for b in blocks} == {1, 2, 3, 4, 5}
    for number in (0, schedule.total_blocks + 1):
        with pytest.raises(IndexError):
            schedule.block(number)


def test_a_thousand_bots_cost_nothing_up_front() -> None:
    schedule = Schedule(1_000, 2, 4)
    assert schedule.total_blocks == 4 * 499_500
    assert [b.number for b in islice(schedule.iter(1_900_000), 3)] == [1_900_000, 1_900_001, 1_900_002]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_in_a_block_everybody_takes_every_seat_once_and_neighbours_stay(size: int) -> None:
    for block in Schedule(7, size, 2).iter():
        assert all(sorted(column) == sorted(block.entries) for column in zip(*block.seatings, strict=True))
        for seating in block.seatings:
            i = seating.index(block.entries[0])
            assert seating[i:] + seating[:i] == block.entries


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_over_its_system_of_orders_everybody_follows_everybody_equally_often(size: int) -> None:
    follows = Counter((order[i - 1], order[i]) for order in system(size) for i in range(size))
    assert len(follows) == size * (size - 1)
    assert len(set(follows.values())) == 1


@pytest.mark.parametrize("size", [3, 4, 5, 6])
@pytest.mark.parametrize("blocks", range(1, 11))
def test_a_field_of_one_table_is_as_even_as_can_be(size: int, blocks: int) -> None:
    report = balance_report(Schedule(size, size, blocks))
    impossible = (size == 4 and blocks % 6 == 3) or (size == 6 and blocks % 10 == 5)
    assert report.left.difference == (2 if impossible else 0 if blocks % (size - 1) == 0 else 1)
    assert ("Tillson" in report.left.reason) == impossible


def _row(size: int, entries: int) -> list[str]:
    report = balance_report(Schedule(entries, size, 4))
    kind = "all" if report.complete else "choice"
    counts = (report.played, report.pairs, report.seats, report.left)
    return [str(size), str(entries), str(report.sets), kind, *(str(c.difference) for c in counts)]


def test_the_table_of_balance_has_every_field_and_states_its_greatest_differences() -> None:
    assert [(int(r[0]), int(r[1])) for r in ROWS] == [(k, n) for k in range(2, 7) for n in range(k, 41)]
    worse = [(row[0], row[1], row[5], row[7]) for row in ROWS if max(int(row[5]), int(row[7])) > 1]
    assert worse == EXCEPTIONS
    assert {row[4] for row in ROWS} == {row[6] for row in ROWS} == {"0"}  # blocks of a bot, turns at a seat
    assert max(int(row[8]) for row in ROWS) <= 3  # at any moment of play


EXCEPTIONS = [("6", "39", "1", "2")]
"""Table size, bots, difference in meetings, in turns to another's left."""

SAMPLE = [(2, 40), (3, 3), (3, 8), (3, 19), (4, 5), (4, 9), (4, 11), (5, 6), (5, 10), (5, 13), (6, 7), (6, 9), (6, 13)]


@pytest.mark.parametrize("row", [r for r in ROWS if (int(r[0]), int(r[1])) in SAMPLE], ids=lambda r: f"{r[0]}-{r[1]}")
def test_balance_is_as_stated(row: list[str]) -> None:
    assert _row(int(row[0]), int(row[1])) == row[:8]


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("size", range(2, 7))
def test_balance_is_as_stated_everywhere(size: int) -> None:
    rows = [row[:8] for row in ROWS if row[0] == str(size)]
    assert [_row(size, int(row[1])) for row in rows] == rows


def test_report_counts_as_a_hand_does() -> None:
    # 4 bots at tables of 3, 2 blocks: sets 012 013 023 123, each in both cyclic orders
    report = balance_report(Schedule(4, 3, 2))
    assert (report.sets, report.fixtures) == (4, 4 * 2 * 3)
    assert (report.played.least, report.played.most) == (6, 6)  # 3 sets of each bot, twice
    assert (report.pairs.least, report.pairs.most) == (4, 4)  # 2 sets of each pair, twice
    assert (report.left.least, report.left.most) == (2, 2)  # each set once in each order
    assert "meetings of a pair: 4 to 4" in str(report)


def test_teams_play_all_seats_of_their_side() -> None:
    schedule = Schedule(3, 4, 1, sides=2)
    assert schedule.total_fixtures == 6
    assert schedule.block(1).seatings == ((1, 2, 1, 2), (2, 1, 2, 1))
    three = Schedule(4, 6, 1, sides=3).block(1)
    assert all(seating[:3] == seating[3:] for seating in three.seatings)
    assert len(three.seatings) == 3


def test_one_authors_bots_are_kept_apart_at_small_and_large_tables() -> None:
    owners = ["a", "a", "b", "c", "c", "d"]
    pairs = Counter(frozenset(b.entries) for b in Schedule(6, 2, 2, owners=owners).iter())
    assert pairs == {frozenset(p): 2 for p in combinations(range(6), 2) if owners[p[0]] != owners[p[1]]}
    schedule = Schedule(6, 3, 4, owners=owners)
    assert schedule.blocks_per_pass == 12  # abc: 2*1*2, abd: 2, acd: 2*2, bcd: 2
    assert all(len({owners[e] for e in b.entries}) == 3 for b in schedule.iter())
    assert "author" in balance_report(schedule).played.reason


def test_a_choice_among_owners_keeps_them_apart_and_plays_even() -> None:
    owners = [f"author{i // 2}" for i in range(16)]
    schedule = Schedule(16, 4, 2, owners=owners, max_sets=60)
    assert not schedule.complete
    assert schedule.blocks_per_pass <= 60
    assert all(len({owners[e] for e in b.entries}) == 4 for b in schedule.iter())
    report = balance_report(schedule)
    assert report.played.difference == 0
    assert report.pairs.difference <= 4  # 2 a pass
    assert report.left.difference <= 2


def test_names_of_owners_do_not_sway_the_choice() -> None:
    first = Schedule(12, 4, 1, owners=[f"a{i // 2}" for i in range(12)], max_sets=24)
    second = Schedule(12, 4, 1, owners=[f"b{i // 2}" for i in range(12)], max_sets=24)
    assert list(first.iter()) == list(second.iter())


def test_the_limit_on_sets_is_kept() -> None:
    schedule = Schedule(20, 4, 3, max_sets=100)
    assert schedule.blocks_per_pass <= 100
    assert balance_report(schedule).pairs.difference <= 1
    assert balance_report(schedule).played.difference == 0


def test_withdrawn_bots_are_not_scheduled_and_others_keep_their_deals() -> None:
    schedule = Schedule(5, 2, 2)
    rest = list(schedule.iter(withdrawn={3}))
    assert len(rest) == 2 * 6
    assert all(3 not in block.entries for block in rest)
    assert all(schedule.block(block.number) == block for block in rest)
    assert list(schedule.iter(withdrawn={0, 1, 2, 3})) == []


def test_only_the_pairs_asked_for_go_on() -> None:
    chosen = {frozenset(b.entries) for b in Schedule(6, 2, 1).iter(only=[(4, 1), (0, 2)])}
    assert chosen == {frozenset({1, 4}), frozenset({0, 2})}
    assert all({0, 2} <= set(b.entries) for b in Schedule(6, 3, 1).iter(only=[(0, 2)]))


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((1, 2, 4), {}, "a table of 2 seats needs at least 2 bots, but 1 is entered; enter 1 more"),
        ((3, 4, 4), {}, "a table of 4 seats needs at least 4 bots, but 3 are entered; enter 1 more"),
        ((2, 6, 4), {"sides": 3}, "a table of 3 teams needs at least 3 bots, but 2 are entered; enter 1 more"),
        ((9, 7, 4), {}, "a table cannot have 7 seats; choose 2 to 6"),
        ((9, 1, 4), {}, "a table cannot have 1 seats; choose 2 to 6"),
        ((9, 4, 0), {}, "0 blocks cannot be played; choose 1 or more"),
        ((9, 4, 1), {"sides": 3}, "4 seats cannot be split into 3 equal teams; choose a divisor from 2 up"),
        ((4, 3, 1), {"owners": "aabb"}, "needs 3 authors, but the 4 bots have 2"),
        ((40, 4, 1), {"max_sets": 39}, "39 sets cannot treat 40 bots alike; allow at least 40"),
    ],
)
def test_refused_in_a_sentence(arguments: tuple[int, int, int], options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as refused:
        Schedule(*arguments, **options)  # type: ignore[arg-type]
    assert says in str(refused.value)
