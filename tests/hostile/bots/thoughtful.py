"""Plays as the harmless bot does, and takes its time without using any: others could work meanwhile."""

import time

from botkit import Bot, run


class Thoughtful(Bot):
    def act(self, view, legal):
        time.sleep(0.5)
        return legal[0]


run(Thoughtful())
