"""A child prints without end, while the bot plays on."""

import os

from _deed import beside_its_play

beside_its_play(lambda: os.write(1, b"z" * 1000 + b"\n"))
