"""What a running fixture takes beyond its bots' containers: its match process, beside one that was started as a program.

    python -m tests.bench.memory [--fixtures N] [--sandbox docker|process] [--json]

PSS (`/proc/PID/smaps_rollup`): memory shared with the nursery counts once, shared out among those who share it. A
fixture's share is what all match processes and the nursery take with N fixtures in play, less what the nursery alone
takes, by N.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.match.fixture import Clock, FixtureSpec
from referee.service import fixture_codec, local
from referee.service.host import HostConfig
from referee.service.hosts import HostPool

BOT = """
import time
from botkit import Bot, run

class Slow(Bot):
    def act(self, view, legal):
        if len(self.events) > 20:
            time.sleep(0.05)
        return self.rng.choice(legal)

run(Slow())
"""
PROGRAM = """
import os, sys
import referee.sandbox.container, referee.service.host, docker.api.client
from referee.games import registry
for name in registry.names():
    registry.get(name)
print(flush=True)
sys.stdin.read()
"""
TO_REACH_MB = 5.0


def pss_mb(pid: int) -> float:
    """The proportional set size of a process, in MB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"no Pss of process {pid}")


def program_mb() -> float:
    """What a match process takes that is started as a program of its own, before it plays."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        size = pss_mb(process.pid)
        process.stdin.close()
    return size


@asynccontextmanager
async def playing(pool: HostPool, specs: list[FixtureSpec]) -> AsyncIterator[list[int]]:
    """The pids of the match processes while all fixtures are in play."""

    async def follow(spec: FixtureSpec) -> None:
        async for update in pool.run(fixture_codec.encode_spec(spec)):
            if update.HasField("void"):
                raise RuntimeError(f"{spec.fixture_id}: {update.void}")

    tasks = [asyncio.ensure_future(follow(spec)) for spec in specs]
    try:
        while not all(running.progress.round >= 2 for running in pool.running.values()) or len(pool.running) < len(
            specs
        ):
            for task in tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)
        yield [running.process.process.pid for running in pool.running.values() if running.process is not None]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def specs(bots: list[local.LocalBot], images: list[str], fixtures: int) -> list[FixtureSpec]:
    rules, profile = local.complete_rules("nines", None, [], 2)
    one = local.local_fixture("nines", rules, profile, bots, images, bytes(32), 3, Clock())
    return [replace(one, fixture_id=f"memory/{number}") for number in range(fixtures)]


async def measured(
    config: HostConfig, bots: list[local.LocalBot], images: list[str], fixtures: int
) -> dict[str, float]:
    pool = HostPool(config, fixtures)
    try:
        async with playing(pool, specs(bots, images, 1)) as pids:
            one = pss_mb(pids[0])
        nursery = pool.nursery.process
        assert nursery is not None
        async with playing(pool, specs(bots, images, fixtures)) as pids:
            several = sum(map(pss_mb, pids)) + pss_mb(nursery.pid)
        for process in pool._idle:
            await process.close()
        pool._idle.clear()
        alone = pss_mb(nursery.pid)
    finally:
        await pool.close()
    return {"nursery_mb": alone, "one_match_process_mb": one, "per_fixture_mb": (several - alone) / fixtures}


def measure(fixtures: int = 4, sandbox: str = "process") -> dict[str, Any]:
    """The figures; with `docker` the bots lie in containers, whose own memory is not counted."""
    with tempfile.TemporaryDirectory(prefix="nf-bench-") as name:
        folder = Path(name) / "slow"
        folder.mkdir()
        (folder / "bot.py").write_text(BOT)
        (folder / "bot.toml").write_text('name = "slow"\ngames = ["nines"]\nruntime = "python"\nentry = "bot.py"\n')
        bots = [local.find_bot(str(folder), "nines")] * 2
        images = [str(folder)] * 2
        if sandbox == "docker":
            from referee.sandbox.build import BotSource, build_bot
            from referee.sandbox.cage import Room
            from referee.sandbox.engine import Engine
            from referee.sandbox.image import ensure_base
            from referee.sandbox.limits import Limits

            engine = Engine()
            room = Room.new(engine, ensure_base(engine), "benchmem", Limits())
            images = [build_bot(room, BotSource("slow", folder, ("bot.py",), "python", "bot.py")).image] * 2
        figures = asyncio.run(measured(HostConfig("benchmem", sandbox), bots, images, fixtures))
    figures["as_program_mb"] = program_mb()
    report: dict[str, Any] = {name: round(value, 1) for name, value in figures.items()}
    return report | {"fixtures": fixtures, "sandbox": sandbox, "to_reach_mb": TO_REACH_MB}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fixtures", type=int, default=4)
    parser.add_argument("--sandbox", choices=("docker", "process"), default="process")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measure(given.fixtures, given.sandbox)
    if given.json:
        print(json.dumps(report))
        return
    print(
        f"each of {report['fixtures']} fixtures in play {report['per_fixture_mb']:6.1f} MB (to reach {TO_REACH_MB:g})"
    )
    print(f"a match process as a program    {report['as_program_mb']:6.1f} MB")
    print(f"the nursery, once               {report['nursery_mb']:6.1f} MB")


if __name__ == "__main__":
    main()
