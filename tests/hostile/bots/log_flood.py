"""Prints lines without end."""

import os

from _deed import at_third_decision


def deed():
    while True:
        os.write(1, b"the same line again and again\n" * 100)


at_third_decision(deed)
