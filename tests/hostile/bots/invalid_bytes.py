"""Prints bytes that are no text, terminal controls and half a character, and plays on."""

import os

from _deed import at_third_decision


def deed():
    os.write(1, bytes(range(256)) * 4 + b"\x1b[2J\x1b]0;owned\x07\xe2\x82")


at_third_decision(deed)
