"""Prints how often 95% intervals hold the truth, and what a fit costs: `python tests/bench/ratings.py [leagues]`."""

from __future__ import annotations

import sys
import time

import numpy as np

from referee.tournament.ratings import rate
from referee.tournament.results import PairColumns

MATCHES = 5  # in each seating of a block


def league(bots: int, blocks: int, spread: float, rng: np.random.Generator) -> tuple[np.ndarray, PairColumns]:
    """True ratings around 1500, and the results of a round robin in which luck is shared by a block's seatings."""
    strength = rng.normal(0, spread, bots)
    strength -= strength.mean()
    left, right = (np.repeat(x, blocks) for x in np.triu_indices(bots, 1))
    fair = 1 / (1 + 10 ** ((strength[right] - strength[left]) / 400))
    # a block's deals move the chance up or down, without moving its mean: so its matches go together
    swing = np.minimum(fair, 1 - fair)[:, None] * rng.uniform(-0.5, 0.5, (len(left), 1))
    wins = (rng.random((len(left), 2 * MATCHES)) < fair[:, None] + swing).sum(axis=1)
    halves = 2 * wins
    results = PairColumns.from_arrays(np.arange(len(left)), left, right, halves, 4 * MATCHES - halves)
    return 1500 + strength, results


def coverage(leagues: int, bots: int, blocks: int, spread: float, seed: int) -> float:
    """The share of intervals that hold the true rating."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(leagues):
        truth, results = league(bots, blocks, spread, rng)
        rows = rate(results).rows
        held += sum((rows[i].low or 0.0) <= truth[i] <= (rows[i].high or 0.0) for i in range(bots))
    return held / (leagues * bots)


CASES = ((4, 30, 100.0), (8, 30, 150.0), (6, 60, 200.0))  # bots, blocks a pair, spread in Elo


def main() -> None:
    leagues = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for i, (bots, blocks, spread) in enumerate(CASES):
        share = coverage(leagues, bots, blocks, spread, i)
        what = f"{bots} bots, {blocks} blocks a pair, {leagues} leagues"
        print(f"{what}: {100 * share:.2f}% of intervals hold the truth", flush=True)
    for bots, blocks in ((64, 4), (200, 4), (1000, 4)):
        _, results = league(bots, blocks, 150.0, np.random.default_rng(0))
        start = time.process_time()
        rate(results)
        print(f"{bots} bots, {len(results):,} blocks: {time.process_time() - start:.1f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
