"""Leaves files, shared memory and a lock for the next match, forfeits this one, and looks for them in the next."""

import os

from _deed import found
from botkit import Bot, run

PLACES = ("/tmp/left", "/dev/shm/left", "/var/tmp/left", "/run/ninefold/left", "/bot/left", "/dev/mqueue/left")


class Leaving(Bot):
    def match_start(self):
        found(place for place in PLACES if os.path.exists(place))

    def act(self, view, legal):
        if self.match == 1:
            for place in PLACES:
                try:
                    open(place, "w").close()
                except OSError as error:
                    print("refused:", error)
            os._exit(0)
        return legal[0]


run(Leaving())
