"""The database is locked, away, or a writer is killed: results are kept, land once, and users read a plain sentence."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text

from referee.errors import StoreBusy
from referee.store import schema
from referee.store.commands import fixtures, tournaments
from referee.store.engine import Store
from referee.store.queries import matches, status
from referee.store.queries.tournaments import fixture, tournament
from tests.services import Postgres
from tests.store import league as small


def claimed(store: Store) -> fixtures.FixtureSpec:
    small.lay_out(store)
    spec = fixtures.claim_fixture(store, small.fixture_ids(store)[0], worker="w@m1", machine="m1")
    assert spec is not None
    return spec


def test_another_program_holds_the_lock_and_the_result_lands_afterwards(sqlite_url: str) -> None:
    store = Store(sqlite_url, busy_ms=100)
    small.league(store)
    spec = claimed(store)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    landed: list[bool] = []
    recording = threading.Thread(target=lambda: landed.append(fixtures.record_fixture(store, spec, small.play(spec))))
    recording.start()
    time.sleep(1.0)
    assert recording.is_alive()
    assert matches.matches(store) == []  # reading goes on meanwhile
    with pytest.raises(StoreBusy, match=r"ninefold.db is busy or away .* try again"):
        store.write(lambda session: session.execute(text("SELECT 1")).all(), patience=0.3)
    other.execute("ROLLBACK")
    recording.join(30)
    assert landed == [True]
    assert len(matches.matches(store)) == 2
    other.close()
    store.close()


@pytest.fixture
def own_postgres(tmp_path_factory: pytest.TempPathFactory, short_tmp: Path) -> Iterator[Postgres]:
    folder = short_tmp / f"own-{time.time_ns()}"
    folder.mkdir()
    server = Postgres(folder)
    server.start()
    yield server
    server.stop()


@pytest.mark.postgres
def test_the_database_is_away_and_the_result_lands_afterwards(own_postgres: Postgres) -> None:
    store = Store(own_postgres.database())
    schema.prepare(store)
    small.league(store)
    spec = claimed(store)
    own_postgres.stop(signal.SIGKILL)
    with pytest.raises(StoreBusy, match="busy or away"):
        store.write(lambda session: session.execute(text("SELECT 1")).all(), patience=0.2)
    with pytest.raises(StoreBusy):
        store.fetch(lambda session: session.execute(text("SELECT 1")).all(), patience=0.2)
    landed: list[bool] = []
    recording = threading.Thread(target=lambda: landed.append(fixtures.record_fixture(store, spec, small.play(spec))))
    recording.start()
    time.sleep(0.5)
    own_postgres.start()
    recording.join(60)
    assert landed == [True]
    assert tournament(store, "cup")["done_matches"] == 2
    store.close()


def test_a_worker_that_is_told_to_stop_does_not_wait_for_ever(sqlite_url: str) -> None:
    store = Store(sqlite_url, busy_ms=50)
    small.league(store)
    spec = claimed(store)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        fixtures.record_fixture(store, spec, small.play(spec), give_up=lambda: True)
    other.close()
    store.close()


class Death:
    """Kills its own process by SIGKILL at the given statement of a transaction, before its commit, or after it."""

    def __init__(self, moment: int | str) -> None:
        self.moment, self.statements = moment, 0

    def record(self, url: str, fixture_id: str) -> None:
        store = Store(url)
        spec = fixtures.claim_fixture(store, fixture_id, worker="victim", machine="m1")
        assert spec is not None
        event.listen(store.engine, "before_cursor_execute", self._statement)
        event.listen(store.engine, "commit", self._commit)
        fixtures.record_fixture(store, spec, small.play(spec, log=b"x" * 100_000))
        self._die()

    def _statement(self, *_: object) -> None:
        self.statements += 1
        if self.statements == self.moment:
            self._die()

    def _commit(self, *_: object) -> None:
        if self.moment == "commit":
            self._die()

    def _die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_killed_at_the_moment_of_recording_a_match_is_whole_or_not_there(store: Store, store_url: str) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    store.close()  # before the fork: a child must not share a connection
    fork = multiprocessing.get_context("fork")
    for fixture_id, moment in zip(ids, (2, 5, 8, 11, 14, 20, "commit", "committed"), strict=False):
        victim = fork.Process(target=Death(moment).record, args=(store_url, fixture_id))
        victim.start()
        victim.join(60)
        assert victim.exitcode == -signal.SIGKILL
        landed = moment == "committed"
        assert len(matches.matches(store, matches.MatchFilter(tournament="cup"))) == (2 if landed else 0)
        assert fixture(store, fixture_id)["state"] == ("done" if landed else "running")
        assert status.deep(store) == []
        store.close()
    assert fixtures.release_worker(store, "victim", reason="killed") == 7
    for fixture_id in small.fixture_ids(store):
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        fixtures.record_fixture(store, spec, small.play(spec))
    page = tournament(store, "cup")
    assert (page["state"], page["done_fixtures"], page["done_matches"]) == ("done", 12, 24)
    assert status.deep(store) == []


def test_many_results_at_the_same_moment_each_count_once(store: Store) -> None:
    small.league(store, bots="abcd")
    small.lay_out(store)
    ids = small.fixture_ids(store)
    failures: list[BaseException] = []
    landed: list[str] = []

    def worker(name: str) -> None:
        try:
            for fixture_id in ids:
                spec = fixtures.claim_fixture(store, fixture_id, worker=name, machine="m1")
                if spec is not None and fixtures.record_fixture(store, spec, small.play(spec)):
                    landed.append(fixture_id)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=worker, args=(f"w{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(landed) == sorted(ids)
    assert tournament(store, "cup")["state"] == "done"
    assert status.deep(store) == []


def test_commands_in_a_race_are_carried_out_once(store: Store) -> None:
    new = tournaments.NewTournament("cup", "nines", small.RULES)
    made: list[object] = []

    def create() -> None:
        try:
            made.append(tournaments.create_tournament(store, new, by="org", request_id="same"))
        except Exception as error:
            made.append(error)

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(str, made))) == 1
    assert isinstance(made[0], int)
