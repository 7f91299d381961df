"""Plays as the harmless bot does after a measured amount of work a decision, and notes what it has used by its own clock."""

import random
import time

from botkit import Bot, run


class Measured(Bot):
    def match_start(self):
        self.work = random.Random(self.match * 7 + self.seat)

    def act(self, view, legal):
        began = time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
        until = began + self.work.randint(250, 2_500) * 1_000
        while (now := time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)) < until:
            pass
        self.note((now - began) / 1e6)
        return legal[0]


run(Measured())
