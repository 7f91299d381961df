"""Raises an exception of its own."""

from _deed import at_third_decision


def deed():
    raise RuntimeError("the deed is done")


at_third_decision(deed)
