"""Never dials the table."""

import time

time.sleep(1000)
