"""How every program of a league writes its log: plain lines on stdout, and never a reason to fail."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import structlog


class _Unfailing(structlog.PrintLogger):
    """A line that cannot be written, on a full disk say, is lost; what it was about goes on."""

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError):  # ValueError: the file is closed, or cannot hold such a character
            super().msg(message)

    log = debug = info = warn = warning = msg
    fatal = failure = err = error = critical = exception = msg


def _logger(*_: Any) -> _Unfailing:
    return _Unfailing()


def configure() -> None:
    """From now on this process logs so. A traceback shows lines of code only: variables hold tokens and seeds."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=_logger,
    )
