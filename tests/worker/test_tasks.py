"""Tasks on their own: what is called for is decided by the store, whatever the referee does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.errors import PlatformFault, UsageError
from referee.match.fixture import FixtureResult, FixtureSpec
from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.commands import services, tournaments
from referee.store.engine import Store
from referee.store.queries import status
from referee.store.queries.tournaments import fixture, tournament
from tests.store import league as small
from worker import context, tasks
from worker.pulse import LONGEST_PROBATION_SECONDS, PROBATION_SECONDS, Pulse
from worker.referee_client import Health, Keep, Lost


class Scripted:
    """A referee that does the next thing it is told: plays, or raises."""

    def __init__(self) -> None:
        self.does: list[BaseException] = []
        self.condition = Health()
        self.calls = 0
        self.during: Any = lambda: None

    def run_fixture(self, spec: FixtureSpec, keep: Keep, stopping: threading.Event) -> FixtureResult:
        self.calls += 1
        self.during()
        if not keep("playing"):
            raise Lost(spec.fixture_id)
        if self.does:
            raise self.does.pop(0)
        return small.play(spec)

    def build(self, archive: str, name: str, job: str, stopping: threading.Event) -> Iterator[Any]:
        raise PlatformFault("docker", "no engine")
        yield

    def health(self) -> Health:
        return self.condition


@pytest.fixture
def referee() -> Scripted:
    return Scripted()


@pytest.fixture
def here(store: Store, referee: Scripted, tmp_path: Path) -> context.Context:
    settings = Settings(tmp_path)
    made = context.Context(settings, store, Blobs(settings), "m1", "w@m1", referee, slots=4)
    small.league(store)
    small.lay_out(store)
    return context.use(made)


def test_a_doubled_message_plays_nothing_twice(here: context.Context, referee: Scripted) -> None:
    for _ in range(3):
        tasks.play_fixture("cup/1/1")
    assert referee.calls == 1
    assert tournament(here.store, "cup")["done_fixtures"] == 1
    assert here.playing == set()


def test_a_message_that_comes_again_during_play_is_let_go(here: context.Context, referee: Scripted) -> None:
    referee.during = lambda: tasks.play_fixture("cup/1/1")
    tasks.play_fixture("cup/1/1")
    assert referee.calls == 1
    assert tournament(here.store, "cup")["done_fixtures"] == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (PlatformFault("docker", "no engine"), "docker"),
        (PlatformFault("shutdown", "stopped"), "shutdown"),
        (UsageError("cannot be played"), "internal"),
        (ZeroDivisionError("a bug"), "internal"),
    ],
)
def test_whatever_fails_is_void_and_nobody_is_blamed(
    here: context.Context, referee: Scripted, fault: BaseException, cause: str
) -> None:
    referee.does = [fault]
    tasks.play_fixture("cup/1/1")
    page = fixture(here.store, "cup/1/1")
    assert (page["state"], page["cause"], page["voids"]) == ("planned", cause, 1)
    assert tournament(here.store, "cup")["done_matches"] == 0


def test_a_fixture_that_is_cancelled_in_play_is_let_go(
    here: context.Context, referee: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "RENEW_PART", 1e9)  # renews at every sign of life
    referee.during = lambda: tournaments.cancel(here.store, "cup", by="org")
    tasks.play_fixture("cup/1/1")
    assert fixture(here.store, "cup/1/1")["state"] == "cancelled"


def test_nothing_is_claimed_while_the_referee_is_away_or_the_worker_stops(
    here: context.Context, referee: Scripted
) -> None:
    referee.condition = Health(False, "away")
    tasks.play_fixture("cup/1/1")
    referee.condition = Health()
    here.stopping.set()
    tasks.play_fixture("cup/1/1")
    assert fixture(here.store, "cup/1/1")["attempt"] == 0


def test_a_machine_without_a_guarantee_steps_back_and_returns_with_it(here: context.Context, referee: Scripted) -> None:
    pulse = Pulse(here, "worker")
    pulse.beat()
    referee.condition = Health(True, "no seccomp: the kernel has none")
    pulse.beat()
    found = status.status(here.store)
    assert found["machines"][0]["state"] == "stepped_back"
    assert any("no seccomp" in problem for problem in found["problems"])
    referee.condition = Health()
    pulse.beat()
    assert status.status(here.store)["machines"][0]["state"] == "ready"


def test_a_machine_that_failed_too_often_is_tried_again_after_a_while(
    here: context.Context, referee: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulse = Pulse(here, "worker")
    for fixture_id in ("cup/1/1", "cup/1/2", "cup/2/1"):
        referee.does = [PlatformFault("docker", "no engine")]
        tasks.play_fixture(fixture_id)
    moment = [100.0]
    monkeypatch.setattr("worker.pulse.time.monotonic", lambda: moment[0])
    pulse.beat()
    assert services.beat(here.store, services.Beat("w@m1", "worker", "m1", 1)) == "stepped_back"
    for wait in (PROBATION_SECONDS, 2 * PROBATION_SECONDS):  # it fails again at once: twice as long
        moment[0] += wait - 1
        pulse.beat()
        assert services.beat(here.store, services.Beat("w@m1", "worker", "m1", 1)) == "stepped_back"
        moment[0] += 2
        pulse.beat()
        assert services.beat(here.store, services.Beat("w@m1", "worker", "m1", 1)) == "ready"
        services.record_probe(here.store, "m1", ok=False, reason="failed again")
        pulse.beat()
    services.record_probe(here.store, "m1", ok=True)
    moment[0] += LONGEST_PROBATION_SECONDS + 1
    pulse.beat()  # it has proved itself
    services.record_probe(here.store, "m1", ok=False, reason="failed again")
    pulse.beat()
    moment[0] += PROBATION_SECONDS + 1
    pulse.beat()
    assert services.beat(here.store, services.Beat("w@m1", "worker", "m1", 1)) == "ready"


def test_ratings_are_fitted_once_for_the_same_results(here: context.Context, referee: Scripted) -> None:
    from referee.store.queries.standings import ratings

    for fixture_id in small.fixture_ids(here.store):
        tasks.play_fixture(fixture_id)
    tasks.rate("cup")
    first = ratings(here.store, "cup")
    tasks.rate("cup")
    assert first is not None
    assert first == ratings(here.store, "cup")
    assert first["watermark"] == 24
    assert sum(row["rating"] for row in first["ratings"]) == pytest.approx(4500, abs=0.01)


def test_trouble_that_is_seen_after_the_machine_stepped_back_lets_it_return_with_its_end(
    here: context.Context, referee: Scripted
) -> None:
    pulse = Pulse(here, "worker")
    for fixture_id in ("cup/1/1", "cup/1/2", "cup/2/1"):
        referee.does = [PlatformFault("docker", "no engine")]
        tasks.play_fixture(fixture_id)
    referee.condition = Health(True, "the Docker engine does not answer")
    pulse.beat()
    assert status.status(here.store)["machines"][0]["state"] == "stepped_back"
    referee.condition = Health()
    pulse.beat()
    assert status.status(here.store)["machines"][0]["state"] == "ready"
