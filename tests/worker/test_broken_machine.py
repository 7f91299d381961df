"""Of three machines two are broken: they step back and say why, the third plays everything, and no bot is blamed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from referee.store.engine import Store
from referee.store.models import Fixture
from referee.store.queries import standings, status
from referee.store.queries.tournaments import tournament
from tests.services import wait_until
from tests.store import league as small
from tests.worker.processes import Processes, played
from tests.worker.test_league import complete, start


@pytest.fixture
def league(store_url: str, tmp_path: Path) -> Iterator[tuple[Store, Processes]]:
    """On both databases, with the broker that needs no server."""
    processes, store = Processes(tmp_path, store_url), Store(store_url)
    try:
        processes.conductor()
        yield store, processes
    finally:
        processes.close()
        print(processes.logs())
        store.close()


def add_good_machine(processes: Processes) -> None:
    processes.worker(processes.referee("well", 0.2), "worker@well", machine="well")


def machine(store: Store, name: str) -> dict[str, str]:
    return next((row for row in status.status(store)["machines"] if row["name"] == name), {})


def by_machine(store: Store) -> set[str]:
    return set(store.fetch(lambda session: session.exec(select(Fixture.machine)).all()))


def nobody_is_blamed(store: Store) -> None:
    complete(store, 24)
    assert tournament(store, "cup")["dropped_fixtures"] == 0
    assert {row["forfeits"] for row in standings.standings(store, "cup")} == {0}


def test_broken_machines_step_back_and_the_good_one_plays_everything(
    league: tuple[Store, Processes], tmp_path: Path
) -> None:
    """One lacks a guarantee and returns with it; on another everything fails."""
    store, processes = league
    trouble = tmp_path / "trouble"
    trouble.write_text("this machine's sandbox does not give: memory")
    processes.worker(processes.referee("broken", 0.1, "--trouble", str(trouble)), "worker@broken", machine="broken")
    processes.worker(processes.referee("cursed", 0.0, "--always", "docker"), "worker@cursed", machine="cursed")
    start(store)
    for name, why in (("broken", "memory"), ("cursed", "fixtures in a row failed")):
        wait_until(
            lambda name=name: machine(store, name).get("state") == "stepped_back", f"the step back of {name}", 150
        )
        assert why in machine(store, name)["reason"]
    add_good_machine(processes)
    played(store)
    nobody_is_blamed(store)
    assert by_machine(store) == {"well"}
    assert any("machine broken stepped back" in line and "memory" in line for line in status.status(store)["problems"])

    processes.end("worker@cursed")
    trouble.unlink()
    wait_until(lambda: machine(store, "broken")["state"] == "ready", "its return", 150)
    assert not any("machine broken" in line for line in status.status(store)["problems"])
    small.create(store, [f"bot{i}" for i in range(4)], name="again")
    played(store, "again")
    assert by_machine(store) == {"well", "broken"}
