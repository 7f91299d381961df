"""`ninefold play --watch`: one of the matches just played, in the browser or in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

if TYPE_CHECKING:
    from referee.match.fixture import MatchResult

PAGE, TERMINAL = "page", "terminal"
_OPTION = "--watch"
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


class WatchCommand(TyperCommand):
    """Takes `--watch` alone for `--watch page`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for at, word in enumerate(args):
            if word == _OPTION and args[at + 1 : at + 2] not in ([PAGE], [TERMINAL]):
                args[at] = f"{_OPTION}={PAGE}"
        return super().parse_args(ctx, args)


def one_to_watch(results: Sequence[MatchResult]) -> int:
    """Index of the match worth watching: the first that somebody forfeited, else the first."""
    lost = (n for n, result in enumerate(results) if any(seat.cause != "completed" for seat in result.seats))
    return next(lost, 0)


def watch(results: Sequence[MatchResult], how: str, replays: Path | None) -> str:
    """One match was shown; what to say about it."""
    import tempfile

    from referee.match.sitting import decompress
    from referee.match.steps import steps

    number = one_to_watch(results)
    told = steps(decompress(results[number].replay))
    if how == TERMINAL:
        from referee.cli.replay import print_steps

        print_steps(told)
        return ""
    from dashboard.assets import offline_page

    folder = replays if replays is not None else Path(tempfile.mkdtemp(prefix="ninefold-"))
    page = (folder / f"{number + 1:04d}.html").resolve()
    page.write_text(offline_page(told), encoding="utf-8")
    if _opened(page):
        return f"match {number + 1} opens in the browser: {page}"
    return f"match {number + 1} as a page; open it in a browser: {page}"


def _opened(page: Path) -> bool:
    """Whether there is a screen with a browser on it, which has been asked; one inside the terminal would take it."""
    import webbrowser

    if sys.platform == "linux" and not any(os.environ.get(name) for name in _SCREENS):
        return False
    try:
        return webbrowser.open(page.as_uri())
    except (webbrowser.Error, OSError):
        return False
