"""Four children compute without end, while the bot plays on."""

import os

from _deed import beside_its_play, spin


def deed():
    for _ in range(3):
        if os.fork() == 0:
            spin(1000)
    spin(1000)


beside_its_play(deed)
