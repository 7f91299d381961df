"""Exits with 137, which looks as if somebody had killed it."""

import os

from _deed import at_third_decision

at_third_decision(lambda: os._exit(137))
