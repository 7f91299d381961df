"""Everything the dashboard knows: reads through `referee.store.queries`, kept for two seconds for all viewers.

Only public facts pass through here: the queries used hold no logs, tokens, values sent, or seeds before their reveal.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st
from sqlalchemy.engine import make_url

from referee import settings as league_settings
from referee.errors import NinefoldError, NotFound, Removed, SchemaMismatch, StoreBusy, StoreFault
from referee.match import steps
from referee.store.engine import Store, database_url
from referee.store.queries import balance as _balance
from referee.store.queries import bots as _bots
from referee.store.queries import clocks as _clocks
from referee.store.queries import crosstable as _crosstable
from referee.store.queries import laid_out as _laid_out
from referee.store.queries import matches as _matches
from referee.store.queries import replays as _replays
from referee.store.queries import standings as _standings
from referee.store.queries import status as _status
from referee.store.queries import tournaments as _tournaments
from referee.store.queries.matches import MatchFilter
from referee.store.schema import current, head

P = ParamSpec("P")
T = TypeVar("T")
Row = dict[str, Any]

STARTED = datetime.now(UTC)
FRESH_SECONDS = 2
COUNTED_SECONDS = 30
"""For what goes through whole tournaments."""
NUL = r"\x00"
KEPT_MATCHES = 32
"""Matches kept as steps, about a quarter of a megabyte each."""


class Missing(NinefoldError):
    """What was asked for does not exist; the sentence says what to do."""


class NoLeague(NinefoldError):
    """The data folder holds no league yet."""


class Unreadable(NinefoldError):
    """The league's database cannot be read now."""


class _Opened:
    """The one store of this process, opened when first needed, and anew where another file lies in its place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._known: tuple[str, int, int] | None = None

    def __call__(self) -> Store:
        settings = league_settings.load()
        url = database_url(settings)
        file = make_url(url).database if url.startswith("sqlite") else None
        with self._lock:
            try:
                place = os.stat(file) if file else None
            except OSError:
                raise NoLeague("There is no league here yet.") from None
            known = (url, place.st_dev, place.st_ino) if place else (url, 0, 0)
            if self._store is not None and self._known == known:
                return self._store
            store = Store(url)
            found = current(store)
            if found != head():
                store.close()
                if not found:
                    raise NoLeague("There is no league here yet.")
                raise SchemaMismatch("the league's database", found, head(), newer=False)
            if self._store is not None:
                match_steps.clear()
            self._store, self._known = store, known
            return store


store = _Opened()


def told(work: Callable[P, T]) -> Callable[P, T]:
    """Errors of the store as sentences for visitors: no path, no address of a server."""

    @wraps(work)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        if NUL in repr((args, kwargs)):  # no name has one, and PostgreSQL takes none
            raise Missing("there is nothing of that name")
        try:
            return work(*args, **kwargs)
        except NotFound as error:
            raise Missing(
                str(error) if isinstance(error, Removed) else error.what
            ) from None  # visitors have no commands
        except StoreBusy:
            raise Unreadable(
                "The league's database does not answer right now; this page tries again by itself."
            ) from None
        except SchemaMismatch:
            raise Unreadable(
                "The league's database was written by another release of Ninefold; its organiser runs "
                "`ninefold store upgrade` (all data is kept)."
            ) from None
        except StoreFault:
            raise Unreadable(
                "The league's database cannot be read; its organiser finds the cause in its log."
            ) from None

    return asked


def kept_for(seconds: float) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Read once for all viewers, again after so many seconds. All get the same object, which nobody may change.

    `st.cache_data` would give each viewer a copy of its own: at a thousand bots that was a third of a page's time.
    """

    def decorate(work: Callable[P, T]) -> Callable[P, T]:
        return told(st.cache_resource(ttl=seconds, max_entries=500, show_spinner=False)(work))

    return decorate


kept = kept_for(FRESH_SECONDS)


@kept
def tournaments() -> list[Row]:
    return _tournaments.tournaments(store())


@kept
def tournament(name: str) -> Row:
    return _tournaments.tournament(store(), name)


@kept
def fixtures(name: str, states: tuple[str, ...], after: int = 0, limit: int = 200) -> list[Row]:
    return _tournaments.fixtures(store(), name, states=states, after=after, limit=limit)


@kept
def running(limit: int = 50) -> list[Row]:
    """Fixtures that are being played now, of all tournaments."""
    return _tournaments.fixtures(store(), states=("running",), limit=limit)


@told
def fixture(fixture_id: str) -> Row:
    return _tournaments.fixture(store(), fixture_id)


@kept
def standings(name: str) -> list[Row]:
    return _standings.standings(store(), name)


@kept
def ratings(name: str) -> Row | None:
    return _standings.ratings(store(), name)


@kept
def rating_history(bot: str) -> list[Row]:
    return _standings.rating_history(store(), bot)


@kept
def record(bot: str, name: str) -> dict[str, list[Row]]:
    return _standings.record(store(), bot, tournament=name)


@kept
def crosstable(name: str, limit: int) -> Row:
    return _crosstable.crosstable(store(), name, limit=limit)


@kept
def laid_out(name: str, block: int) -> Row:
    return _laid_out.laid_out(store(), name, block=block)


@kept_for(COUNTED_SECONDS)
def balance(name: str) -> Row:
    return _balance.balance(store(), name)


@kept_for(COUNTED_SECONDS)
def stopping(name: str) -> Row | None:
    return _balance.stopping(store(), name)


@kept
def seed_chain(name: str) -> Row:
    return _replays.seed_chain(store(), name)


@kept
def matches(wanted: MatchFilter, before: int = 0, limit: int = 200) -> list[Row]:
    return _matches.matches(store(), wanted, before=before, limit=limit)


@kept
def match(match_id: str) -> Row:
    return _matches.match(store(), match_id)


@kept
def clocks(names: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    return _clocks.clocks(store(), names)


@kept
def fault_counts(bot: str) -> list[Row]:
    return _matches.fault_counts(store(), bot)


@kept
def bots() -> list[Row]:
    return _bots.bots(store())


@kept
def bot(name: str) -> Row:
    return _bots.bot(store(), name)


@kept
def problems() -> list[str]:
    """What is stuck, as `ninefold status` says it, without names of processes."""
    return list(_status.status(store(), serving_since=STARTED)["problems"])


@told
def replay(match_id: str) -> Row:
    """The replay document; its seed is None until its block is complete."""
    return _replays.replay(store(), match_id)


class _Steps:
    """Matches as steps, the latest asked for kept in memory. What is kept never holds a seed: steps have none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Row] = OrderedDict()

    def __call__(self, match_id: str) -> Row:
        with self._lock:
            if match_id in self._kept:
                self._kept.move_to_end(match_id)
                return self._kept[match_id]
        made = steps.steps(replay(match_id))
        with self._lock:
            self._kept[match_id] = made
            while len(self._kept) > KEPT_MATCHES:
                self._kept.popitem(last=False)
        return made

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


match_steps = _Steps()
