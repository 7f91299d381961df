"""Parts that are stuck, away or killed, each alone and watched closely; README.md says where the other situations are."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import docker
import pytest

from referee.sandbox.image import base_tag
from referee.store.engine import Store
from referee.store.queries import status
from referee.store.queries.tournaments import tournament
from tests.chaos.league import LEASE_SECONDS, Kind, League, league
from tests.chaos.run import compare, quiet, voids
from tests.services import wait_until
from tests.worker.processes import Processes, played
from tests.worker.test_league import complete, start

pytestmark = pytest.mark.timeout(900)

KINDS = [
    pytest.param(Kind("sqlite", "embedded", "shipped"), id="sqlite-embedded"),
    pytest.param(Kind("postgres", "redis", "shipped"), id="postgres-redis", marks=[pytest.mark.postgres, pytest.mark.redis]),
]


@pytest.fixture
def alive(request: pytest.FixtureRequest) -> Iterator[League]:
    """A league of that kind, all of it running."""
    with league(request.param) as made:
        made.start()
        try:
            made.wait(lambda: running(made) == 6 and not problems(made), "every part's first heartbeat")
            yield made
        except BaseException:
            print(made.explain())
            raise


def problems(made: League) -> list[str]:
    return list(status.status(made.store)["problems"])


def running(made: League) -> int:
    return sum(row["state"] == "running" for row in status.status(made.store)["services"]) + made.referee.alive


def test_what_a_killed_worker_played_is_played_by_another_without_any_command(
    store: Store, store_url: str, tmp_path: Path
) -> None:
    processes = Processes(tmp_path, store_url, lease=5.0)
    try:
        start(store)
        processes.conductor()
        processes.worker(processes.referee("slow", seconds=300), "doomed")
        wait_until(lambda: tournament(store, "cup")["live"]["running"] == 2, "two fixtures in play")
        processes.end("doomed", signal.SIGKILL)
        processes.worker(processes.referee("quick"), "other")
        played(store)
        complete(store, 24)
    finally:
        processes.close()
        print(processes.logs())


@pytest.mark.parametrize("alive", KINDS, indirect=True)
def test_what_is_alive_but_stuck_is_named_within_a_minute(alive: League) -> None:
    wait_until(lambda: "all is well" in alive.command("status").stdout, "the end of the start", 60)
    stuck = {"worker-2": "worker worker-2 ", "conductor-1": "conductor conductor-1 ", "builder": "builder builder"}
    if alive.kind.broker == "redis":
        stuck["broker"] = "the broker is dead or stuck"
    for name in stuck:
        alive.part(name).harm("stop")
    since = time.monotonic()
    wait_until(lambda: all(any(said in problem for problem in problems(alive)) for said in stuck.values()), f"all of {stuck}", 60)
    print(f"named after {time.monotonic() - since:.0f} s")
    answer = " ".join(alive.command("status", code=1).stdout.split())
    for said in stuck.values():
        assert said.strip() in answer, answer
    for name in stuck:
        alive.part(name).heal()
    alive.wait(lambda: not problems(alive), "the end of all problems")
    alive.command("status")


@pytest.mark.parametrize("alive", KINDS, indirect=True)
def test_a_database_that_is_locked_or_away_for_longer_than_a_lease(alive: League) -> None:
    alive.submit()
    alive.play("cup-1", 2, 1)
    alive.wait(lambda: "playing" in alive.phases(), "a match")
    database = alive.part("database")
    database.harm("kill")
    until = time.monotonic() + LEASE_SECONDS + 10
    said = alive.command("tournament", "pause", "cup-1", code=None)
    alive.wait(lambda: time.monotonic() > until, "the time")
    database.heal()
    assert said.returncode in (0, 1, 3), said
    for raw in ("Traceback", "sqlite", "psycopg", "127.0.0.1", "locked", "refused"):
        assert raw not in said.stderr
    if alive.kind.database == "postgres":
        assert "the league's database is busy or away; try again" in " ".join(said.stderr.split())
    if tournament(alive.store, "cup-1")["state"] == "paused":
        alive.command("tournament", "resume", "cup-1")
    alive.wait_done("cup-1", 300)
    assert compare(alive.find(["cup-1"]), quiet(1, 0, 2)) == []
    assert alive.end() == []


@pytest.fixture
def foreign() -> Iterator[Any]:
    """Things beside the league that look much like its own."""
    client = docker.from_env()
    dead = f"{socket.gethostname()}/1/1"
    made = [
        client.containers.create(base_tag(), ["true"], labels=labels)
        for labels in ({"ninefold": "feedbeef", "ninefold.owner": dead}, {"other": "thing"})
    ]
    yield made
    for container in made:
        container.remove(force=True)


@pytest.mark.docker
def test_a_league_killed_and_stopped_in_mid_match_goes_on_and_leaves_nothing(foreign: Any) -> None:
    with league(Kind()) as made:
        made.start()
        made.submit()
        made.play("cup-1", 6, 1)
        beside = [Path(tempfile.mkdtemp(prefix=f"nf-{name}-", dir=made.scratch)) for name in ("feedbeef-1", "mine")]
        engine = docker.APIClient()
        label = {"label": f"ninefold={(made.data / 'installation').read_text()}"}

        def containers() -> set[str]:
            return {row["Id"] for row in engine.containers(all=True, filters=label)}

        made.wait(lambda: "playing" in made.phases(), "a match")
        for program in made.programs:
            program.kill()
        for pid in made.processes():
            os.kill(pid, signal.SIGKILL)
        left = containers()
        assert left, "the killed league left containers"
        folders = [path for path in made.scratch.iterdir() if path not in beside]
        assert folders, "and folders with sockets"
        begin(made)
        made.wait(lambda: not left & containers(), "the end of its containers")
        made.wait(lambda: not any(path.exists() for path in folders), "the end of its folders")

        removed = [0.0]

        def void_by_hand() -> bool:
            """Again after a while: a match may end between the look and the deed, and nothing is missed then."""
            if not voids(made)["docker"] and "playing" in made.phases() and time.monotonic() > removed[-1] + 2:
                with suppress(ValueError, docker.errors.APIError):
                    engine.remove_container(min(containers()), force=True)
                    removed.append(time.monotonic())
            return voids(made)["docker"] >= 1

        made.wait(void_by_hand, "the void of what was removed by hand")

        made.wait(lambda: "playing" in made.phases(), "a match")
        assert [problem for problem in made.end() if not problem.startswith("temporary")] == []
        assert sorted(made.scratch.iterdir()) == sorted(beside)
        begin(made)
        made.wait_done("cup-1", 300)
        found = made.find(["cup-1"])
        ended = made.end()
        for container in foreign:
            container.reload()
        assert all(path.is_dir() for path in beside)
        assert [problem for problem in ended if not problem.startswith("temporary")] == []
    assert compare(found, quiet(1, 0, 6)) == []


def begin(made: League) -> None:
    """Everything that has ended is started, as the next `ninefold up` would."""
    (made.data / "league.json").unlink(missing_ok=True)
    made.referee.start()
    wait_until((made.data / "league.json").exists, "the referee")
    for program in made.programs[1:]:
        program.start()
