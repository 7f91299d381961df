"""Dials and hangs up five thousand times, and plays on."""

import os
import socket

from _wire import at_third_decision


def deed(table, turn):
    for _ in range(5000):
        with socket.socket(socket.AF_UNIX) as dialled:
            dialled.settimeout(0.2)
            try:
                dialled.connect(os.environ["NINEFOLD_SOCKET"])
            except (BlockingIOError, TimeoutError):
                return


at_third_decision(deed)
