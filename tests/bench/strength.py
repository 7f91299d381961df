"""How much stronger one bot is than another, against the processor time it takes: duplicate blocks, seats rotated.

    python tests/bench/strength.py nines oracle greedy --blocks 200 [--think-ms 20 | --iterations 30] [--jobs 2]

In each block the same deals are played with the bots in each seating; the margin is the others' mean penalty less the
bot's own, a match; the interval is 95%, from the blocks.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, stdev

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "sample_bots")]


def block(
    game: str, bot: str, rival: str, players: int, number: int, settings: dict[str, float]
) -> tuple[float, float, float, int]:
    """Margin and wins a match of one block, the bot's seconds of processor time in it, and its decisions."""
    from tests.botkit.local_seats import SAMPLES, LocalTable, load

    seed = hashlib.sha256(f"strength/{number}".encode()).digest()
    margins, wins, spent, decisions = [], [], 0.0, 0
    for seating in range(players):
        bots = [load(SAMPLES[bot if seat == seating else rival])() for seat in range(players)]
        mine = bots[seating]
        for name, value in settings.items():
            setattr(mine, name, value)
        act = mine.act

        def timed(view, legal, act=act):
            nonlocal spent, decisions
            began = time.process_time()
            chosen = act(view, legal)
            spent += time.process_time() - began
            decisions += 1
            return chosen

        mine.act = timed
        match = LocalTable(game, {}, bots).play(seed)
        others = [total for seat, total in enumerate(match.totals) if seat != seating]
        margins.append(fmean(others) - match.totals[seating])
        wins.append(
            sum(
                (p > match.places[seating]) + 0.5 * (p == match.places[seating])
                for s, p in enumerate(match.places)
                if s != seating
            )
            / (players - 1)
        )
    return fmean(margins), fmean(wins), spent, decisions


def interval(values: list[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95% interval."""
    return fmean(values), 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def measure(game: str, bot: str, rival: str, players: int, blocks: int, jobs: int, settings: dict[str, float]) -> str:
    """One line: margin with its interval, points, and milliseconds a decision."""
    with ProcessPoolExecutor(jobs) as pool:
        done = [pool.submit(block, game, bot, rival, players, number, settings) for number in range(blocks)]
        results = [future.result() for future in done]
    margin, half = interval([result[0] for result in results])
    points, points_half = interval([result[1] for result in results])
    ms = 1000 * sum(result[2] for result in results) / max(1, sum(result[3] for result in results))
    named = ", ".join(f"{name} {value:g}" for name, value in settings.items()) or "as submitted"
    return (
        f"{bot} ({named}) against {rival}, {game}, {players} seats, {blocks} blocks: margin {margin:+.1f} ± {half:.1f} a match, "
        f"points {points:.3f} ± {points_half:.3f}, {ms:.2f} ms a decision"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=("nines", "nine"))
    parser.add_argument("bot")
    parser.add_argument("rival")
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--think-ms", type=float, nargs="*", default=[])
    parser.add_argument("--iterations", type=int, nargs="*", default=[])
    given = parser.parse_args()
    runs = [{"think_ms": ms} for ms in given.think_ms] + [{"iterations": n} for n in given.iterations]
    for settings in runs or [{}]:
        print(
            measure(given.game, given.bot, given.rival, given.players, given.blocks, given.jobs, settings), flush=True
        )


if __name__ == "__main__":
    main()
