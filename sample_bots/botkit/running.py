"""`run(bot)`: the one call that makes a script a bot."""

from __future__ import annotations

import os
import sys

from botkit import mistakes
from botkit.bot import Bot

__version__ = "0.1.0"
SOCKET_VARIABLE = "NINEFOLD_SOCKET"
FEWER_THREADS = "-event_engine_client,-event_engine_listener"
"""What gRPC polls its sockets with: a thread that waits for messages reads them itself, instead of handing each one
over from a pool of threads. A quarter off a round trip; gRPC ignores names that it does not know."""
called = False
"""Whether `run` has been called: a bot's file that ends without it never plays."""


def run(bot: Bot | type[Bot]) -> None:
    """The bot has played its whole sitting; returns at the referee's Goodbye.

    Dials the socket named by `NINEFOLD_SOCKET`. An error in the bot is printed with its author's file and line, and the
    process exits with 1 at once.
    """
    global called
    called = True
    _steady_log()
    _tell_where_when_asked()
    session = None
    try:
        if isinstance(bot, type) and issubclass(bot, Bot):
            bot = bot()
        mistakes.check_bot(bot)
        address = socket_address()
        import asyncio
        import gc

        fewer_threads()
        from botkit.session import Session, TableLost

        session = Session(bot)
        gc.freeze()  # what is loaded now stays: no collection need look at it again
        try:
            asyncio.run(session.play(address, f"botkit/{__version__} python"))
        except TableLost as lost:
            mistakes.say(f"the table is gone: {lost}")
            mistakes.leave(1)
    except KeyboardInterrupt:
        mistakes.leave(130)
    except SystemExit as leaving:
        mistakes.left(leaving, session.moment() if session is not None else "")
        mistakes.leave(leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None))
    except BaseException as error:
        mistakes.explain(error, session.moment() if session is not None else "")
        mistakes.leave(1)


def socket_address() -> str:
    """What to dial, as gRPC writes it; `BotMistake` if this process was not started by a referee."""
    address = os.environ.get(SOCKET_VARIABLE, "")
    if not address:
        raise mistakes.BotMistake(f"{SOCKET_VARIABLE} is not set: no table to sit at; try `ninefold play . random`")
    return f"unix:{address}" if address.startswith("/") else address


def fewer_threads() -> None:
    """gRPC, where it has not been used yet, will run as `FEWER_THREADS` says, unless the author says otherwise."""
    os.environ.setdefault("GRPC_EXPERIMENTS", FEWER_THREADS)


def _tell_where_when_asked() -> None:
    """On SIGUSR1 the stack stands in the log: the referee sends it to a bot whose time is up before it kills it.

    A bot that uses the signal itself keeps it.
    """
    import faulthandler
    import signal

    try:
        if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
            faulthandler.register(signal.SIGUSR1, all_threads=False)
    except (AttributeError, ValueError, OSError, RuntimeError):  # no such signal here, or stderr is no file
        return


def _steady_log() -> None:
    """What is printed reaches the log line by line, and no character can stop the bot."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(line_buffering=True, errors="backslashreplace")
