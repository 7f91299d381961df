"""Dials, opens its stream and exits with 0 without a Hello."""

import sys

from _wire import Table

Table(hello=False)
sys.exit(0)
