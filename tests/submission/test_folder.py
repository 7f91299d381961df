"""A folder's digest and its archive."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from referee.errors import Refused
from referee.submission import folder
from referee.submission.archive import unpack


def make(root: Path) -> Path:
    (root / "lib").mkdir(parents=True)
    (root / "bot.toml").write_text("x")
    (root / "lib" / "a.py").write_text("y")
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "a.pyc").write_text("left behind")
    return root


def test_digest_is_the_documented_one(tmp_path: Path) -> None:
    x, y = hashlib.sha256(b"x").hexdigest(), hashlib.sha256(b"y").hexdigest()
    whole = hashlib.sha256(f"bot.toml\0{x}\0lib/a.py\0{y}\0".encode()).hexdigest()
    assert folder.digest(make(tmp_path)) == whole


def test_dependencies_are_part_of_the_digest(tmp_path: Path) -> None:
    made = make(tmp_path)
    assert folder.digest(made) != folder.digest(made, {"numpy-2.0.whl": "0" * 64})


def test_modes_and_times_are_not(tmp_path: Path) -> None:
    made = make(tmp_path)
    before = folder.digest(made)
    (made / "bot.toml").chmod(0o755)
    os.utime(made / "lib" / "a.py", (1, 1))
    assert folder.digest(made) == before


def test_packing_is_reproducible_and_keeps_the_digest(tmp_path: Path) -> None:
    first, second = make(tmp_path / "one"), make(tmp_path / "two")
    os.utime(second / "bot.toml", (1, 1))
    assert folder.pack(first) == folder.pack(second)
    (tmp_path / "upload").write_bytes(folder.pack(first))
    unpack(tmp_path / "upload", tmp_path / "out")
    assert folder.digest(tmp_path / "out") == folder.digest(first)


def test_a_link_in_the_folder_is_refused(tmp_path: Path) -> None:
    made = make(tmp_path)
    (made / "secret").symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="'secret' is a link"):
        folder.pack(made)
