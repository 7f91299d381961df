"""Fills /tmp, which is memory too, and takes the rest itself."""

from _deed import at_third_decision


def deed():
    with open("/tmp/fill", "wb") as file:
        for _ in range(60):
            file.write(b"x" * (1 << 20))
    kept = []
    for _ in range(60):
        kept.append(b"x" * (4 << 20))


at_third_decision(deed)
