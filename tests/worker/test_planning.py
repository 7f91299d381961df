"""Schedules are laid out as they are needed; a tournament that plays until its bots are separated stops for what is certain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from referee.settings import Settings
from referee.store.commands import fixtures
from referee.store.engine import Store
from referee.store.queries import matches, status
from referee.store.queries.tournaments import tournament
from tests.store import league as small
from worker.conductor import Conductor
from worker.planning import Planner


def conductor(store: Store, folder: Path, name: str = "") -> Conductor:
    made = Conductor(store, Settings(folder), name)
    made._send = lambda *_: None  # type: ignore[method-assign]
    return made


def play_live(store: Store, loser: str = "") -> int:
    """What is laid out is played; `loser` forfeits everything."""
    ids = small.fixture_ids(store)
    for fixture_id in ids:
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        if spec is not None:
            faults = {(loser, number): "illegal" for number in range(1, 3)}
            fixtures.record_fixture(store, spec, small.play(spec, faults=faults))
    return len(ids)


def test_a_long_schedule_is_laid_out_in_windows(store: Store, tmp_path: Path) -> None:
    small.league(store, bots="abcdef", blocks=50)
    leader = conductor(store, tmp_path)
    leader.tick()
    page = tournament(store, "cup")
    assert page["total_fixtures"] == 1500
    assert 8 <= page["planned_fixtures"] <= 40
    assert play_live(store) == page["planned_fixtures"]
    leader.tick()
    other = conductor(store, tmp_path, "another")  # wants to take over in the middle
    before = tournament(store, "cup")["planned_fixtures"]
    other.tick()
    assert tournament(store, "cup")["planned_fixtures"] == before  # the lease is the leader's


def test_until_separated_deals_only_what_is_open(store: Store, tmp_path: Path) -> None:
    small.league(store, bots="abc", blocks=2, until_separated={"max_blocks": 16})
    leader = conductor(store, tmp_path)
    for _ in range(200):
        if tournament(store, "cup")["state"] != "running":
            break
        small.worker(store)
        leader.tick()
        leader.planner = Planner(store)  # restarted at every moment, it comes to the same
        play_live(store, loser="a")
    page = tournament(store, "cup")
    assert page["state"] == "done"
    assert page["total_fixtures"] == page["done_fixtures"] == page["planned_fixtures"]
    blocks: Counter[str] = Counter()
    before = 0
    while found := matches.matches(store, before=before):
        before = found[-1]["key"]
        blocks.update("".join(sorted(seat["bot"] for seat in row["seats"])) for row in found)
    per_block = 4  # two seatings of two matches
    assert blocks["ab"] == blocks["ac"] < 16 * per_block  # certain before the cap
    assert blocks["ab"] >= 2 * per_block
    assert blocks["bc"] == 16 * per_block
    assert status.deep(store) == []
