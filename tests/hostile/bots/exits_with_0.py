"""Exits with 0 in the middle of the game."""

import os

from _deed import at_third_decision

at_third_decision(lambda: os._exit(0))
