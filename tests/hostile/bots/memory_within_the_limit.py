"""Takes 150 MiB, which it may, and plays on."""

from _deed import at_third_decision, reached


def deed():
    kept = b"x" * (150 << 20)
    reached(len(kept) >> 20)


at_third_decision(deed)
