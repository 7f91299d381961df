"""The clocks of a seat: readings in, verdicts out, each row worked out by hand."""

from __future__ import annotations

import pytest

from referee.match.clock import (
    FIRST_LOOK_MS,
    GRACE_MS,
    NEXT_LOOK_MS,
    SHORTEST_LOOK_MS,
    STALL_MS,
    START_LIMIT_MS,
    Charge,
    IdleClock,
    Overrun,
    Reading,
    SeatClock,
    Stalled,
    StartClock,
)


def at(wall: float, cpu: float | None = 0.0, delayed: float | None = 0.0) -> Reading:
    return Reading(wall, cpu, delayed)


# why, bank, increment, readings (ask, answer, ask, answer …) as (wall, cpu), left at each ask, charged by each answer
CHARGES = [
    ("the increment is there when the seat is asked", 1000, 100, [(0, 0), (5, 4)], [1100], [4]),
    ("what is not used stays in the bank", 1000, 100, [(0, 0), (5, 4), (50, 4), (60, 14)], [1100, 1196], [4, 10]),
    ("thinking while others think is charged", 1000, 0, [(0, 0), (5, 5), (500, 305), (510, 315)], [1000, 695], [5, 10]),
    ("time before the first question is charged", 1000, 0, [(200, 150), (210, 160)], [850], [10]),
    ("no processor time is charged while it sleeps", 1000, 0, [(0, 0), (900, 1)], [1000], [1]),
    ("waiting for others costs no wall time", 1000, 0, [(0, 0), (5, 5), (9000, 5), (9005, 10)], [1000, 995], [5, 5]),
]


@pytest.mark.parametrize(("bank", "increment", "readings", "left", "charged"), [r[1:] for r in CHARGES], ids=[r[0] for r in CHARGES])
def test_processor_time_is_charged(bank, increment, readings, left, charged) -> None:
    clock = SeatClock(bank, increment, at(0))
    lefts, charges = [], []
    for ask, answer in zip(readings[::2], readings[1::2], strict=True):
        assert clock.ask(at(*ask)) is None
        lefts.append(clock.left_ms)
        charge = clock.answer(at(*answer))
        assert isinstance(charge, Charge)
        charges.append(clock.charged)
    assert (lefts, charges) == (left, charged)
    assert clock.charged_as == "cpu"


def test_a_reading_taken_before_the_match_is_the_zero_of_its_charges() -> None:
    clock = SeatClock(1000, 0, at(5_000, 700))
    assert clock.ask(at(5_100, 720)) is None
    assert clock.left_ms == 980
    assert clock.answer(at(5_130, 740)) == Charge(30, 20)


def test_wall_time_is_charged_where_processor_time_cannot_be_read() -> None:
    clock = SeatClock(100, 10, at(0, None))
    assert clock.charged_as == "wall"
    assert clock.ask(at(1_000, None)) is None  # what went by before is not charged: it may be others' time
    assert clock.left_ms == 110
    assert clock.answer(at(1_030, None)) == Charge(30, None)
    assert clock.charged == 30
    assert clock.ask(at(5_000, None)) is None
    assert clock.left_ms == 90
    assert clock.answer(at(5_101, None)) == Overrun("wall", 101, None, 90)


# why, processor time used when the answer comes (bank 1000, no increment), verdict
LIMITS = [
    ("all of it", 1000, Charge(2000, 1000)),
    ("within the grace", 1000 + GRACE_MS, Charge(2000, 1010)),
    ("beyond the grace", 1000 + GRACE_MS + 0.5, Overrun("cpu", 2000, 1010.5, 1000)),
]


@pytest.mark.parametrize(("used", "verdict"), [r[1:] for r in LIMITS], ids=[r[0] for r in LIMITS])
def test_the_grace_is_the_only_tolerance(used, verdict) -> None:
    clock = SeatClock(1000, 0, at(0))
    assert clock.ask(at(0)) is None
    assert clock.answer(at(2000, used)) == verdict


def test_the_grace_is_one_for_the_whole_match() -> None:
    clock = SeatClock(1000, 0, at(0))
    assert clock.ask(at(0)) is None
    assert isinstance(clock.answer(at(1100, 1006)), Charge)
    assert clock.ask(at(1200, 1006)) is None
    assert clock.left_ms == 0
    verdict = clock.answer(at(1210, 1012))
    assert isinstance(verdict, Overrun)
    assert verdict.limit_ms == 0


def test_what_was_used_up_while_others_were_asked_is_told_with_real_times() -> None:
    clock = SeatClock(1000, 100, at(0))
    assert clock.ask(at(0)) is None
    assert isinstance(clock.answer(at(50, 40)), Charge)
    assert clock.ask(at(4000, 2000)) == Overrun("cpu", 3950, 1960, 1160)  # 1000 + 2 × 100 − 40 were left


# why, looks while asked as (wall, cpu, delayed), bank, idle limit or None
IDLE = [
    ("a sleeper", [(250, 0, 0), (30_000, 0, 0), (32_251, 0, 0)], 10_000, 32_000),
    ("a sleeper just inside", [(250, 0, 0), (30_000, 0, 0), (32_250, 0, 0)], 10_000, None),
    ("a working bot is not idle", [(250, 250, 0), (9_000, 9_000, 0), (9_900, 9_900, 0)], 10_000, None),
    ("waiting for a processor is not idle", [(250, 0, 0), (40_000, 100, 39_000)], 10_000, None),
    ("delays of before the first look do not count", [(250, 0, 60_000), (33_000, 0, 60_000)], 10_000, 32_000),
    ("with little left the limit is near two seconds", [(250, 0, 0), (2_600, 0, 0)], 100, 2_300),
]


@pytest.mark.parametrize(("looks", "bank", "limit"), [r[1:] for r in IDLE], ids=[r[0] for r in IDLE])
def test_the_idle_clock_catches_sleepers_and_spares_the_delayed(looks, bank, limit) -> None:
    clock = SeatClock(bank, 0, at(0))
    assert clock.ask(Reading(0, 0.0)) is None
    verdicts = [clock.look(at(*look)) for look in looks]
    assert all(verdict is None for verdict in verdicts[:-1])
    if limit is None:
        assert verdicts[-1] is None
    else:
        wall, cpu, _ = looks[-1]
        assert verdicts[-1] == Overrun("idle", wall, cpu, limit)
        assert wall > limit  # never less than the limit, never zero


def test_the_idle_clock_starts_anew_with_every_decision() -> None:
    clock = SeatClock(1000, 0, at(0))  # limit 5 s
    for start in (0, 10_000, 20_000):
        assert clock.ask(Reading(start, 0.0)) is None
        assert clock.look(at(start + 250)) is None
        assert clock.look(at(start + 4_000)) is None
        assert isinstance(clock.answer(at(start + 4_100)), Charge)


def test_many_threads_waiting_at_once_buy_no_sleep() -> None:
    idle = IdleClock()
    idle.look(at(0))
    assert idle.look(at(1_000, 10, 60_000)) == 0  # 60 threads waited for this one second
    assert idle.look(at(2_000, 10, 60_000)) == 1_000


def test_ten_minutes_of_wall_time_are_our_fault() -> None:
    clock = SeatClock(10_000, 0, at(0))
    assert clock.ask(at(0)) is None
    for minute in range(1, 10):
        assert clock.look(at(minute * 60_000, minute * 10, minute * 60_000 - minute * 10)) is None
    assert clock.look(at(STALL_MS, 100, STALL_MS - 100)) == Stalled(STALL_MS)


def test_the_bots_own_clock_goes_before_ours() -> None:
    clock = SeatClock(10_000, 0, at(0))
    assert clock.ask(at(0)) is None
    assert isinstance(clock.look(at(STALL_MS, 10_011)), Overrun)


# why, readings (asked at 0 with 1000 left), when to look next
NEXT = [
    ("at first not for a while", [], (0, 0), FIRST_LOOK_MS),
    ("less if it came late", [], (100, 0), FIRST_LOOK_MS - 100),
    ("as soon as the bank could be empty", [], (100, 900), 110),
    ("then every second", [(250, 0, 0)], (250, 0), NEXT_LOOK_MS),
    ("or when the bank could be empty", [(250, 250, 0)], (250, 250), 760),
    ("or when it could be idle for too long", [(250, 0, 0), (4_750, 0, 0)], (4_750, 0), 500),
    ("never in a tight loop", [(250, 250, 0)], (1_010, 1_009.9), SHORTEST_LOOK_MS),
]


@pytest.mark.parametrize(("looks", "now", "delay"), [r[1:] for r in NEXT], ids=[r[0] for r in NEXT])
def test_the_watchdog_looks_when_something_could_have_run_out(looks, now, delay) -> None:
    clock = SeatClock(1000, 0, at(0))
    assert clock.ask(at(0)) is None
    for look in looks:
        assert clock.look(at(*look)) is None
    assert clock.next_look_ms(at(*now)) == pytest.approx(delay)


# why, looks after the start as (wall, cpu, delayed), verdict of the last
STARTS = [
    ("loading slowly on a busy machine", [(15_000, 2_000, 13_000), (60_000, 8_000, 52_000)], None),
    ("too much processor time", [(15_000, 15_000, 0), (20_100, 20_001, 0)], Overrun("cpu", 20_100, 20_001, START_LIMIT_MS)),
    ("never ready, asleep", [(10_000, 100, 0), (20_200, 100, 0)], Overrun("idle", 20_200, 100, START_LIMIT_MS)),
    ("given no processor for ten minutes", [(STALL_MS, 0, STALL_MS)], Stalled(STALL_MS)),
    ("no readings, inside", [(20_000, None, None)], None),
    ("no readings, wall time", [(20_001, None, None)], Overrun("wall", 20_001, None, START_LIMIT_MS)),
]


@pytest.mark.parametrize(("looks", "verdict"), [r[1:] for r in STARTS], ids=[r[0] for r in STARTS])
def test_start_clocks(looks, verdict) -> None:
    clock = StartClock(at(0, *([None, None] if looks[0][1] is None else [0, 0])))
    verdicts = [clock.look(at(*look)) for look in looks]
    assert all(v is None for v in verdicts[:-1])
    assert verdicts[-1] == verdict


def test_a_void_question_owes_nothing_but_what_was_used() -> None:
    clock = SeatClock(1000, 0, at(0))
    assert clock.ask(at(0)) is None
    clock.withdraw(at(400, 300))
    assert clock.used_ms(at(500, 300)) == 300
