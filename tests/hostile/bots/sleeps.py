"""Sleeps when it is asked."""

import time

from _deed import at_third_decision

at_third_decision(lambda: time.sleep(1000))
