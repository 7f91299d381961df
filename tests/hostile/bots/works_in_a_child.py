"""A detached child computes all the time; the bot's own answers come at once."""

import os

from _deed import spin
from botkit import Bot, run


class Delegating(Bot):
    def match_start(self):
        if os.fork() == 0:
            os.setsid()
            spin(1000)

    def act(self, view, legal):
        return legal[0]


run(Delegating())
