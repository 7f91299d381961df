"""The store's schema: created on first use, checked on every opening, upgraded by one command."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, inspect, text
from sqlmodel import Session

from referee.errors import SchemaMismatch
from referee.settings import Settings
from referee.store.engine import Store, database_url

if TYPE_CHECKING:
    from alembic.config import Config

_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x4E494E45  # "NINE": the advisory lock that lets one program at a time change the schema


def open_store(settings: Settings) -> Store:
    """The league's store, ready: created if there is none; `SchemaMismatch` if another release wrote it."""
    store = Store(database_url(settings))
    try:
        prepare(store)
    except BaseException:
        store.close()
        raise
    return store


def prepare(store: Store) -> None:
    """The store has this release's schema: an empty one is given it, another one is refused with `SchemaMismatch`."""
    found = current(store)
    if found == head():
        return
    if found == "":
        upgrade(store, only_empty=True)
        found = current(store)
    if found != head():
        raise SchemaMismatch(store.place, found or "none", head(), newer=found not in known())


def upgrade(store: Store, *, revision: str = "head", only_empty: bool = False) -> tuple[str, str]:
    """The store has the schema of `revision`, all data kept; the schemas before and after. A newer one is refused."""
    from alembic import command  # here, because a store that is as it should be needs none of it
    from alembic.runtime.migration import MigrationContext

    with _alone(store) as connection:
        before = MigrationContext.configure(connection).get_current_revision() or ""
        if before and before not in known():
            raise SchemaMismatch(store.place, before, head(), newer=True)
        if not (only_empty and before):
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
        after = MigrationContext.configure(connection).get_current_revision() or ""
        connection.commit()
    return before, after


def current(store: Store) -> str:
    """The schema the store has; empty if it has none. `SchemaMismatch` if it holds tables that are not ours."""

    def look(session: Session) -> str:
        tables = inspect(session.connection()).get_table_names()
        if "alembic_version" in tables:
            return str(session.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none() or "")
        if tables:
            raise SchemaMismatch(store.place, "of something else", head(), newer=True)
        return ""

    return store.fetch(look)


def head() -> str:
    """The schema that this release needs."""
    return known()[-1]


def known() -> list[str]:
    """All schemas this release can upgrade from, oldest first: migrations are numbered and follow one another."""
    return sorted(path.name.partition("_")[0] for path in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@contextmanager
def _alone(store: Store) -> Iterator[Connection]:
    """A connection in a transaction of its own, while no other program of ours changes the schema."""
    if not store.sqlite:
        with store.engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            yield connection
        return
    with open(f"{store.place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with store.engine.connect() as plain:
            # Changing a table on SQLite copies it, which foreign keys would forbid mid-way; outside a transaction only.
            driver: Any = plain.connection.driver_connection
            driver.execute("PRAGMA foreign_keys=OFF")
            try:
                yield plain.execution_options(ninefold_write=True)
            finally:
                plain.rollback()
                driver.execute("PRAGMA foreign_keys=ON")
