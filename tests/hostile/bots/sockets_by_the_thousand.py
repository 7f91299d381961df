"""Dials again and again without a word, keeps every connection, and plays on."""

import os
import socket

from _deed import reached
from _wire import at_third_decision

kept = []


def deed(table, turn):
    try:
        for _ in range(5000):
            dialled = socket.socket(socket.AF_UNIX)
            dialled.setblocking(False)
            kept.append(dialled)
            try:
                dialled.connect(os.environ["NINEFOLD_SOCKET"])
            except BlockingIOError:
                break  # nobody takes more of them
    except OSError:
        pass
    reached(len(kept))


at_third_decision(deed)
