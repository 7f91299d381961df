"""Prints a megabyte without a single newline, and plays on."""

import os

from _deed import at_third_decision


def deed():
    for _ in range(16):
        os.write(2, b"x" * 65536)


at_third_decision(deed)
