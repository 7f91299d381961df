"""Opens no window for the referee to write into, so that it is never told anything."""

import time

from _wire import Table

table = Table(window=0)
time.sleep(1000)
