"""Images of bots on this machine's engine, league by league: whose they are, and whether that league is still there.

An image names its league, a league is a data folder, and an engine knows nothing of folders. So whoever makes images
writes down where its data folder is, among this user's own files. A league that was never written down here may be
another user's, or live in a container: nothing of it is called gone, and nothing is removed unless it is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from referee.errors import UsageError
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.reaper import leagues_of_images, remove_images
from referee.service.machine import CHECKS, LOCAL

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class State(StrEnum):
    """What is known of a league that has images here."""

    THERE = "there"
    GONE = "its data folder is gone"
    UNKNOWN = "unknown to this user"
    SHARED = "of `ninefold play`"


@dataclass(frozen=True, slots=True)
class Holding:
    """The images of one league: ids, newest first, and when the newest was made (seconds since 1970)."""

    league: str
    state: State
    folder: str
    newest: float
    images: tuple[str, ...] = field(repr=False)


def remember(league: str, data_dir: Path) -> None:
    """This user knows from now on in which folder the league lives; without a home for that, nothing is known."""
    with suppress(OSError, RuntimeError):
        path = _records() / league
        if path.is_file() and path.read_text(encoding="utf-8") == str(data_dir):
            return
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        path.write_text(str(data_dir), encoding="utf-8")


def holdings(engine: Engine) -> list[Holding]:
    """Every league that has images on this engine, those with most images first (blocking)."""
    found = []
    for league, images in leagues_of_images(engine).items():
        state, folder = _state(league)
        newest = max(image["Created"] for image in images)
        found.append(Holding(league, state, folder, newest, tuple(image["Id"] for image in images)))
    return sorted(found, key=lambda one: (-len(one.images), one.league))


def remove(
    engine: Engine, leagues: Iterable[str], gone: bool = False, tell: Callable[[str], None] = lambda line: None
) -> dict[str, int]:
    """How many images were removed of these leagues, and with `gone` of each whose data folder is gone (blocking).

    `UsageError` for a league that is there, before anything is removed. What a container uses stays, and so do images
    that another league has a name for.
    """
    have = {one.league: one for one in holdings(engine)}
    for league in leagues:
        if league not in have:
            raise UsageError(f"no league {league!r} has images here; `ninefold images` lists those that have")
        if have[league].state in (State.THERE, State.SHARED):
            where = have[league].folder or "every data folder here"
            raise UsageError(f"league {league!r} is that of {where}; it removes its old images itself")
    chosen = {*leagues, *(one.league for one in have.values() if gone and one.state is State.GONE)}
    removed = {}
    for league in sorted(chosen):
        tell(f"images of {league}")
        busy = engine.blocking(engine.api.containers, all=True, filters={"label": f"{LABEL}={league}"})
        removed[league] = 0 if busy else len(remove_images(engine, league))
        if removed[league] == len(have[league].images) and have[league].state is State.GONE:
            with suppress(OSError, RuntimeError):
                (_records() / league.removesuffix(CHECKS)).unlink()
    return removed


def _state(league: str) -> tuple[State, str]:
    """Whether the league is there, and its data folder as far as it is known."""
    if league == LOCAL:
        return State.SHARED, ""
    own = league.removesuffix(CHECKS)
    try:
        folder = (_records() / own).read_text(encoding="utf-8") if _ID.fullmatch(own) else ""
    except (OSError, ValueError, RuntimeError):
        folder = ""
    if not folder:
        return State.UNKNOWN, ""
    try:
        there = (Path(folder) / "installation").read_text(encoding="ascii").strip() == own
    except (FileNotFoundError, NotADirectoryError):
        there = False
    except (OSError, ValueError):  # it may well be, behind a door that is closed to us
        there = True
    return (State.THERE if there else State.GONE), folder


def _records() -> Path:
    """A file for each league that this user has had here: its name is the league's id, and in it stands the folder."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "ninefold" / "leagues"
