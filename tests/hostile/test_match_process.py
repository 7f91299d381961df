"""A match process of the league's own pool, while a bot floods its table: it stays small and plays on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protos.ninefold.v1 import referee_pb2 as pb
from referee.match.fixture import Clock, FixtureSpec, MatchSpec, SeatSpec
from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.service import fixture_codec
from referee.service.host import HostConfig
from referee.service.hosts import HostPool
from referee.service.local import complete_rules
from tests.hostile.arena import BOTS, RULES, SEED

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
MOST_MIB = 320
"""Of the whole match process, which takes about 60 without a flood, and took 550 before reads were small.

It took 400 under unknown frames while gRPC handed what it read from thread to thread (`nursery.ENVIRONMENT`).
"""


def image_of(engine: Engine, league: str, bot: str) -> str:
    files = (*sorted(path.name for path in BOTS.glob("_*.py")), f"{bot}.py")
    room = Room.new(engine, ensure_base(engine), league, Limits())
    return build_bot(room, BotSource(bot.replace("_", "-"), BOTS, files, "python", f"{bot}.py")).image


def resident_mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    except OSError:
        return 0.0


@pytest.mark.parametrize("flood", ["unknown_frames", "window_flood", "settings_flood"])
def test_a_flood_of_frames_leaves_it_small(flood: str, engine: Engine, league: str) -> None:
    images = {bot: image_of(engine, league, bot) for bot in ("harmless", flood)}
    rules = complete_rules("nines", None, list(RULES), 2)[0]

    def spec(*bots: str) -> FixtureSpec:
        seats = tuple(SeatSpec(f"seat{n}", 1, "00" * 32, images[bot]) for n, bot in enumerate(bots))
        return FixtureSpec(f"{flood}/{bots[1]}", 1, "nines", rules, None, seats, (MatchSpec("m", SEED),), Clock(2000, 10))

    async def run() -> tuple[list[list[pb.FixtureUpdate]], list[float], set[int]]:
        pool = HostPool(HostConfig(league), 1)
        sizes, pids = [0.0], set()

        async def follow(updates: AsyncIterator[pb.FixtureUpdate]) -> list[pb.FixtureUpdate]:
            return [update async for update in updates]

        async def measure() -> None:
            while True:
                for running in pool.running.values():
                    if running.process is not None:
                        pids.add(running.process.process.pid)
                        sizes.append(resident_mib(running.process.process.pid))
                await asyncio.sleep(0.05)

        measuring = asyncio.ensure_future(measure())
        try:
            return [await follow(pool.run(fixture_codec.encode_spec(spec("harmless", bot)))) for bot in ("harmless", flood, "harmless")], sizes, pids
        finally:
            measuring.cancel()
            await pool.close()

    played, sizes, pids = asyncio.run(run())
    matches = [[fixture_codec.decode_match(update.match) for update in updates if update.HasField("match")] for updates in played]
    assert [match.seats[1].cause for (match,) in matches] == ["completed", "timeout", "completed"]
    assert matches[0][0].canonical_sha256 == matches[2][0].canonical_sha256
    assert len(pids) == 1, "one process played all three"
    print(f"\n{flood}: the match process took {max(sizes):.0f} MiB at most")
    assert max(sizes) < MOST_MIB
