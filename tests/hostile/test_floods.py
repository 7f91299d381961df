"""A bot that floods while it plays on: its opponent's match is the same, takes about the same, and we stay small."""

from __future__ import annotations

import asyncio

import pytest

from referee.sandbox.engine import Engine
from referee.sandbox.rundir import RunDir
from tests.bench.hostile import ratios
from tests.hostile.arena import Arena
from tests.hostile.verdicts import FLOODS

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
GENEROUS = 2.0
"""`python -m tests.bench.hostile` measures, with 1.15 as the aim; a machine busy with other tests shows only so much."""


@pytest.mark.parametrize("flood", FLOODS)
def test_the_opponent_does_not_notice(flood: str, engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    arena = Arena(engine, league, image)
    ratio, beside, usual = asyncio.run(ratios(arena, run_dir, f"floods_{flood}", runs=2, rounds=2))
    print(f"\nflood of {flood}: the opponent's processor time is {ratio:.2f} of the usual")
    assert {run.cause for run in beside} == {"completed"}
    assert {run.record for run in beside} == {run.record for run in usual}
    assert ratio < GENEROUS
    assert arena.leftovers() == []
