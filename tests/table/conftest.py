"""Bots written in the test, played for real: as plain processes, and in containers where there is an engine."""

from __future__ import annotations

import asyncio
import secrets
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.match.fixture import Clock, FixtureSpec, MatchResult
from referee.match.sitting import Machine, decompress
from referee.match.verify import verify
from referee.service import local
from referee.service.building import local_image
from referee.service.host import HostConfig, Platform

LEAGUE = f"testtable{secrets.token_hex(3)}"
MASTER = bytes(range(32))
HONEST = """
from botkit import Bot, run

class Honest(Bot):
    def act(self, view, legal):
        return self.rng.choice(legal)

run(Honest())
"""


@dataclass
class Played:
    """What came of a fixture: its results, and their replays, every one of them verified."""

    matches: list[MatchResult]
    replays: list[dict[str, Any]]

    def fault(self, match: int = 0) -> dict[str, Any]:
        (fault,) = self.replays[match]["faults"]
        return fault

    def log(self, seat: int, match: int = 0) -> str:
        return self.matches[match].seats[seat].log.decode("utf-8", "replace")


class House:
    """Plays fixtures of bots given as source text or built-in name."""

    def __init__(self, sandbox: str, folder: Path) -> None:
        self.sandbox, self.folder = sandbox, folder
        self.limits: dict[str, Any] = {}

    def bot(self, code: str, number: int) -> local.LocalBot:
        if "\n" not in code:
            return local.find_bot(code, None)
        folder = self.folder / f"bot{number}"
        folder.mkdir(exist_ok=True)
        (folder / "bot.py").write_text(textwrap.dedent(code))
        (folder / "bot.toml").write_text(
            f'name = "bot{number}"\ngames = ["nines", "nine"]\nruntime = "python"\nentry = "bot.py"\n'
        )
        return local.find_bot(str(folder), None)

    def play(
        self,
        *codes: str,
        game: str = "nine",
        matches: int = 1,
        clock: Clock = Clock(),  # noqa: B008 - frozen
        rules: Mapping[str, Any] | None = None,
        during: Callable[[Platform, FixtureSpec], Any] | None = None,
    ) -> Played:
        """The fixture, to its end; `during` is awaited beside it. `PlatformFault` when it is void."""

        async def run() -> list[MatchResult]:
            platform = Platform(HostConfig(LEAGUE, self.sandbox, limits=self.limits))
            results: list[MatchResult] = []
            try:
                bots = [self.bot(code, number) for number, code in enumerate(codes)]
                images = await self._images(platform, bots)
                chosen = [f"{k}={str(v).lower()}" for k, v in (rules or {}).items()]
                complete, profile = local.complete_rules(game, None, chosen, len(bots))
                spec = local.local_fixture(game, complete, profile, bots, images, MASTER, matches, clock)
                beside = asyncio.ensure_future(during(platform, spec)) if during else None
                async with asyncio.timeout(120):
                    await platform.play(spec, Machine("test"), finished=results.append)
                if beside is not None:
                    await beside
            finally:
                await platform.close()
            assert not platform.rundir.path.exists()
            return results

        results = asyncio.run(run())
        replays = [decompress(result.replay) for result in results]
        for document in replays:
            verify(document)
        self.nothing_left()
        return Played(results, replays)

    async def _images(self, platform: Platform, bots: Sequence[local.LocalBot]) -> list[str]:
        if platform.engine is None:
            return [str(bot.folder) for bot in bots]
        return [await local_image(platform, bot, lambda line: None) for bot in bots]

    def nothing_left(self) -> None:
        """No container of this house is left."""
        if self.sandbox == "docker":
            import docker

            found = docker.from_env().containers.list(all=True, filters={"label": f"ninefold={LEAGUE}"})
            assert [c.name for c in found] == []


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    return House(request.param, tmp_path)


@pytest.fixture
def plain(tmp_path: Path) -> House:
    return House("process", tmp_path)


@pytest.fixture
def cage(tmp_path: Path) -> House:
    """For tests marked `docker`."""
    return House("docker", tmp_path)


@pytest.fixture
def league() -> str:
    """The league that the tables of this run belong to."""
    return LEAGUE
