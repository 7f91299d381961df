"""A thread computes all the time; its own answers come at once."""

import threading

from _deed import spin
from botkit import Bot, run


class Parallel(Bot):
    def match_start(self):
        threading.Thread(target=spin, args=(1000,), daemon=True).start()

    def act(self, view, legal):
        return legal[0]


run(Parallel())
