"""Writes to its scratch space until it is full, and plays on."""

from _deed import at_third_decision, reached


def deed():
    written = 0
    try:
        with open("/tmp/flood", "wb", buffering=0) as file:
            while written < 4096:
                file.write(bytes(1 << 20))
                written += 1
    except OSError:
        pass
    reached(written)


at_third_decision(deed)
