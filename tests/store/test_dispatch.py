"""Which machine plays what: a small window, one home for a block, away from machines that fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from referee.store.commands import fixtures, schedule, services
from referee.store.engine import Store
from referee.store.queries import status
from referee.store.queries.tournaments import fixture
from tests.store import league as small

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def clock(store: Store) -> list[datetime]:
    """A clock that a test moves by hand."""
    moment = [START]
    store._clock = lambda: moment[0]
    return moment


def claim(store: Store, fixture_id: str, machine: str = "m1") -> fixtures.FixtureSpec | None:
    return fixtures.claim_fixture(store, fixture_id, worker=f"w@{machine}", machine=machine)


def test_the_window_is_kept_full_and_no_fuller(store: Store) -> None:
    small.league(store, bots="abcde")
    small.lay_out(store)
    first = schedule.dispatch(store, window=2)
    assert len(first) == 8  # two for each of four slots
    assert schedule.dispatch(store, window=2) == []
    spec = claim(store, first[0].fixture_id)
    assert spec is not None
    assert len(schedule.dispatch(store, window=2)) == 1


def play(store: Store, fixture_id: str, machine: str) -> None:
    spec = claim(store, fixture_id, machine)
    assert spec is not None
    assert fixtures.record_fixture(store, spec, small.play(spec))


def block_of(message: schedule.Message) -> str:
    return message.fixture_id.rpartition("/")[0]


def test_a_block_stays_on_one_machine(store: Store) -> None:
    small.league(store, bots="abcde")
    small.worker(store, "m2")
    small.lay_out(store)
    homes: dict[str, set[str]] = {}
    while messages := schedule.dispatch(store, window=2):
        for message in messages:
            homes.setdefault(block_of(message), set()).add(message.machine)
            play(store, message.fixture_id, message.machine)
    assert len(homes) == 20
    assert all(len(machines) == 1 for machines in homes.values())
    assert set.union(*homes.values()) == {"m1", "m2"}


def test_of_a_block_one_fixture_at_a_time_is_queued_or_played(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    first = schedule.dispatch(store, window=9)
    assert len({block_of(message) for message in first}) == len(first) == 6
    spec = claim(store, first[0].fixture_id)
    assert spec is not None
    assert schedule.dispatch(store, window=9) == []  # in play still
    assert fixtures.record_fixture(store, spec, small.play(spec))
    (mirror,) = schedule.dispatch(store, window=9)
    assert (block_of(mirror), mirror.fixture_id == first[0].fixture_id) == (block_of(first[0]), False)


def test_what_a_silent_machine_had_goes_to_another(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.lay_out(store)
    before = schedule.dispatch(store, window=1)
    clock[0] += timedelta(seconds=40)
    assert schedule.dispatch(store, window=1) == []  # nobody is alive
    small.worker(store, "m2")
    after = schedule.dispatch(store, window=1)
    assert {m.fixture_id for m in after} == {m.fixture_id for m in before}
    assert {m.machine for m in after} == {"m2"}


def test_a_lost_message_is_sent_again_to_an_idle_machine_only(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.lay_out(store)
    before = schedule.dispatch(store, window=3)
    clock[0] += timedelta(seconds=11)
    assert len(before) == 6
    again = schedule.dispatch(store, window=3)
    assert len(again) == 4  # as many as could be played at once
    assert schedule.dispatch(store, window=3) == []
    for message in before[:4]:
        assert claim(store, message.fixture_id)
    clock[0] += timedelta(seconds=11)
    assert schedule.dispatch(store, window=3) == []  # all slots are busy: the rest waits its turn


def test_an_expired_lease_is_played_again_but_not_while_the_store_was_locked(
    store: Store, clock: list[datetime]
) -> None:
    small.league(store)
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    spec = claim(store, first)
    assert spec is not None
    clock[0] += timedelta(seconds=59)
    assert fixtures.expire_leases(store) == []
    assert fixtures.renew_lease(store, spec)
    clock[0] += timedelta(seconds=61)
    assert fixtures.expire_leases(store, writable_since=clock[0] - timedelta(seconds=14)) == []
    assert fixtures.expire_leases(store, writable_since=clock[0] - timedelta(seconds=16)) == ["w@m1"]
    page = fixture(store, first)
    assert (page["state"], page["cause"]) == ("planned", "lease_lost")
    assert not fixtures.record_fixture(store, spec, small.play(spec))
    again = claim(store, first)
    assert again is not None
    assert again.attempt == 2


def test_a_restarted_worker_gives_back_what_it_held(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    assert claim(store, ids[0])
    assert claim(store, ids[1], "m2")
    assert fixtures.release_worker(store, "w@m1", reason="restarted") == 1
    assert fixture(store, ids[0])["state"] == "planned"
    assert fixture(store, ids[1])["state"] == "running"


def test_a_machine_that_fails_steps_back_and_another_plays_everything(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.worker(store, "m2")
    small.lay_out(store)
    ids = small.fixture_ids(store)
    for fixture_id in ids[:3]:
        spec = claim(store, fixture_id, "m2")
        assert spec is not None
        fixtures.void_fixture(store, spec, cause="docker", reason="no engine")
    clock[0] += timedelta(seconds=10)
    assert claim(store, ids[3], "m2") is None
    found = status.status(store)
    assert any("machine m2 stepped back" in problem and "no engine" in problem for problem in found["problems"])
    small.worker(store)
    played = []
    while messages := schedule.dispatch(store, window=9):
        assert {message.machine for message in messages} == {"m1"}
        for message in messages:
            if message.fixture_id != ids[3]:
                play(store, message.fixture_id, "m1")
            played.append(message.fixture_id)
    assert sorted(played) == sorted(ids)
    services.record_probe(store, "m2", ok=True)
    small.worker(store, "m2")
    assert claim(store, ids[3], "m2")


def test_a_missing_guarantee_steps_back_at_once_and_one_bad_fixture_does_not(
    store: Store, clock: list[datetime]
) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    for _ in range(3):
        clock[0] += timedelta(seconds=70)
        small.worker(store)
        spec = claim(store, ids[0])
        assert spec is not None
        fixtures.void_fixture(store, spec, cause="internal", reason="always this one")
    assert fixture(store, ids[0])["state"] == "parked"
    spec = claim(store, ids[1])
    assert spec is not None
    fixtures.void_fixture(store, spec, cause="guarantee", reason="no seccomp")
    assert claim(store, ids[2]) is None
    assert fixture(store, ids[1])["state"] == "planned"


def test_a_fixture_is_not_sent_back_to_the_machine_it_failed_on(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.worker(store, "m2")
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    spec = claim(store, first, "m2")
    assert spec is not None
    fixtures.void_fixture(store, spec, cause="docker", reason="flaky")
    clock[0] += timedelta(seconds=5)
    sent = {m.fixture_id: m.machine for m in schedule.dispatch(store, window=9)}
    assert sent[first] == "m1"


def test_status_names_what_is_silent_stuck_or_missing(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.lay_out(store)
    services.beat(store, services.Beat("c1", "conductor", "m1", 7))
    assert status.status(store)["problems"] == []
    assert claim(store, small.fixture_ids(store)[0])
    clock[0] += timedelta(seconds=46)
    problems = status.status(store)["problems"]
    for part in ("worker w@m1", "conductor c1", "no conductor is alive", "no worker can play", "fixture cup/1/1"):
        assert any(part in problem for problem in problems), part
    services.stopped(store, "c1", reason="stopped")
    assert not any("conductor c1" in problem for problem in status.status(store)["problems"])


def test_a_league_that_was_just_started_again_is_not_called_stuck(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.lay_out(store)
    clock[0] += timedelta(hours=1)  # nobody was there
    small.worker(store)
    services.beat(store, services.Beat("c1", "conductor", "m1", 7))
    assert status.status(store)["problems"] == []
    clock[0] += timedelta(seconds=46)  # they are alive, and nothing happens
    small.worker(store)
    services.beat(store, services.Beat("c1", "conductor", "m1", 7))
    assert "the broker or the conductor is stuck" in status.status(store)["problems"][0]


def test_nothing_is_missed_while_the_league_starts(store: Store, clock: list[datetime]) -> None:
    small.league(store)
    small.lay_out(store)
    assert claim(store, small.fixture_ids(store)[0])
    clock[0] += timedelta(hours=1)  # it was killed, and nobody was there
    since = clock[0]
    services.beat(store, services.Beat("w@m1", "worker", "m1", 8, reason="the sandbox has not been checked yet"))
    services.record_probe(store, "m1", ok=False, reason="the sandbox has not been checked yet")
    found = status.status(store, serving_since=since)
    assert (found["starting"], found["problems"]) == (True, [])
    clock[0] += timedelta(seconds=21)
    found = status.status(store, serving_since=since)
    assert not found["starting"]
    for part in ("no conductor is alive", "machine m1 stepped back", "the sandbox has not", "fixture cup/1/1"):
        assert any(part in problem for problem in found["problems"]), part


def test_one_program_at_a_time_conducts(store: Store, clock: list[datetime]) -> None:
    since = services.hold_lease(store, "conductor", "a", seconds=10)
    assert since == clock[0]
    assert services.hold_lease(store, "conductor", "b", seconds=10) is None
    clock[0] += timedelta(seconds=9)
    assert services.hold_lease(store, "conductor", "a", seconds=10) == since
    clock[0] += timedelta(seconds=11)
    assert services.hold_lease(store, "conductor", "b", seconds=10) == clock[0]
    assert services.hold_lease(store, "conductor", "a", seconds=10) is None


def test_a_machine_that_was_taken_away_is_missed_for_a_day(store: Store, clock: list[datetime]) -> None:
    small.league(store, bots="ab")
    small.worker(store, "m2")
    clock[0] += timedelta(hours=23)
    services.forget_silent(store)
    assert any("w@m2" in problem for problem in status.status(store)["problems"])
    clock[0] += timedelta(hours=2)
    services.forget_silent(store)
    assert not any("w@m2" in problem for problem in status.status(store)["problems"])
    small.worker(store, "m2")
    assert next(row["state"] for row in status.status(store)["services"] if row["name"] == "w@m2") == "running"
