"""Four burners for every processor: no honest bot loses on time, no record changes, and what is charged stays exact."""

from __future__ import annotations

import asyncio

import pytest

from referee.sandbox.engine import Engine
from referee.sandbox.rundir import RunDir
from tests.bench.clock import OPEN, burners, charged, half_used, off, series
from tests.hostile.arena import Arena

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


def test_no_honest_bot_loses_on_a_busy_machine(engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    arena = Arena(engine, league, image)
    quiet = asyncio.run(series(arena, run_dir, OPEN, fixtures=1, matches=6))
    with burners(4):
        busy = asyncio.run(series(arena, run_dir, half_used(quiet), fixtures=1, matches=6))
    assert busy.forfeits == [0] * 6
    assert busy.records == quiet.records
    assert arena.leftovers() == []


def test_by_wall_clock_they_would(engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    arena = Arena(engine, league, image)
    quiet = asyncio.run(series(arena, run_dir, OPEN, fixtures=1, matches=3))
    arena.wall = True
    with burners(8):
        busy = asyncio.run(series(arena, run_dir, half_used(quiet), fixtures=1, matches=3))
    assert sum(busy.forfeits) > 0


def test_a_calibrated_spinner_is_charged_what_it_spun(engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    pairs = asyncio.run(charged(Arena(engine, league, image), run_dir))
    assert len(pairs) >= 20
    assert max(spun for spun, _ in pairs) >= 100
    assert len(off(pairs)) <= len(pairs) / 10  # now and then a garbage collection falls between two clocks
