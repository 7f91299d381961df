"""A child makes and removes files without end, while the bot plays on."""

import os

from _deed import beside_its_play


def deed():
    for number in range(1000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT))
    for number in range(1000):
        os.unlink(f"/tmp/{number}")


beside_its_play(deed)
