"""A league in one file: taken from either database, restored into either, equal row by row."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from referee.cli.store import app
from referee.errors import Conflict, StoreFault, UsageError
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


@pytest.fixture
def small(tmp_path: Path) -> Iterator[tuple[Store, Settings]]:
    """A league in a folder alone, where the kind of database makes no difference."""
    settings = Settings(tmp_path / "data")
    store = schema.open_store(settings)
    fill(store, settings)
    yield store, settings
    store.close()


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


def backup_of(database: bytes) -> bytes:
    """A whole backup of that database and no blobs."""
    end = {"format": "ninefold-backup/1", "store.db": hashlib.sha256(database).hexdigest(), "blobs": 0}
    return tar_of(store_db=database, end_json=json.dumps(end).encode())


NO_BACKUPS = {
    "empty": b"",
    "text": b"no archive at all" * 100,
    "another archive": tar_of(readme=b"hello"),
    "no database": backup_of(b"this is no database" * 100),
    "a database of nothing": backup_of(b""),
}


@pytest.mark.parametrize("data", NO_BACKUPS.values(), ids=NO_BACKUPS)
def test_what_is_no_backup_is_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "b.tar").write_bytes(data)
    done = CliRunner().invoke(app, ["restore", str(tmp_path / "b.tar"), "--data", str(tmp_path / "other")])
    assert done.exit_code == 2
    said = f"ninefold: {tmp_path}/b.tar is no backup, or a damaged one; name a file that `ninefold store backup` wrote"
    assert [line for line in done.stderr.splitlines() if "[error" not in line] == ["restoring", said]
    assert done.stdout == ""
    with pytest.raises(UsageError, match="does not exist"):
        restore(tmp_path / "missing.tar", Settings(tmp_path / "other"))


def members_of(file: Path) -> list[tarfile.TarInfo]:
    with tarfile.open(file) as archive:
        return archive.getmembers()


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def cut_between_blobs(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return data[: members[2].offset]


def cut_in_a_header(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return data[: members[2].offset + 100]


def cut_in_a_blob(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return data[: members[2].offset_data + 3]


def cut_before_the_end(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return data[: members[-1].offset]


def bit_of_a_header(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return flipped(data, members[2].offset + 20)


def bit_of_the_database(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return flipped(data, members[0].offset_data + members[0].size - 1)


def bit_of_a_blob(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return flipped(data, members[2].offset_data)


def bit_of_the_end(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return flipped(data, members[-1].offset_data + 40)


def one_blob_left_out(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    return data[: members[1].offset] + data[members[2].offset :]


def one_blob_twice_another_never(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    one = data[members[1].offset : members[2].offset]
    return data[: members[1].offset] + one + one + data[members[3].offset :]


def something_after_the_end(data: bytes, members: list[tarfile.TarInfo]) -> bytes:
    end = members[-1].offset_data + 512
    return data[:end] + data[members[1].offset : members[2].offset] + bytes(1024)


HARM = [
    cut_between_blobs,
    cut_in_a_header,
    cut_in_a_blob,
    cut_before_the_end,
    bit_of_a_header,
    bit_of_the_database,
    bit_of_a_blob,
    bit_of_the_end,
    one_blob_left_out,
    one_blob_twice_another_never,
    something_after_the_end,
]


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_backup_is_refused_and_changes_nothing(
    small: tuple[Store, Settings], tmp_path: Path, harm: Callable[[bytes, list[tarfile.TarInfo]], bytes]
) -> None:
    """After it, the whole file can be restored into the same folder."""
    store, settings = small
    for content in (b"two", b"three"):
        Blobs(settings).put(content)
    good, bad, target = tmp_path / "good.tar", tmp_path / "bad.tar", Settings(tmp_path / "other")
    made = backup(store, settings, good)
    bad.write_bytes(harm(good.read_bytes(), members_of(good)))
    with pytest.raises(UsageError, match=r"bad.tar is damaged or cut off \(.*\) and was not restored"):
        restore(bad, target)
    assert not target.data_dir.exists()
    assert restore(good, target) == made == {"rows": made["rows"], "blobs": 3}
    assert Blobs(target).digests() == Blobs(settings).digests()


def test_a_database_that_is_a_link_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "b.tar", "w") as archive:
        member = tarfile.TarInfo("store.db")
        member.type, member.linkname = tarfile.SYMTYPE, "store.db"
        archive.addfile(member)
    with pytest.raises(UsageError, match="store.db does not belong there"):
        restore(tmp_path / "b.tar", Settings(tmp_path / "other"))


def test_rows_come_last(small: tuple[Store, Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restore that fails while it puts blobs leaves no half league: it can be done again."""
    store, settings = small
    made = backup(store, settings, tmp_path / "b.tar")
    target = Settings(tmp_path / "other")

    def full(self: Blobs, source: object) -> str:
        raise StoreFault(self.place, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Blobs, "put_stream", full)
        with pytest.raises(StoreFault, match="no space left"):
            restore(tmp_path / "b.tar", target)
    assert restore(tmp_path / "b.tar", target) == made


@pytest.mark.parametrize("content", ["another's", "none", "half"])
def test_a_damaged_blob_is_named_and_not_backed_up(small: tuple[Store, Settings], tmp_path: Path, content: str) -> None:
    store, settings = small
    digest = Blobs(settings).put(b"one")
    other = Blobs(settings).put(b"two")
    paths = {path.name.removesuffix(".zst"): path for path in (tmp_path / "data" / "blobs").rglob("*.zst")}
    kept = paths[digest].read_bytes()
    harmed = {"another's": paths[other].read_bytes(), "none": b"no zstandard", "half": kept[: len(kept) // 2]}
    paths[digest].write_bytes(harmed[content])
    (tmp_path / "out").mkdir()
    with pytest.raises(Conflict, match=f"blob {digest} in .* is damaged; put its file back"):
        backup(store, settings, tmp_path / "out" / "b.tar")
    assert list((tmp_path / "out").iterdir()) == []
    paths[digest].write_bytes(kept)
    assert backup(store, settings, tmp_path / "out" / "b.tar")["blobs"] == 3


def test_what_a_killed_backup_left_is_gone_after_the_next(small: tuple[Store, Settings], tmp_path: Path) -> None:
    target = tmp_path / "backups" / "league.tar"
    target.parent.mkdir()
    store, settings = small
    command = [sys.executable, "-c", KILLED, store.url, str(settings.data_dir), str(target)]
    assert subprocess.run(command, cwd=Path(__file__).parents[2]).returncode == -signal.SIGKILL
    assert not target.exists()
    left = next(target.parent.glob("nf-backup-*"))
    assert {path.name for path in left.iterdir()} >= {"store.db", "part"}

    def folder(name: str, *files: str) -> Path:
        made = target.parent / name
        made.mkdir()
        for file in files:
            (made / file).write_bytes(b"x")
        return made

    foreign, other = folder("nf-backup-mine", "store.db", "notes.txt"), folder("backup-old", "store.db")
    link = target.parent / "nf-backup-link"
    link.symlink_to(other)
    stranger = target.parent / "nf-backup-plan.txt"
    stranger.write_text("ours")
    running = folder("nf-backup-running", "store.db", "part")
    for path in (left, foreign, other, *left.iterdir(), *foreign.iterdir(), *other.iterdir(), running / "store.db", running, stranger):
        os.utime(path, (1, 1))
    backup(store, settings, target)
    assert target.is_file()
    assert not left.exists()
    assert all(path.exists() for path in (foreign, other, link, stranger, running))


KILLED = """
import os, signal, sys
from pathlib import Path
from referee.settings import Settings
from referee.store import backup
from referee.store.engine import Store

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

backup._add_blob = killed
backup.backup(Store(sys.argv[1]), Settings(Path(sys.argv[2])), Path(sys.argv[3]))
"""


def test_two_backups_to_one_file_do_not_mix(small: tuple[Store, Settings], tmp_path: Path) -> None:
    """The slower one is refused; the file is the quicker one's, whole."""
    store, settings = small
    target = tmp_path / "out" / "b.tar"
    made: list[dict[str, int]] = []

    def meanwhile(line: str) -> None:
        if line.startswith("blob") and not made:
            made.append({})
            made[0] = backup(store, settings, target)

    with pytest.raises(UsageError, match="exists already"):
        backup(store, settings, target, meanwhile)
    assert [path.name for path in target.parent.iterdir()] == ["b.tar"]
    assert restore(target, Settings(tmp_path / "other")) == made[0]


ODD_NAMES = ["a?b=c&d", "50% a%41#b", "a::b@c:d[e]*", "file:a", "~a"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_league_lies_in_its_folder_whatever_its_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named from anywhere or from beside it; a backup goes into such a folder and out of it."""
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "from anywhere" / name, Path(name)):
        settings = Settings(folder)
        store = schema.open_store(settings)
        fill(store, settings)
        made = backup(store, settings, folder / "b.tar")
        store.close()
        (kept,) = folder.glob("blobs/*/*.zst")
        assert (folder / "ninefold.db").is_file()
        assert Blobs(settings).digests() == [kept.stem]
        assert restore(folder / "b.tar", Settings(folder / "other")) == made
    assert {path.name for path in tmp_path.iterdir()} == {"from anywhere", name}


@pytest.mark.parametrize("arguments", [["backup", "b.tar"], ["upgrade"]])
def test_a_mistyped_folder_is_no_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    """Nothing is made there, and there is nothing to back up in a database without tables either."""
    monkeypatch.chdir(tmp_path)
    for name in ("NINEFOLD_DATA", "NINEFOLD_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(app, [*arguments, "--data", str(tmp_path / "typo")])
    said = f"ninefold: there is no league in {tmp_path}/typo/ninefold.db; name its data folder with --data, or its "
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"{said}NINEFOLD_DATABASE_URL\n")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "typo").mkdir()
    (tmp_path / "typo" / "ninefold.db").touch()
    if arguments[0] == "backup":
        done = CliRunner().invoke(app, [*arguments, "--data", str(tmp_path / "typo")])
        assert (done.exit_code, "there is no league in" in done.stderr) == (2, True)
        assert not (tmp_path / "b.tar").exists()


def test_a_pipe_gets_one_line_of_progress(tmp_path: Path) -> None:
    schema.open_store(Settings(tmp_path / "data")).close()
    saved = CliRunner().invoke(app, ["backup", str(tmp_path / "b.tar"), "--data", str(tmp_path / "data")])
    assert (saved.exit_code, saved.stderr) == (0, "backing up\n")
    back = CliRunner().invoke(app, ["restore", str(tmp_path / "b.tar"), "--data", str(tmp_path / "other")])
    assert (back.exit_code, back.stderr) == (0, "restoring\n")
