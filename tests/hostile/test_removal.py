"""A busy engine that cannot kill a container yet is asked again; several fork bombs at once leave nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import docker.errors
import pytest

from referee.sandbox.engine import Engine
from referee.sandbox.rundir import RunDir
from tests.hostile.arena import Arena, Outcome, play

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]


def test_an_engine_that_refuses_a_removal_is_asked_again(
    engine: Engine, league: str, image: str, run_dir: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = Engine.remove_container, list[str]()

    def busy(self: Engine, name: str) -> Any:
        if refused.count(name) < 2:
            refused.append(name)
            raise docker.errors.APIError("Could not kill running container, cannot remove")
        return real(self, name)

    monkeypatch.setattr(Engine, "remove_container", busy)
    arena = Arena(engine, league, image)
    outcome = asyncio.run(play(arena, run_dir, ["harmless", "exits_with_0"]))
    assert outcome.result.matches[0].seats[1].cause == "exit"
    assert len(refused) == 4
    assert arena.leftovers() == []


def test_fork_bombs_at_once_leave_nothing(engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    arena = Arena(engine, league, image)

    async def all_of_them() -> list[Outcome]:
        return await asyncio.gather(*(play(arena, run_dir, ["harmless", "fork_bomb"]) for _ in range(3)))

    outcomes = asyncio.run(all_of_them())
    assert [outcome.result.matches[0].seats[1].cause for outcome in outcomes] == ["timeout"] * 3
    assert arena.leftovers() == []
