"""Prints the realised error of `--until-separated` and the games it saves: `python tests/bench/stopping.py [leagues]`.

Each league is watched after every block of every pair; an error is any statement, at any time, that is not true.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.tournament.stopping import log_evidence, threshold

MATCHES = 5  # in each of the two seatings of a block


@dataclass(frozen=True)
class Outcome:
    wrong: int
    leagues: int
    saved: float
    decided: float

    def __str__(self) -> str:
        return (
            f"{self.wrong} of {self.leagues} leagues with a false statement ({100 * self.wrong / self.leagues:.2f}%, at "
            f"most 5%); {100 * self.saved:.0f}% of games saved against playing all to the cap; "
            f"{100 * self.decided:.0f}% of pairs decided"
        )


def simulate(leagues: int, bots: int, spread: float, cap: int, seed: int) -> Outcome:
    """Leagues of `bots` with strengths of the given spread (Elo); 0 makes all level, where every statement is false.

    Deals favour a seat at random, by block: the deal's luck is shared by both seatings.
    """
    rng = np.random.default_rng(seed)
    left, right = np.triu_indices(bots, 1)
    limit = threshold(len(left))
    wrong, blocks, decided = 0, 0, 0
    for _ in range(leagues):
        strength = rng.normal(0, spread, bots) if spread else np.zeros(bots)
        gap = (strength[left] - strength[right]) / 173.7
        luck = rng.normal(0, 1.0, (len(left), cap, MATCHES))
        wins = np.zeros((len(left), cap))
        for side in (1, -1):
            chance = 1 / (1 + np.exp(-(gap[:, None, None] + side * luck)))
            wins += (rng.random(chance.shape) < chance).sum(axis=2)
        difference: NDArray[np.float64] = wins / MATCHES - 1
        first = {}
        for sign in (1, -1):
            reached = log_evidence(sign * difference) >= limit
            first[sign] = np.where(reached.any(axis=1), reached.argmax(axis=1), cap)
        better = np.where(first[1] < first[-1], 1, np.where(first[-1] < first[1], -1, 0))
        wrong += bool(np.any((better != 0) & (better != np.sign(gap))))
        blocks += int(np.minimum(np.minimum(first[1], first[-1]) + 1, cap).sum())
        decided += int((better != 0).sum())
    total = leagues * len(left)
    return Outcome(wrong, leagues, 1 - blocks / (total * cap), decided / total)


CASES = (  # what, bots, spread of strength in Elo, cap of blocks a pair
    ("two level bots", 2, 0.0, 200),
    ("six level bots", 6, 0.0, 100),
    ("ten bots, close (50 Elo)", 10, 50.0, 60),
    ("ten bots, usual (150 Elo)", 10, 150.0, 60),
    ("ten bots, usual (150 Elo)", 10, 150.0, 100),
    ("ten bots, wide (300 Elo)", 10, 300.0, 60),
)


def main() -> None:
    leagues = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    for i, (what, bots, spread, cap) in enumerate(CASES):
        print(f"{what}, cap {cap}: {simulate(leagues, bots, spread, cap, i)}", flush=True)


if __name__ == "__main__":
    main()
