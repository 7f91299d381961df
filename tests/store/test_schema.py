"""Schemas: created once, recognised, upgraded with everything kept; another release's store gives a plain sentence."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from referee.errors import SchemaMismatch
from referee.settings import Settings
from referee.store import schema
from referee.store.engine import Store
from referee.store.models import metadata
from referee.store.queries.tournaments import tournament
from tests.services import Postgres
from tests.store import league as small


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    server: Postgres = request.getfixturevalue("postgres_server")
    return server.database()


def test_migrations_and_tables_agree(store: Store) -> None:
    with store.engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)
    assert found == []


def test_several_programs_that_start_at_once_create_one_store(empty_url: str) -> None:
    failures: list[BaseException] = []

    def start() -> None:
        try:
            opened = Store(empty_url)
            schema.prepare(opened)
            opened.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    opened = Store(empty_url)
    assert schema.current(opened) == schema.head()
    opened.close()


@pytest.mark.parametrize("old", schema.known()[:-1])
def test_an_older_store_is_refused_until_it_is_upgraded(empty_url: str, old: str) -> None:
    opened = Store(empty_url)
    schema.upgrade(opened, revision=old)
    with opened.engine.begin() as connection:
        connection.execute(text("INSERT INTO users (name, role, created_at, ban_reason, quota) "
                                "VALUES ('eve', 'author', '2026-01-01 00:00:00', '', '{}')"))  # fmt: skip
    with pytest.raises(SchemaMismatch) as refused:
        schema.prepare(opened)
    assert str(refused.value).endswith("run `ninefold store upgrade` (all data is kept)")
    assert schema.upgrade(opened) == (old, schema.head())
    assert schema.upgrade(opened) == (schema.head(), schema.head())
    schema.prepare(opened)
    with opened.engine.connect() as connection:
        assert connection.execute(text("SELECT name FROM users")).scalars().all() == ["eve"]
    small.league(opened)
    opened.close()


def test_a_newer_store_is_refused(empty_url: str) -> None:
    opened = Store(empty_url)
    schema.prepare(opened)
    with opened.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for attempt in (schema.prepare, schema.upgrade):
        with pytest.raises(SchemaMismatch, match=r"schema 9999, written by a later release .* use that release"):
            attempt(opened)
    opened.close()


def test_a_database_of_something_else_is_left_alone(empty_url: str) -> None:
    opened = Store(empty_url)
    with opened.engine.begin() as connection:
        connection.execute(text("CREATE TABLE recipes (id INTEGER)"))
    with pytest.raises(SchemaMismatch, match="something else"):
        schema.prepare(opened)
    opened.close()


def test_a_store_opens_by_its_settings_and_in_odd_folders(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40) / "with space % and ünïcode"
    opened = schema.open_store(Settings(folder))
    small.league(opened)
    opened.close()
    again = schema.open_store(Settings(folder))
    assert tournament(again, "cup")["state"] == "running"
    again.close()


def test_migrations_are_in_the_package() -> None:
    command: list[Any] = [sys.executable, "-c", "from referee.store import schema; print(schema.head())"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert found.stdout.strip() == schema.head()
