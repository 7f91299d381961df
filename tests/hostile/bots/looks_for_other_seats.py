"""Looks for the sockets of other seats and takes its own away from under the table, and plays on."""

import os
import socket

from _deed import at_third_decision, found, works


def deed():
    own = os.environ["NINEFOLD_SOCKET"]
    folder = os.path.dirname(own)
    seen = [name for name in os.listdir(folder) if name != "seat.sock"]
    seen += [name for name in os.listdir(folder + "/..") if name not in ("ninefold", "lock", "shm")]
    attempts = {
        "unlink": lambda: os.unlink(own),
        "rename": lambda: os.rename(own, folder + "/other.sock"),
        "bind": lambda: socket.socket(socket.AF_UNIX).bind(folder + "/new.sock"),
        "chmod": lambda: os.chmod(own, 0),
        "chmod folder": lambda: os.chmod(folder, 0),
        "link": lambda: os.link(own, "/tmp/seat.sock"),
        "truncate": lambda: os.truncate(own, 0),
        "neighbour": lambda: socket.socket(socket.AF_UNIX).connect(folder + "/../../ninefold/../1/seat.sock"),
    }
    found(seen + [name for name, attempt in attempts.items() if works(attempt)])


at_third_decision(deed)
