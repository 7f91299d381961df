"""Opens files, pipes and watches until no more can be had, and plays on."""

import os

from _deed import at_third_decision, reached


def deed():
    opened = []
    try:
        while len(opened) < 100_000:
            opened += os.pipe()
    except OSError:
        pass
    reached(len(opened))
    for descriptor in opened:
        os.close(descriptor)


at_third_decision(deed)
