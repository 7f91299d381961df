"""Takes memory without end."""

from _deed import at_third_decision


def deed():
    kept = []
    while True:
        kept.append(b"x" * (8 << 20))


at_third_decision(deed)
