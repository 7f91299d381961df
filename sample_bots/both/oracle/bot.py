"""Guesses the hidden cards many times, plays each guess out with every candidate, and takes what came out best.

It spends at most 20 ms of processor time on a decision, less when its clock runs low. With ORACLE_ITERATIONS=n it looks
at n guesses instead, whatever time that takes: then the same match gives the same decisions.
"""

import os
import time
from math import sqrt

import nine_table
import nines_table
from botkit import Bot, run

THINK_MS = 20.0
FEWEST = 8  # guesses before a candidate may be dropped


class Oracle(Bot):
    iterations = int(os.environ.get("ORACLE_ITERATIONS", "0"))
    think_ms = THINK_MS
    doubt = 1.0

    def match_start(self):
        module = nine_table if self.game == "nine" else nines_table
        self.table = module.Table(self.seat, self.rules, self.rng)

    def round_start(self, start):
        self.table.round_start(start)

    def observe(self, event):
        self.table.observe(event)

    def act(self, view, legal):
        candidates = self.table.candidates(view, legal)
        left = self.time_left()
        if len(candidates) == 1 or (left < 30 and not self.iterations):
            return candidates[0]
        budget = min(self.think_ms, left / 50) / 1000
        until = time.process_time() + budget
        ahead = {index: Ahead() for index in range(1, len(candidates))}
        guesses = 0
        while guesses < self.iterations or (not self.iterations and time.process_time() < until):
            world = self.table.world(view, self.known)
            usual = self.table.play_out(world.clone(), candidates[0])
            for index, lead in ahead.items():
                lead.add(self.table.play_out(world.clone(), candidates[index]) - usual)
            guesses += 1
            if guesses % FEWEST == 0:
                ahead = {index: lead for index, lead in ahead.items() if lead.mean + 2 * lead.error > 0}
        sure = {index: lead.mean - self.doubt * lead.error for index, lead in ahead.items()}
        best = max(sure, key=sure.get, default=0)
        return candidates[best if sure.get(best, 0) > 0 else 0]


class Ahead:
    """By how much a candidate comes out ahead of the usual choice, guess by guess."""

    def __init__(self):
        self.count, self.total, self.squares = 0, 0.0, 0.0

    def add(self, lead):
        self.count += 1
        self.total += lead
        self.squares += lead * lead

    @property
    def mean(self):
        return self.total / self.count

    @property
    def error(self):
        """The standard error of the mean."""
        return sqrt(max(1.0, self.squares / self.count - self.mean**2) / self.count)


if __name__ == "__main__":
    run(Oracle())
