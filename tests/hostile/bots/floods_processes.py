"""A child starts processes without end, while the bot plays on."""

import os
from contextlib import suppress

from _deed import beside_its_play


def deed():
    with suppress(OSError):
        if os.fork() == 0:
            os._exit(0)
        os.waitpid(-1, os.WNOHANG)


beside_its_play(deed)
