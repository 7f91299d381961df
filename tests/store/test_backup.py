"""A league in one file: taken from either database, restored into either, equal row by row."""

from __future__ import annotations

import io
import stat
import tarfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from referee.cli.store import app
from referee.errors import Conflict, UsageError
from referee.settings import Settings
from referee.store import schema
from referee.store.backup import backup, restore
from referee.store.blobs import Blobs
from referee.store.commands import accounts, submissions, tournaments
from referee.store.commands.tournaments import NewTournament
from referee.store.engine import Store
from referee.store.models import metadata
from referee.store.queries import tournaments as queries


def rows(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Everything that is in the store."""
    with store.read() as session:
        return {
            t.name: [
                dict(r) for r in session.connection().execute(select(t).order_by(*t.primary_key.columns)).mappings()
            ]
            for t in metadata.sorted_tables
        }


def fill(store: Store, settings: Settings) -> None:
    """An account with a token, an upload with its blob, a tournament."""
    user = accounts.add_user(store, "anna", "author", by="test")
    accounts.create_token(store, "anna", by="test")
    submissions.submit(store, user, Blobs(settings).put(b"an archive"), 10)
    tournaments.create_tournament(store, NewTournament(name="cup", game="nines", rules={"a": 1}), by="anna")


@pytest.fixture
def filled(store: Store, tmp_path: Path) -> tuple[Store, Settings]:
    settings = Settings(tmp_path / "data")
    fill(store, settings)
    return store, settings


def test_restored_rows_and_blobs_are_the_same(filled: tuple[Store, Settings], tmp_path: Path) -> None:
    store, settings = filled
    before = rows(store)
    made = backup(store, settings, tmp_path / "b.tar")
    assert made["blobs"] == 1
    assert stat.S_IMODE((tmp_path / "b.tar").stat().st_mode) == 0o600
    target = Settings(tmp_path / "other")
    assert restore(tmp_path / "b.tar", target) == made
    opened = schema.open_store(target)
    assert rows(opened) == before
    assert Blobs(target).digests() == Blobs(settings).digests()
    tournaments.create_tournament(opened, NewTournament(name="next", game="nines", rules={}), by="anna")
    assert queries.tournament_names(opened) == ["next", "cup"]
    opened.close()


@pytest.mark.postgres
def test_a_league_moves_from_sqlite_to_postgresql(postgres_url: str, tmp_path: Path) -> None:
    """New rows are numbered after the copied ones."""
    old = Settings(tmp_path / "old")
    store = schema.open_store(old)
    fill(store, old)
    backup(store, old, tmp_path / "b.tar")
    new = Settings(tmp_path / "new", database_url=postgres_url)
    restore(tmp_path / "b.tar", new)
    opened = schema.open_store(new)
    assert rows(opened) == rows(store)
    accounts.add_user(opened, "bert", "author", by="test")
    assert queries.tournament_names(opened) == ["cup"]
    tournaments.create_tournament(opened, NewTournament(name="next", game="nines", rules={}), by="anna")
    opened.close()
    store.close()


def test_nothing_is_overwritten(filled: tuple[Store, Settings], tmp_path: Path) -> None:
    store, settings = filled
    (tmp_path / "b.tar").write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        backup(store, settings, tmp_path / "b.tar")
    assert (tmp_path / "b.tar").read_text() == "precious"
    backup(store, settings, tmp_path / "c.tar")
    target = Settings(tmp_path / "other")
    restore(tmp_path / "c.tar", target)
    with pytest.raises(Conflict, match="not empty"):
        restore(tmp_path / "c.tar", target)


def tar_of(**files: bytes) -> bytes:
    """An archive of these files; `store_db` stands for `store.db`."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


NO_BACKUPS = {
    "empty": b"",
    "text": b"no archive at all" * 100,
    "another archive": tar_of(readme=b"hello"),
    "no database": tar_of(store_db=b"this is no database" * 100),
    "a database of nothing": tar_of(store_db=b""),
}


@pytest.mark.parametrize("data", NO_BACKUPS.values(), ids=NO_BACKUPS)
def test_what_is_no_backup_is_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "b.tar").write_bytes(data)
    done = CliRunner().invoke(app, ["restore", str(tmp_path / "b.tar"), "--data", str(tmp_path / "other")])
    assert done.exit_code == 2
    said = f"ninefold: {tmp_path}/b.tar is no backup, or a damaged one; name a file that `ninefold store backup` wrote"
    assert done.stderr.splitlines() == ["restoring", said]
    with pytest.raises(UsageError, match="does not exist"):
        restore(tmp_path / "missing.tar", Settings(tmp_path / "other"))


def test_a_pipe_gets_one_line_of_progress(tmp_path: Path) -> None:
    schema.open_store(Settings(tmp_path / "data")).close()
    saved = CliRunner().invoke(app, ["backup", str(tmp_path / "b.tar"), "--data", str(tmp_path / "data")])
    assert (saved.exit_code, saved.stderr) == (0, "backing up\n")
    back = CliRunner().invoke(app, ["restore", str(tmp_path / "b.tar"), "--data", str(tmp_path / "other")])
    assert (back.exit_code, back.stderr) == (0, "restoring\n")
