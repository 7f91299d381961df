"""A league in one file: every row of the store as of one moment, and every blob its rows name.

The file is a tar of `store.db` (a SQLite database in this release's schema, whatever the league runs on) and the blobs
as they are kept. It is taken while the league plays: fixtures in play at that moment are played again after a restore,
on the same deals, since their leases have run out. A backup holds secrets (master seeds, hashes of tokens): its file is
readable by its owner alone.
"""

from __future__ import annotations

import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text
from sqlmodel import Session

from referee.errors import Conflict, NotFound, StoreError, UsageError
from referee.settings import Settings
from referee.store import schema
from referee.store.blobs import Blobs
from referee.store.engine import Store
from referee.store.models import metadata
from referee.store.sweep import OWNER

CHUNK = 500
DATABASE = "store.db"
Progress = Callable[[str], None]


def backup(store: Store, settings: Settings, target: Path, progress: Progress = lambda line: None) -> dict[str, int]:
    """The whole league is in `target`, which did not exist; how many rows and blobs."""
    if target.exists():
        raise UsageError(f"{target} exists already; name a file that does not")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    with tempfile.TemporaryDirectory(prefix="nf-backup-", dir=target.parent) as scratch:
        copied = Store(f"sqlite:///{Path(scratch) / DATABASE}")
        try:
            schema.prepare(copied)
            rows = _copy_all(store, copied, progress)
        finally:
            copied.close()
        blobs = Blobs(settings)
        descriptor = os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as out, tarfile.open(fileobj=out, mode="w") as archive:
            _checkpointed(Path(scratch) / DATABASE)
            archive.add(Path(scratch) / DATABASE, DATABASE)
            digests = blobs.digests()  # listed after the rows: whatever a row names is there
            for number, digest in enumerate(digests, start=1):
                progress(f"blob {number} of {len(digests)}")
                _add_blob(archive, blobs, digest, Path(scratch))
    part.replace(target)
    return {"rows": rows, "blobs": len(digests)}


def restore(source: Path, settings: Settings, progress: Progress = lambda line: None) -> dict[str, int]:
    """The league of the backup is in the store and blobs of `settings`, which were empty; how many rows and blobs."""
    if not source.is_file():
        raise UsageError(f"{source} does not exist; name a file that `ninefold store backup` wrote")
    with tempfile.TemporaryDirectory(prefix="nf-restore-") as name:
        scratch = Path(name)
        try:
            with tarfile.open(source) as archive:
                _extract(archive, DATABASE, scratch)
                taken = Store(f"sqlite:///{scratch / DATABASE}")
                try:
                    _demand_a_league(taken)
                    schema.upgrade(taken)
                    rows = _fill(taken, settings, progress)
                finally:
                    taken.close()
                blobs = Blobs(settings)
                kept = 0
                for member in archive:
                    if member.isreg() and member.name.startswith("blobs/"):
                        data = archive.extractfile(member)
                        if data is None or blobs.put_stream(data) != member.name.removeprefix("blobs/"):
                            raise _NoBackup
                        kept += 1
                        progress(f"{kept} blobs")
        except (tarfile.TarError, EOFError, KeyError, _NoBackup):
            raise UsageError(
                f"{source} is no backup, or a damaged one; name a file that `ninefold store backup` wrote"
            ) from None
    return {"rows": rows, "blobs": kept}


class _NoBackup(Exception):
    """What the file holds is not what a backup holds."""


def _demand_a_league(taken: Store) -> None:
    """The database is one of a league, of this release or another."""
    try:
        found = schema.current(taken)
    except StoreError:
        raise _NoBackup from None
    if not found:
        raise _NoBackup


def _fill(taken: Store, settings: Settings, progress: Progress) -> int:
    target = schema.open_store(settings)
    try:
        with target.read() as session:
            for table in metadata.sorted_tables:
                if session.execute(select(func.count()).select_from(table)).scalar_one():
                    raise Conflict(
                        f"the store {target.place} is not empty (there are rows in {table.name})",
                        "restore into a new data folder or an empty database",
                    )
        rows = _copy_all(taken, target, progress)
        target.write(_own_place)
        return rows
    finally:
        target.close()


def _own_place(session: Session) -> None:
    """The restored league is another one: it removes no blob where the league it was copied from keeps its own."""
    session.execute(delete(metadata.tables["settings"]).where(metadata.tables["settings"].c.key == OWNER))


def _copy_all(source: Store, target: Store, progress: Progress) -> int:
    """Every row of every table, as of one moment, parents first; how many."""
    count = 0
    writing = target.engine.connect().execution_options(ninefold_write=True)
    with source.read() as session, writing as out, out.begin():
        for table in metadata.sorted_tables:
            progress(f"table {table.name}")
            keys = list(table.primary_key.columns)
            rows = session.connection().execute(select(table).order_by(*keys).execution_options(yield_per=CHUNK))
            for page in rows.mappings().partitions(CHUNK):
                out.execute(insert(table), [dict(row) for row in page])
                count += len(page)
        if not target.sqlite:
            _set_sequences(out)
    return count


def _set_sequences(connection: Connection) -> None:
    """PostgreSQL numbers new rows after the copied ones."""
    for table in metadata.sorted_tables:
        for column in table.primary_key.columns:
            if column.autoincrement is not True and column.name != "id":
                continue
            name = connection.execute(
                text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": column.name}
            ).scalar_one()
            if name:
                last = connection.execute(select(func.max(column))).scalar_one()
                connection.execute(
                    text("SELECT setval(:name, :last, :called)"),
                    {"name": name, "last": last or 1, "called": last is not None},
                )


def _checkpointed(database: Path) -> None:
    """All of the database is in its one file."""
    connection = sqlite3.connect(database, isolation_level=None)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()


def _add_blob(archive: tarfile.TarFile, blobs: Blobs, digest: str, scratch: Path) -> None:
    path = scratch / "blob"
    try:
        with blobs.open(digest) as data, path.open("wb") as out:
            while piece := data.read(1 << 20):
                out.write(piece)
    except NotFound:  # retention took it meanwhile
        return
    archive.add(path, f"blobs/{digest}")


def _extract(archive: tarfile.TarFile, name: str, into: Path) -> None:
    data: Any = archive.extractfile(name)
    if data is None:
        raise _NoBackup
    with (into / name).open("wb") as out:
        while piece := data.read(1 << 20):
            out.write(piece)
