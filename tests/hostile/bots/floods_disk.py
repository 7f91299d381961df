"""A child writes its scratch space full and empty again without end, while the bot plays on."""

import os

from _deed import beside_its_play


def deed():
    with open("/tmp/flood", "wb", buffering=0) as file:
        for _ in range(50):
            file.write(bytes(1 << 20))
    os.unlink("/tmp/flood")


beside_its_play(deed)
