"""A tournament by real worker processes on every broker, killed and restarted on the way."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.commands import submissions
from referee.store.engine import Store
from referee.store.queries import bots, matches, standings, status
from referee.store.queries.tournaments import tournament
from tests.services import Redis, wait_until
from tests.store import league as small
from tests.worker.processes import Processes, played

BROKERS = [
    pytest.param(("", "sqlite"), id="folder-sqlite"),
    pytest.param(("redis_url", "postgres"), id="redis-postgres", marks=[pytest.mark.redis, pytest.mark.postgres]),
    pytest.param(
        ("rabbitmq_url", "postgres"), id="rabbitmq-postgres", marks=[pytest.mark.rabbitmq, pytest.mark.postgres]
    ),
]


@pytest.fixture
def league(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Processes]]:
    broker, database = getattr(request, "param", ("", "sqlite"))
    url = request.getfixturevalue(f"{database}_url")
    processes = Processes(tmp_path, url, request.getfixturevalue(broker) if broker else "")
    store = Store(url)
    try:
        yield store, processes
    except BaseException:
        print(processes.logs())
        raise
    finally:
        processes.close()
        print(processes.logs())
        store.close()


def start(store: Store, count: int = 4, owner: int = 0, **settings: object) -> None:
    owner = owner or small.author(store)
    names = [f"bot{i}" for i in range(count)]
    for name in names:
        small.admit(store, name, owner=owner)
    small.create(store, names, **settings)


def digests(store: Store) -> dict[str, str]:
    return {row["match_id"]: row["canonical_sha256"] for row in matches.matches(store)}


def complete(store: Store, fixtures: int) -> None:
    """Exactly what was asked for was played, once, and the sums agree with the records."""
    page = tournament(store, "cup")
    assert (page["done_fixtures"], page["total_fixtures"], page["cancelled_fixtures"]) == (fixtures, fixtures, 0)
    assert page["done_matches"] == 2 * fixtures
    assert len(digests(store)) == 2 * fixtures
    assert status.deep(store) == []


@pytest.mark.parametrize("league", BROKERS, indirect=True)
def test_a_tournament_on_each_broker(league: tuple[Store, Processes]) -> None:
    store, processes = league
    start(store)
    processes.conductor()
    processes.worker(processes.referee())
    played(store)
    complete(store, 24)
    assert standings.standings(store, "cup")[0]["matches"] == 24
    assert processes.end("worker") == 0
    assert processes.end("conductor") == 0
    assert [row["state"] for row in status.status(store)["services"]] == ["stopped", "stopped"]


def test_killed_in_the_middle_everything_is_played_once(league: tuple[Store, Processes]) -> None:
    store, processes = league
    start(store)
    processes.conductor()
    processes.conductor("conductor2")
    address = processes.referee(seconds=0.3)
    processes.worker(address)
    wait_until(lambda: tournament(store, "cup")["done_fixtures"] >= 3, "some fixtures")
    processes.end("worker", signal.SIGKILL)
    processes.end("conductor", signal.SIGKILL)
    processes.worker(address)
    wait_until(lambda: tournament(store, "cup")["done_fixtures"] >= 8, "more fixtures")
    processes.end("referee", signal.SIGKILL)
    Path(address.removeprefix("unix:")).unlink(missing_ok=True)
    processes.referee(seconds=0.1)
    played(store)
    complete(store, 24)
    assert tournament(store, "cup")["dropped_fixtures"] == 0


def test_a_stop_signal_ends_the_worker_at_once_and_gives_back_what_it_played(league: tuple[Store, Processes]) -> None:
    store, processes = league
    start(store)
    processes.conductor()
    processes.worker(processes.referee(seconds=60))
    wait_until(lambda: tournament(store, "cup")["live"]["running"] == 2, "two fixtures in play")
    assert processes.end("worker", seconds=10) == 0
    page = tournament(store, "cup")
    assert page["live"]["running"] == 0
    assert page["live"]["parked"] == 0


@pytest.mark.redis
@pytest.mark.parametrize(
    ("role", "trouble"), [("play", signal.SIGSTOP), ("build", signal.SIGKILL)], ids=["silent", "gone"]
)
def test_a_stop_signal_ends_a_worker_whose_broker_is_silent_or_gone(
    tmp_path: Path, sqlite_url: str, redis_server: Redis, role: str, trouble: signal.Signals
) -> None:
    processes = Processes(tmp_path, sqlite_url, redis_server.url)
    store = Store(sqlite_url)
    small.author(store)
    try:
        processes.worker(processes.referee(), role=role)
        wait_until(lambda: len(status.status(store)["services"]) == 1, "the worker")
        assert redis_server.process is not None
        redis_server.process.send_signal(trouble)
        time.sleep(1)
        assert processes.end("worker", seconds=40) == 0
    finally:
        redis_server.process.send_signal(signal.SIGCONT)
        processes.close()
        print(processes.logs())
        store.close()


def test_uploads_are_judged(league: tuple[Store, Processes]) -> None:
    store, processes = league
    owner = small.author(store)
    blobs = Blobs(Settings(processes.folder))
    good = submissions.submit(store, owner, blobs.put(b"greedy"), 6)
    bad = submissions.submit(store, owner, blobs.put(b"bad"), 3)
    assert bots.submission(store, bad)["queue_place"] == 2
    processes.conductor()
    processes.worker(processes.referee(), name="builder", role="build")
    wait_until(lambda: bots.submission(store, bad)["state"] == "refused", "the verdict")
    wait_until(lambda: bots.submission(store, good)["state"] == "admitted", "the verdict")
    refused = bots.submission(store, bad)
    assert (refused["stage"], refused["reason"]) == ("manifest", "no bot.toml; add one")
    assert blobs.get(refused["build_log"]) == b"log of bad"
    assert bots.bot(store, "greedy")["versions"][0]["digest"] == "2" * 64
    start(store, owner=owner)
    processes.worker(f"unix:{processes.folder}/referee.sock")
    played(store)
    wait_until(lambda: standings.ratings(store, "cup") is not None, "ratings")
    wait_until(lambda: (standings.ratings(store, "cup") or {})["watermark"] == 48, "the last ratings")


@pytest.mark.redis
@pytest.mark.parametrize("league", [("redis_url", "sqlite")], indirect=True)
def test_a_broker_that_forgets_everything(league: tuple[Store, Processes], redis_server: Redis) -> None:
    store, processes = league
    start(store)
    processes.conductor()
    processes.worker(processes.referee(seconds=0.2))
    wait_until(lambda: tournament(store, "cup")["done_fixtures"] >= 3, "some fixtures")
    redis_server.stop(signal.SIGKILL)
    redis_server.start()
    played(store, seconds=60)
    complete(store, 24)
