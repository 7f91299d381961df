"""Looks through /sys, and plays on."""

import os

from _deed import at_third_decision, found


def deed():
    found(os.path.join(top, name) for top, folders, names in os.walk("/sys") for name in folders + names)


at_third_decision(deed)
