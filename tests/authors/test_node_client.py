"""The Node module where Ninefold is installed without its packages: fetched once, or one line that says how."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from referee.cli.scaffold import create
from referee.errors import UsageError
from referee.sandbox import node_client
from tests.authors.conftest import ninefold
from tests.sample_bots.conftest import BOTKIT_NODE

FETCHES = "#!/bin/sh\nmkdir -p node_modules/@grpc/grpc-js\necho '{}' > node_modules/@grpc/grpc-js/package.json\necho once >> \"$TOLD\"\n"
FAILS = "#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\necho 'npm error a name was not found' >&2\nexit 1\n"


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """The module as `pip install` leaves it, an empty cache, and a PATH with what is put into `bin`."""
    source, programs = tmp_path / "botkit_node", tmp_path / "bin"
    source.mkdir()
    programs.mkdir()
    for path in BOTKIT_NODE.iterdir():
        if path.is_file():
            shutil.copy(path, source)
    monkeypatch.setattr(node_client, "_source", lambda: source)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setenv("PATH", f"{programs}:/bin")
    return programs


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def hide(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """No program of those names is found, wherever it is installed."""
    found = shutil.which
    monkeypatch.setattr(node_client.shutil, "which", lambda name: None if name in names else found(name))


def test_the_packages_are_fetched_once(bare, tmp_path):
    program(bare, "node", "#!/bin/sh\n")
    program(bare, "npm", FETCHES)
    said: list[str] = []
    first = node_client.ensure_node_client(said.append)
    assert node_client.ensure_node_client(said.append) == first == node_client.node_client()
    assert (tmp_path / "told").read_text() == "once\n"
    assert len(said) == 1
    assert "npm" in said[0]
    assert (first / "index.js").is_file()
    assert first.is_relative_to(tmp_path / "cache")
    assert os.listdir(first.parent) == [first.name], "nothing half made is left"


def test_another_version_of_the_module_gets_a_folder_of_its_own(bare):
    program(bare, "node", "#!/bin/sh\n")
    program(bare, "npm", FETCHES)
    first = node_client.ensure_node_client()
    (node_client._source() / "index.js").write_text("// changed")
    assert node_client.node_client() is None
    assert node_client.ensure_node_client() != first


@pytest.mark.parametrize(
    ("missing", "npm", "said"),
    [
        (("node",), FETCHES, ["no node on PATH", "install Node.js", "--sandbox docker"]),
        (("npm",), FETCHES, ["npm, which is not on PATH", "install npm", "--sandbox docker"]),
        ((), FAILS, ["code ENOTFOUND", "npm ci", "--sandbox docker"]),
        ((), "#!/bin/sh\n", ["code 0", "npm ci"]),
    ],
    ids=["no node", "no npm", "npm fails", "npm does nothing"],
)
def test_play_says_in_one_line_what_is_missing(bare, tmp_path, monkeypatch, missing, npm, said):
    program(bare, "node", "#!/bin/sh\n")
    program(bare, "npm", npm)
    hide(bare, monkeypatch, *missing)
    create(tmp_path / "node-nines", "node-nines", "nines", "node")
    done = ninefold("play", tmp_path / "node-nines", "random")
    assert done.code == 2
    last = done.err.splitlines()[-1]
    for words in said:
        assert words in last
    assert "ninefold: " in last
    assert "\n    at " not in done.said
    assert not any((tmp_path / "cache").rglob("package.json")), "nothing half made is left"


def test_what_is_missing_is_an_error_of_usage(bare, monkeypatch):
    hide(bare, monkeypatch, "node")
    with pytest.raises(UsageError):
        node_client.ensure_node_client()
