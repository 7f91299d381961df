"""Opening the store and running transactions on it: SQLite in WAL or PostgreSQL, the same code.

Every write is a function handed to `Store.write`, run in one transaction and run again when the database could not take
it: locked by another program, away for a moment, a deadlock, a lost race for a unique key. Commands are therefore
written so that carrying one out twice changes nothing. No database error reaches a caller: what comes out is one of
ours, in one sentence.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any, TypeVar

import structlog
from sqlalchemy import URL, Engine, create_engine, event, func, select
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from referee.errors import StoreBusy, StoreFault, UsageError
from referee.settings import Settings
from referee.wording import masked

log = structlog.get_logger(__name__)
T = TypeVar("T")

PATIENCE_SECONDS = 20.0
"""How long a user's command waits for a database that is locked or away."""
BUSY_MS = 4_000
"""How long one attempt waits for SQLite's write lock."""
_RETRIED_SQLSTATES = ("40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300")
"""PostgreSQL: serialization, deadlock, lock timeout, shutting down, crashed, starting up, too many connections."""


def database_url(settings: Settings) -> str:
    """The league's database: `settings.database_url`, or a file in the data folder."""
    return settings.database_url or file_url(settings.data_dir / "ninefold.db")


def file_url(path: Path) -> str:
    """The URL of the SQLite database in that file, whatever characters mean something in a URL."""
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


class Store:
    """One database. Threads may share it; a forked child must not: open a new one there."""

    def __init__(self, url: str, *, clock: Callable[[], datetime] | None = None, busy_ms: int = BUSY_MS) -> None:
        self.url = url
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):  # which quote it
            raise UsageError(f"database_url {masked(url)!r} is no address of a database; correct it") from None
        self.sqlite = parsed.get_backend_name() == "sqlite"
        self.place = (parsed.database or "memory") if self.sqlite else masked(url)
        self._clock = clock
        self.engine = _sqlite_engine(url, busy_ms) if self.sqlite else _postgres_engine(url)

    def now(self, session: Session) -> datetime:
        """The time that all machines agree on: the database server's, or this machine's for a file."""
        if self._clock is not None:
            return self._clock()
        if self.sqlite:
            return datetime.now(UTC)
        moment: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one consistent state of the store; nothing can be changed through it."""
        try:
            with (
                self.engine.connect() as plain,
                Session(self._prepared(plain, False), expire_on_commit=False) as session,
            ):
                session.info["store"] = self
                yield session
        except (DBAPIError, PoolTimeout) as error:
            raise self._explained(error) from error

    def fetch(self, work: Callable[[Session], T], *, patience: float = 5.0) -> T:
        """What `work` reads, tried again while the database is away; `StoreBusy` after `patience` seconds."""
        return self._persist(partial(self._once, work, writing=False), patience, None)

    def write(
        self,
        work: Callable[[Session], T],
        *,
        patience: float | None = PATIENCE_SECONDS,
        give_up: Callable[[], bool] | None = None,
    ) -> T:
        """What `work` returns, its changes committed all together.

        `work` may run several times, each time in a fresh transaction. Waits up to `patience` seconds (None: without
        end, until `give_up()` is true) for a database that is locked or away, then raises `StoreBusy`.
        """
        return self._persist(partial(self._once, work, writing=True), patience, give_up)

    def close(self) -> None:
        """Every connection is closed."""
        self.engine.dispose()

    def _once(self, work: Callable[[Session], T], *, writing: bool) -> T:
        with (
            self.engine.connect() as plain,
            Session(self._prepared(plain, writing), expire_on_commit=False) as session,
        ):
            session.info["store"] = self
            result = work(session)
            if writing:
                session.commit()
            return result

    def _prepared(self, plain: Connection, writing: bool) -> Connection:
        """Readers see one state of the store throughout, so a match is there with everything or not at all."""
        if self.sqlite:
            return plain.execution_options(ninefold_write=writing)
        if writing:
            return plain
        return plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def _persist(self, attempt: Callable[[], T], patience: float | None, give_up: Callable[[], bool] | None) -> T:
        started = time.monotonic()
        collisions = 0
        pause = 0.02
        while True:
            try:
                return attempt()
            except IntegrityError as error:
                collisions += 1  # a race for a unique key: the next look finds the other's row
                if collisions > 3:
                    raise self._explained(error) from error
            except (DBAPIError, PoolTimeout) as error:
                if not _passing(error):
                    raise self._explained(error) from error
                waited = time.monotonic() - started
                if (patience is not None and waited + pause > patience) or (give_up is not None and give_up()):
                    raise StoreBusy(self.place, _first_line(error)) from error
                if waited > 2:
                    log.warning("store_waiting", store=self.place, seconds=round(waited, 1), error=_first_line(error))
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads retries, guards nothing
            pause = min(pause * 2, 1.0)

    def _explained(self, error: Exception) -> StoreBusy | StoreFault:
        if _passing(error):
            return StoreBusy(self.place, _first_line(error))
        log.error("store_fault", store=self.place, error=str(error))
        return StoreFault(self.place, _first_line(error))


def store_of(session: Session) -> Store:
    """The store that `session` belongs to."""
    store: Store = session.info["store"]
    return store


def now(session: Session) -> datetime:
    """The store's time (see `Store.now`)."""
    return store_of(session).now(session)


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0] if str(error).strip() else repr(error)


def _passing(error: Exception) -> bool:
    """Whether the same transaction may succeed a little later."""
    if isinstance(error, PoolTimeout):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith("08") or state in _RETRIED_SQLSTATES
    text = str(error.orig).lower()
    if "locked" in text or "busy" in text:
        return True
    # psycopg reports a server that is away without a SQLSTATE
    return isinstance(error, OperationalError | InterfaceError) and "sqlite3" not in type(error.orig).__module__


def _sqlite_engine(url: str, busy_ms: int) -> Engine:
    database = make_url(url).database
    if database:
        Path(database).parent.mkdir(0o700, parents=True, exist_ok=True)
    engine = create_engine(
        url,
        connect_args={"timeout": busy_ms / 1000, "check_same_thread": False, "isolation_level": None},
        json_serializer=_json,
        hide_parameters=True,  # errors are logged, and parameters are seeds and hashes of tokens
        pool_size=8,
        max_overflow=24,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "cache_size=-16000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # The driver would begin late and as a reader, and a reader that turns writer can lose everything it read.
        writing = connection.get_execution_options().get("ninefold_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _postgres_engine(url: str) -> Engine:
    return create_engine(
        url,
        json_serializer=_json,
        hide_parameters=True,  # errors are logged, and parameters are seeds and hashes of tokens
        pool_size=8,
        max_overflow=24,
        pool_pre_ping=True,
        pool_recycle=1800,
        connect_args={"connect_timeout": 10, "application_name": "ninefold", "options": "-c timezone=UTC"},
    )


def _json(value: Any) -> str:
    """Strictly valid JSON: not-a-number never gets into a document."""
    return dumps(value, allow_nan=False, separators=(",", ":"))
