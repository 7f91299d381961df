"""A child dials the table and hangs up without end, while the bot plays on."""

import os
import socket

from _deed import beside_its_play


def deed():
    with socket.socket(socket.AF_UNIX) as dialled:
        dialled.setblocking(False)
        try:
            dialled.connect(os.environ["NINEFOLD_SOCKET"])
        except OSError:
            pass


beside_its_play(deed)
