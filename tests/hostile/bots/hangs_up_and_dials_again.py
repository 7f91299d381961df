"""Closes its connection and dials a new one."""

import time

from _wire import Table, at_third_decision


def deed(table, turn):
    table.socket.shutdown(2)
    Table()
    time.sleep(1000)


at_third_decision(deed)
