"""`python -m tests.bench.clock`: do results depend on how busy the machine is? And how exact is what is charged?

Two bots play matches in which each uses at most half of its bank, while burners keep every processor of the machine
1, 2, 4 and 8 times as busy as it can be. Printed is the share of matches whose canonical record differs from what the
same match gives on a quiet clock (aim: at most 0.1 %), and the most of its bank that any bot was charged; beside the same
with wall clocks; then what a calibrated spinner is charged (aim: within 1 ms or 1 %).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.match.fixture import Clock
from referee.sandbox.engine import Engine
from referee.sandbox.reaper import reap, reap_images
from referee.sandbox.rundir import RunDir
from tests.hostile import arena

LEAGUE = "benchclock"
OPEN = Clock(3_600_000, 0)
"""Nobody runs out of it: what a match gives on it is its result."""
ROUNDS = ("match_end=rounds", "rounds=1")
AIM, AIM_MS, AIM_SHARE = 0.001, 1.0, 0.01
FIXTURE = 20
"""Matches of one sitting."""


@contextlib.contextmanager
def burners(times: float) -> Iterator[None]:
    """So many processes for each processor compute; they end with the block, or with this process."""
    code = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(1000000): pass"
    # Each in a session of its own: the kernel shares processors out among sessions first, then among their processes.
    count = round(times * (os.cpu_count() or 1))
    burning = [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
        for process in burning:
            process.wait()


@dataclass(frozen=True, slots=True)
class Played:
    """Matches by number: the hash of their record, who forfeited, and what each seat used, in milliseconds."""

    records: list[str]
    forfeits: list[int]
    used_ms: list[float]


async def series(sandbox: arena.Arena, run_dir: RunDir, clock: Clock, fixtures: int, matches: int = FIXTURE) -> Played:
    """`fixtures` sittings of the `measured` bot against itself; the same numbers are the same matches."""
    played = Played([], [], [])
    for number in range(fixtures):
        seed = bytes([number]) * 32
        outcome = await arena.play(
            sandbox, run_dir, ["measured", "measured"], clock=clock, rules=ROUNDS, matches=matches, seed=seed, within=3600
        )
        for match in outcome.result.matches:
            played.records.append(match.canonical_sha256)
            played.forfeits.append(sum(seat.cause == "timeout" for seat in match.seats))
            played.used_ms.append(max(seat.cpu_ms or 0.0 for seat in match.seats))
    return played


def half_used(open_clock: Played) -> Clock:
    """The clock of which the dearest of these matches uses half."""
    return Clock(round(2 * max(open_clock.used_ms)), 0)


def changed(played: Played, quiet: Played) -> float:
    """The share of the matches played whose record is another than on a quiet clock."""
    pairs = list(zip(played.records, quiet.records, strict=False))
    return sum(now != then for now, then in pairs) / len(pairs) if pairs else 0.0


async def charged(sandbox: arena.Arena, run_dir: RunDir) -> list[tuple[float, float]]:
    """What a calibrated spinner says it spun, and what it was charged for it beyond the cost of an answer, in ms."""
    outcome = await arena.play(sandbox, run_dir, ["harmless", "calibrated"], clock=OPEN, rules=("match_end=rounds", "rounds=6"))
    (replay,) = outcome.replays
    pairs = []
    for note in replay["notes"]:
        event = replay["rounds"][note["round"]]["events"][note["event"]]
        pairs.append((float(note["text"]), float(event["cpu_ms"])))
    answer = statistics.median(cpu - spun for spun, cpu in pairs)
    return [(spun, cpu - answer) for spun, cpu in pairs]


def off(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that were charged more than 1 ms and more than 1 % too much or too little."""
    return [(spun, cpu) for spun, cpu in pairs if abs(cpu - spun) > max(AIM_MS, AIM_SHARE * spun)]


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.clock", description=__doc__)
    parser.add_argument("--fixtures", type=int, default=5, help=f"sittings of {FIXTURE} matches at each load (default 5)")
    parser.add_argument("--wall-fixtures", type=int, help="of these, how many are played by wall clock too (default: all)")
    parser.add_argument("--loads", type=float, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--json", action="store_true", help="figures alone, as one JSON document")
    chosen = parser.parse_args()
    say = (lambda *_, **__: None) if chosen.json else print
    wall_fixtures = chosen.fixtures if chosen.wall_fixtures is None else min(chosen.wall_fixtures, chosen.fixtures)
    figures: dict[str, Any] = {"loads": [], "spinner": []}
    engine, run_dir = Engine(), RunDir(LEAGUE)
    reap(engine, LEAGUE)  # of a run that was killed
    try:
        image = arena.build(engine, LEAGUE)
        exact, wall = arena.Arena(engine, LEAGUE, image), arena.Arena(engine, LEAGUE, image)
        wall.wall = True
        quiet = await series(exact, run_dir, OPEN, chosen.fixtures)
        clock = half_used(quiet)
        say(f"{len(quiet.records)} matches at each load, at most half of a bank of {clock.bank_ms} ms used in any")
        say(f"{'burners':>8} {'changed':>9} {'forfeits':>9} {'most used':>10}   {'by wall clock':>13} {'forfeits':>9}")
        for load in (0, *chosen.loads):
            with burners(load):
                played = await series(exact, run_dir, clock, chosen.fixtures)
                by_wall = await series(wall, run_dir, clock, wall_fixtures)
            share, wall_share, most = changed(played, quiet), changed(by_wall, quiet), max(played.used_ms) / clock.bank_ms
            losses, wall_losses = sum(played.forfeits), sum(by_wall.forfeits)
            figures["loads"].append(
                {"load": load, "changed": share, "forfeits": losses, "most_used": most, "wall_changed": wall_share, "wall_forfeits": wall_losses}
            )
            over = "" if share <= AIM else f"  over {AIM:.1%}"
            say(f"{load:7g}x {share:9.2%} {losses:9} {most:10.0%}   {wall_share:13.1%} {wall_losses:9}{over}", flush=True)
        for load in (0, max(chosen.loads, default=0)):
            with burners(load):
                pairs = await charged(exact, run_dir)
            errors = sorted(abs(cpu - spun) for spun, cpu in pairs)
            figures["spinner"].append({"load": load, "median_ms": statistics.median(errors), "most_ms": errors[-1], "off": len(off(pairs))})
            say(
                f"spinner at {load:g}x: {len(pairs)} answers, error median {statistics.median(errors):.3f} ms, "
                f"most {errors[-1]:.3f} ms, beyond 1 ms and 1 %: {len(off(pairs))}"
            )
        figures["matches"] = len(quiet.records)
        if chosen.json:
            print(json.dumps(figures))
    finally:
        run_dir.remove()
        reap_images(engine, LEAGUE, (), newest=0)
        await engine.close()


if __name__ == "__main__":
    asyncio.run(main())
