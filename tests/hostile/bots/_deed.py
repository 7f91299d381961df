"""What most hostile bots share: play as the harmless bot does, and do one deed when asked for the third time.

A deed that returns lets the game go on; what it returns is played. What a bot reports is one line `found: [...]` with
everything that it could do or see and should not have, or `reached: n` of something that is limited.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from collections.abc import Callable
from typing import Any

from botkit import Bot, run

AT = 3
libc = ctypes.CDLL(None, use_errno=True)


class Doer(Bot):
    deed: Callable[[], Any]
    asked = 0

    def act(self, view, legal):
        self.asked += 1
        answer = self.deed() if self.asked == AT else None
        return legal[0] if answer is None else answer


def at_third_decision(deed: Callable[[], Any]) -> None:
    bot = Doer()
    bot.deed = deed
    run(bot)


def found(things) -> None:
    print("found:", sorted(str(thing) for thing in things), flush=True)


def reached(number: int) -> None:
    print("reached:", number, flush=True)


def works(attempt: Callable[[], Any]) -> bool:
    """Whether it could be done; says what it met with if not."""
    try:
        attempt()
    except Exception as error:
        print("refused:", type(error).__name__, error)
        return False
    return True


def call(number: int, *arguments: Any) -> None:
    """One system call by number (x86-64); OSError if it is refused."""
    if libc.syscall(number, *arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, errno.errorcode.get(code, "?"))


def in_child(attempt: Callable[[], Any]) -> bool:
    """The same as `works`, in a process of its own: what works may well change the process that does it."""
    child = os.fork()
    if child == 0:
        os._exit(0 if works(attempt) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def spin(seconds: float) -> None:
    """So much processor time of this process has been used."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def beside_its_play(deed: Callable[[], Any]) -> None:
    """Plays as the harmless bot does, while a detached child does the deed again and again from the start of the match."""

    class Beside(Bot):
        def match_start(self):
            if os.fork() == 0:
                os.setsid()
                while True:
                    deed()

        def act(self, view, legal):
            return legal[0]

    run(Beside())
