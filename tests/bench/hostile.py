"""`python -m tests.bench.hostile`: what a flooding bot costs its opponent, and the referee.

The same match is played beside a harmless bot and beside each flooding one, in turns. Printed is the ratio of the
opponent's processor time, the median of the pairs, to reach at most 1.15; and the processor time of the match process.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from dataclasses import dataclass

from referee.match.fixture import Clock
from referee.sandbox.engine import Engine
from referee.sandbox.reaper import reap, reap_images
from referee.sandbox.rundir import RunDir
from tests.hostile import arena
from tests.hostile.verdicts import FLOODS

AIM = 1.15
PATIENT = Clock(600_000, 0)
LEAGUE = "benchhostile"


@dataclass(frozen=True, slots=True)
class Run:
    """One match: processor time of the opponent and of the match process, in milliseconds."""

    opponent_ms: float
    referee_ms: float
    wall_ms: float
    record: str
    cause: str


async def once(sandbox: arena.Arena, run_dir: RunDir, bot: str, rounds: int) -> Run:
    """The `working` bot has played a match beside `bot`."""
    began, wall = time.process_time(), time.monotonic()
    outcome = await arena.play(sandbox, run_dir, ["working", bot], clock=PATIENT, rules=("match_end=rounds", f"rounds={rounds}"))
    (match,) = outcome.result.matches
    assert match.seats[0].cpu_ms is not None
    spent, took = (time.process_time() - began) * 1000, (time.monotonic() - wall) * 1000
    return Run(match.seats[0].cpu_ms, spent, took, match.canonical_sha256, match.seats[1].cause)


async def ratios(sandbox: arena.Arena, run_dir: RunDir, bot: str, runs: int, rounds: int = 4) -> tuple[float, list[Run], list[Run]]:
    """Median ratio of the opponent's processor time beside `bot` to that beside a harmless one, and all runs."""
    beside, usual = [], []
    for number in range(runs):
        for flooding in (True, False) if number % 2 else (False, True):
            (beside if flooding else usual).append(await once(sandbox, run_dir, bot if flooding else "harmless", rounds))
    median = statistics.median(b.opponent_ms / u.opponent_ms for b, u in zip(beside, usual, strict=True))
    return median, beside, usual


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hostile", description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="pairs of matches a flood (default 7)")
    parser.add_argument("--floods", nargs="*", default=FLOODS, help=f"which of {', '.join(FLOODS)}")
    chosen = parser.parse_args()
    engine, run_dir = Engine(), RunDir(LEAGUE)
    reap(engine, LEAGUE)  # of a run that was killed
    try:
        sandbox = arena.Arena(engine, LEAGUE, arena.build(engine, LEAGUE))
        print(f"{'flood of':14} {'opponent, ms':>13} {'beside, ms':>11} {'ratio':>6}  {'referee, ms':>11} {'beside, ms':>11}")
        for flood in chosen.floods:
            ratio, beside, usual = await ratios(sandbox, run_dir, f"floods_{flood}", chosen.runs)
            assert {run.record for run in beside} == {run.record for run in usual}, "the opponent's match changed"
            opponent, referee = ([statistics.median(getattr(r, part) for r in runs) for runs in (usual, beside)] for part in ("opponent_ms", "referee_ms"))
            verdict = "" if ratio <= AIM else f"  over {AIM}"
            print(f"{flood:14} {opponent[0]:13.1f} {opponent[1]:11.1f} {ratio:6.3f}  {referee[0]:11.1f} {referee[1]:11.1f}{verdict}", flush=True)
    finally:
        run_dir.remove()
        reap_images(engine, LEAGUE, (), newest=0)
        await engine.close()


if __name__ == "__main__":
    asyncio.run(main())
