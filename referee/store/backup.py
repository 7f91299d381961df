"""A league in one file: every row of the store as of one moment, and every blob its rows name.

The file is a tar of `store.db` (a SQLite database in this release's schema, whatever the league runs on), the blobs by
their digests, and `end.json`, which says what must have come before it: a tar that is cut off or damaged in a header
just seems to end. A restore reads the whole file before it changes anything, and writes the rows last, so one that
fails can be done again. A backup is taken while the league plays: fixtures in play at that moment are played again
after a restore, on the same deals, since their leases have run out. It holds secrets (master seeds, hashes of tokens):
its file is readable by its owner alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import cast

import zstandard
from sqlalchemy import Connection, delete, func, insert, select, text
from sqlmodel import Session

from referee.errors import Conflict, NotFound, StoreError, UsageError
from referee.settings import Settings
from referee.store import schema
from referee.store.blobs import Blobs
from referee.store.engine import Store, file_url
from referee.store.models import metadata
from referee.store.sweep import OWNER

CHUNK = 500
DATABASE = "store.db"
BLOB = "blobs/"
END = "end.json"
FORMAT = "ninefold-backup/1"
SCRATCH = "nf-backup-"
"""What the folder beside the target is called in which a backup is made."""
PART, ONE_BLOB = "part", "blob"
OLD_SECONDS = 24 * 3600.0
Progress = Callable[[str], None]


def backup(store: Store, settings: Settings, target: Path, progress: Progress = lambda line: None) -> dict[str, int]:
    """The whole league is in `target`, which did not exist; how many rows and blobs."""
    _demand_free(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(target.parent)
    with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=target.parent.absolute()) as name:
        scratch = Path(name)
        copied = Store(file_url(scratch / DATABASE))
        try:
            schema.prepare(copied)
            rows = _copy_all(store, copied, progress)
        finally:
            copied.close()
        _checkpointed(scratch / DATABASE)
        part, blobs, kept = scratch / PART, Blobs(settings), 0
        descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as out, tarfile.open(fileobj=out, mode="w") as archive:
            archive.add(scratch / DATABASE, DATABASE)
            digests = blobs.digests()  # listed after the rows: whatever a row names is there
            for number, digest in enumerate(digests, start=1):
                progress(f"blob {number} of {len(digests)}")
                kept += _add_blob(archive, blobs, digest, scratch)
            _add_end(archive, scratch, kept)
        _demand_free(target)  # another backup to the same file may have been quicker
        part.replace(target)
    return {"rows": rows, "blobs": kept}


def restore(source: Path, settings: Settings, progress: Progress = lambda line: None) -> dict[str, int]:
    """The league of the backup is in the store and blobs of `settings`, which were empty; how many rows and blobs.

    A file that is not whole is refused before anything is changed.
    """
    if not source.is_file():
        raise UsageError(f"{source} does not exist; name a file that `ninefold store backup` wrote")
    with tempfile.TemporaryDirectory(prefix="nf-restore-") as name:
        scratch = Path(name)
        try:
            with tarfile.open(source, "r:") as archive:
                members = _checked(archive, progress)
                _extract(archive, members[0], scratch / DATABASE)
                taken = Store(file_url(scratch / DATABASE))
                try:
                    _demand_a_league(taken)
                    schema.upgrade(taken)
                    taken.write(_own_place)
                    return _fill(taken, archive, members[1:], settings, progress)
                finally:
                    taken.close()
        except _Damaged as error:
            raise UsageError(
                f"{source} is damaged or cut off ({error}) and was not restored; take another copy of it, "
                "or another backup"
            ) from None
        except (tarfile.TarError, _NoBackup):
            raise UsageError(
                f"{source} is no backup, or a damaged one; name a file that `ninefold store backup` wrote"
            ) from None


class _NoBackup(Exception):
    """What the file holds is not what a backup holds."""


class _Damaged(Exception):
    """The file is a backup, but not all that was written, or not as it was written; says what is wrong."""


def _checked(archive: tarfile.TarFile, progress: Progress) -> list[tarfile.TarInfo]:
    """The file is what a backup wrote, to the last bit that counts; its database, then its blobs."""
    members: list[tarfile.TarInfo] = []
    database, end = "", None
    try:
        for member in archive:
            if not members and member.name != DATABASE:
                raise _NoBackup
            if end is not None or not member.isreg():  # a link among them could lead anywhere, even to itself
                raise _Damaged(f"{member.name} does not belong there")
            if member.name == END and member.size <= 1 << 16:
                end = json.loads(_opened(archive, member).read())
                continue
            progress(f"checking {member.name}")
            digest = hashlib.file_digest(_opened(archive, member), "sha256").hexdigest()
            if not members:
                database = digest
            elif member.name != BLOB + digest:
                raise _Damaged(f"{member.name} is not as it was written")
            members.append(member)
    except (tarfile.TarError, EOFError, ValueError, OverflowError, RecursionError):
        if not members:
            raise _NoBackup from None
        raise _Damaged("it cannot be read to its end") from None
    if not members:
        raise _NoBackup
    if end is None:
        raise _Damaged(f"its last part, {END}, is missing")
    if end != _end(database, len({member.name for member in members[1:]})):
        raise _Damaged(f"{DATABASE} or the number of blobs is not what {END} says")
    return members


def _end(database: str, blobs: int) -> dict[str, object]:
    """What the end of a backup says: the digest of its database, and how many blobs follow it."""
    return {"format": FORMAT, DATABASE: database, "blobs": blobs}


def _clear_leftovers(folder: Path) -> None:
    """What a backup that was killed left in that folder is gone: of this user, a day old, with nothing else in it."""
    beside = ("-wal", "-shm", "-journal", ".lock")
    ours = {DATABASE, *(DATABASE + suffix for suffix in beside), PART, ONE_BLOB, END}
    for path in folder.glob(f"{SCRATCH}*"):
        with suppress(OSError):
            if path.is_symlink() or not path.is_dir() or path.stat().st_uid != os.geteuid():
                continue
            inside = list(path.iterdir())
            touched = max(found.lstat().st_mtime for found in (path, *inside))
            if {found.name for found in inside} <= ours and touched < time.time() - OLD_SECONDS:
                shutil.rmtree(path)


def _demand_free(target: Path) -> None:
    if target.exists():
        raise UsageError(f"{target} exists already; name a file that does not")


def _demand_a_league(taken: Store) -> None:
    """The database is one of a league, of this release or another."""
    try:
        found = schema.current(taken)
    except StoreError:
        raise _NoBackup from None
    if not found:
        raise _NoBackup


def _fill(
    taken: Store, archive: tarfile.TarFile, members: list[tarfile.TarInfo], settings: Settings, progress: Progress
) -> dict[str, int]:
    """The blobs are in their places, then the rows: blobs without rows do no harm, and can be put again."""
    target = schema.open_store(settings)
    try:
        _demand_empty(target)
        blobs = Blobs(settings)
        for number, member in enumerate(members, start=1):
            progress(f"blob {number} of {len(members)}")
            if BLOB + blobs.put_stream(_opened(archive, member)) != member.name:
                raise _Damaged(f"{member.name} changed while it was read")
        return {"rows": _copy_all(taken, target, progress), "blobs": len(members)}
    finally:
        target.close()


def _demand_empty(target: Store) -> None:
    with target.read() as session:
        for table in metadata.sorted_tables:
            if session.execute(select(func.count()).select_from(table)).scalar_one():
                raise Conflict(
                    f"the store {target.place} is not empty (there are rows in {table.name})",
                    "restore into a new data folder or an empty database",
                )


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


def _add_blob(archive: tarfile.TarFile, blobs: Blobs, digest: str, scratch: Path) -> bool:
    """The blob is in the archive, unless retention took it meanwhile; `Conflict` names one that is damaged."""
    path, found = scratch / ONE_BLOB, hashlib.sha256()
    try:
        with blobs.open(digest) as data, path.open("wb") as out:
            while piece := data.read(1 << 20):
                found.update(piece)
                out.write(piece)
    except NotFound:
        return False
    except zstandard.ZstdError:
        found = hashlib.sha256()  # of nothing: unlike any blob that cannot be unpacked
    if found.hexdigest() != digest:
        raise Conflict(
            f"nothing was backed up, for blob {digest} in {blobs.place} is damaged",
            "put its file back from an earlier copy, or remove it and have what needs it uploaded again",
        )
    archive.add(path, BLOB + digest)
    return True


def _add_end(archive: tarfile.TarFile, scratch: Path, blobs: int) -> None:
    with (scratch / DATABASE).open("rb") as data:
        database = hashlib.file_digest(data, "sha256").hexdigest()
    path = scratch / END
    path.write_text(json.dumps(_end(database, blobs)), encoding="ascii")
    archive.add(path, END)


def _opened(archive: tarfile.TarFile, member: tarfile.TarInfo) -> BufferedReader:
    data = cast(BufferedReader | None, archive.extractfile(member))
    if data is None:
        raise _Damaged(f"{member.name} does not belong there")
    return data


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    with path.open("wb") as out:
        shutil.copyfileobj(_opened(archive, member), out, 1 << 20)
