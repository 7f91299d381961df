"""Children that compute for a moment and end, one after the other, so that no living process has used much."""

import os

from _deed import at_third_decision, spin


def deed():
    while True:
        if os.fork() == 0:
            spin(0.005)
            os._exit(0)
        os.wait()


at_third_decision(deed)
