"""Reads from address 0."""

import ctypes

from _deed import at_third_decision

at_third_decision(lambda: ctypes.string_at(0))
