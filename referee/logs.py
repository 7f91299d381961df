"""How every program and command of a league logs: plain lines of some length on stderr, and never a reason to fail."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, ExcInfo

from referee.wording import abridged, masked


class _Unfailing(structlog.PrintLogger):
    """A line that cannot be written, on a full disk say, is lost; what it was about goes on."""

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError):  # ValueError: the file is closed, or cannot hold such a character
            super().msg(message)

    log = debug = info = warn = warning = msg
    fatal = failure = err = error = critical = exception = msg


def _logger(*_: Any) -> _Unfailing:
    return _Unfailing(sys.stderr)


def _bounded(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """What others have written fills no log, and no address in it tells its password."""
    return {name: abridged(masked(value)) if isinstance(value, str) else value for name, value in event.items()}


def _traceback(out: TextIO, raised: ExcInfo) -> None:
    """Lines of code only, for variables hold tokens and seeds; and no line, of an error's text, without end."""
    whole = io.StringIO()
    structlog.dev.plain_traceback(whole, raised)
    out.write("\n".join(abridged(masked(line)) for line in whole.getvalue().split("\n")))


def configure() -> None:
    """From now on this process logs so."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _bounded,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=_traceback),
        ],
        logger_factory=_logger,
    )
