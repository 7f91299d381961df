"""Whatever is done to a tournament in whatever order, its sums are those of its records and its counts add up."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import Conflict
from referee.match.fixture import BOT_CAUSES, OUR_CAUSES, FixtureSpec
from referee.store.commands import fixtures, schedule, tournaments
from referee.store.engine import Store
from referee.store.field import field
from referee.store.queries import standings, status
from referee.store.queries.tournaments import fixtures as fixture_rows
from referee.store.queries.tournaments import tournament
from tests.services import Postgres
from tests.store import league as small
from tests.store.test_fixtures import no_waiting

BOTS = "abcd"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("plan"), st.integers(1, 3)),
        st.tuples(st.just("claim"), st.integers(0, 9)),
        st.tuples(st.just("record"), st.integers(0, 9), st.sampled_from(["", *BOT_CAUSES]), st.integers(0, 1)),
        st.tuples(st.just("record again"), st.integers(0, 9)),
        st.tuples(st.just("void"), st.integers(0, 9), st.sampled_from(OUR_CAUSES)),
        st.tuples(st.just("retry"), st.integers(0, 9)),
        st.tuples(st.just("drop"), st.integers(0, 9)),
        st.tuples(st.just("withdraw"), st.sampled_from(BOTS)),
        st.tuples(st.sampled_from(["pause", "resume", "dispatch", "release"])),
        st.tuples(st.just("cancel"), st.integers(0, 19)),
    ),
    min_size=10,
    max_size=40,
)


class History:
    """One tournament, driven by steps."""

    def __init__(self, store: Store, table_size: int) -> None:
        self.store = store
        small.league(store, bots=BOTS, table_size=table_size, blocks=2, same_author="free", rules={})
        self.plan = field(store, "cup").schedule()
        self.tournament_id = field(store, "cup").tournament_id
        self.planned = 0
        self.held: list[FixtureSpec] = []
        self.recorded: list[FixtureSpec] = []

    def step(self, do: str, *arguments: Any) -> None:
        with contextlib.suppress(Conflict):  # a refusal changes nothing; that is checked with everything else
            getattr(self, do.replace(" ", "_"))(*arguments)

    def pause(self) -> None:
        tournaments.pause(self.store, "cup", by="org")

    def resume(self) -> None:
        tournaments.resume(self.store, "cup", by="org")

    def cancel(self, chance: int) -> None:
        if chance == 0:
            tournaments.cancel(self.store, "cup", by="org")

    def withdraw(self, bot: str) -> None:
        tournaments.withdraw(self.store, "cup", bot, by="org")

    def dispatch(self) -> None:
        schedule.dispatch(self.store, window=2)

    def release(self) -> None:
        fixtures.release_worker(self.store, "w", reason="restart")

    def plan_(self, count: int) -> None:
        upto = min(self.planned + count, self.plan.total_blocks)
        blocks = [self.plan.block(number) for number in range(self.planned + 1, upto + 1)]
        schedule.plan_blocks(
            self.store,
            self.tournament_id,
            seen=self.planned,
            upto=upto,
            blocks=[schedule.PlannedBlock(block.number, block.seatings) for block in blocks],
            last=upto == self.plan.total_blocks,
            total_fixtures=self.plan.total_fixtures,
        )
        self.planned = tournament(self.store, "cup")["planned_fixtures"] // self.plan.fixtures_per_block

    def claim(self, pick: int) -> None:
        no_waiting(self.store)
        live = [row["fixture_id"] for row in fixture_rows(self.store, "cup", states=("planned", "queued"))]
        if live:
            spec = fixtures.claim_fixture(self.store, live[pick % len(live)], worker="w", machine="m1")
            if spec is not None:
                self.held.append(spec)

    def record(self, pick: int, cause: str, seat: int) -> None:
        if self.held:
            spec = self.held.pop(pick % len(self.held))
            faults = {(spec.seats[seat].bot, 1): cause} if cause else {}
            if fixtures.record_fixture(self.store, spec, small.play(spec, faults=faults)):
                self.recorded.append(spec)

    def record_again(self, pick: int) -> None:
        if self.recorded:
            spec = self.recorded[pick % len(self.recorded)]
            assert fixtures.record_fixture(self.store, spec, small.play(spec))

    def void(self, pick: int, cause: str) -> None:
        if self.held:
            fixtures.void_fixture(self.store, self.held.pop(pick % len(self.held)), cause=cause, reason="because")

    def retry(self, pick: int) -> None:
        self._parked(pick, fixtures.retry_fixture)

    def drop(self, pick: int) -> None:
        self._parked(pick, fixtures.drop_fixture)

    def _parked(self, pick: int, command: Any) -> None:
        parked = [row["fixture_id"] for row in fixture_rows(self.store, "cup", states=("parked",))]
        if parked:
            command(self.store, parked[pick % len(parked)], by="org")

    def check(self) -> None:
        assert status.deep(self.store) == []
        page = tournament(self.store, "cup")
        final = page["done_fixtures"] + page["cancelled_fixtures"] + page["dropped_fixtures"]
        live = sum(page["live"].values())
        assert page["done_fixtures"] == len(self.recorded)
        assert page["done_matches"] == 2 * len(self.recorded)
        if page["state"] in ("running", "paused"):
            assert final + live in (page["planned_fixtures"], page["total_fixtures"])
        if page["state"] in ("done", "cancelled"):
            assert live == 0
            assert final == (page["total_fixtures"] or 0)
        assert page["incomplete"] == (page["dropped_fixtures"] > 0)
        rows = standings.standings(self.store, "cup")
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))


def run(store: Store, table_size: int, steps: list[tuple[Any, ...]]) -> None:
    history = History(store, table_size)
    for do, *arguments in steps:
        history.step("plan_" if do == "plan" else do, *arguments)
    history.check()


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(table_size=st.integers(2, 3), steps=STEPS)
def test_any_history_on_sqlite(sqlite_template: Path, table_size: int, steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.db"
        shutil.copy(sqlite_template, path)
        store = Store(f"sqlite:///{path}")
        try:
            run(store, table_size, steps)
        finally:
            store.close()


@pytest.mark.postgres
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(table_size=st.integers(2, 3), steps=STEPS)
def test_any_history_on_postgresql(
    postgres_server: Postgres, postgres_template: str, table_size: int, steps: list[tuple[Any, ...]]
) -> None:
    store = Store(postgres_server.database(postgres_template))
    try:
        run(store, table_size, steps)
    finally:
        store.close()
