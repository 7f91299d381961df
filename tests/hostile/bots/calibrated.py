"""Plays as the harmless bot does after exactly so many milliseconds of processor time, noted with the answer."""

import time

from botkit import Bot, run

SPINS = (0, 2, 5, 10, 20, 50, 100, 200)


class Calibrated(Bot):
    asked = 0

    def act(self, view, legal):
        began = time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID)
        until = began + SPINS[self.asked % len(SPINS)] * 1_000_000
        self.asked += 1
        while time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID) < until:
            pass
        self.note((time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID) - began) / 1e6)
        return legal[0]


run(Calibrated())
