"""Every command and every program in what authors read is run; what needs a league is held against its `--help`."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from referee.submission import manifest
from tests.authors.conftest import ninefold, write
from tests.docs.blocks import ROOT, block, blocks

__all__ = ["write"]
DOCUMENTS = ("README.md", "sample_bots/README.md", "sample_bots/botkit/README.md", "protos/README.md")
LOCAL = {"play", "bot new", "replay show", "replay debug", "replay verify"}
"""Commands that need neither a league nor an engine; `cp` beside them."""
LONG = {"--matches": "2"}
"""Run with fewer matches than an author would."""


def commands(document: str) -> list[list[str]]:
    """The commands of its `sh` blocks, word by word, without remarks."""
    lines = [line for text in blocks(document, "sh") for line in text.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def name_of(words: list[str]) -> str:
    """`play` or `bot new`: the command of a `ninefold` line."""
    groups = {"bot", "tournament", "replay", "user", "token", "store", "admin"}
    return " ".join(words[1:3]) if words[1] in groups else words[1]


def ninefold_lines() -> list[tuple[str, list[str]]]:
    """All `ninefold` commands: of the blocks, and of the text in between."""
    found = [(document, words) for document in DOCUMENTS for words in commands(document) if words[0] == "ninefold"]
    for document in DOCUMENTS:
        text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(), flags=re.MULTILINE | re.DOTALL)
        found += [(document, shlex.split(line)) for line in re.findall(r"`(ninefold [a-z][^`]*)`", text)]
    return found


LINES = ninefold_lines()


@pytest.mark.parametrize(("document", "words"), LINES, ids=[" ".join(words) for _, words in LINES])
def test_the_command_and_its_options_exist(document: str, words: list[str]) -> None:
    name = name_of(words).split()
    done = ninefold(*name, "--help")
    assert done.code == 0, f"{document}: there is no {' '.join(name)}"
    known = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", done.out))
    for option in (word.split("=")[0] for word in words if word.startswith("--")):
        assert option in known, f"{document}: {' '.join(words)}: {option} is none of {sorted(known)}"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_needs_no_league_runs_from_top_to_bottom(document: str, scratch: Path) -> None:
    ran = 0
    for words in commands(document):
        if words[0] == "cp":
            shutil.copytree(words[2], words[3])
        elif words[0] == "ninefold" and name_of(words) in LOCAL:
            fewer = [LONG.get(words[at - 1], word) for at, word in enumerate(words)]
            if name_of(words) == "play":
                fewer += ["--rule", "cutoff=30"] if "--rule" not in words else []
            done = ninefold(*fewer[1:])
            assert done.code == 0, f"{' '.join(words)}\n{done.said}"
            assert "forfeits, " not in done.out
            ran += 1
            page = re.search(r"open it in a browser: (\S+)", done.err)
            if page and "/ninefold-" in page[1]:
                shutil.rmtree(Path(page[1]).parent)
    assert ran >= {"sample_bots/botkit/README.md": 0}.get(document, 2)


PROGRAMS = [(document, number) for document in DOCUMENTS for number in range(len(blocks(document, "python")))]


@pytest.mark.parametrize(("document", "number"), PROGRAMS)
def test_every_program_plays_without_a_fault(document: str, number: int, scratch: Path) -> None:
    code = blocks(document, "python")[number]
    game = "nine" if "games.nine" in code else "nines"
    bot = scratch / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text(f'name = "bot"\ngames = ["{game}"]\nruntime = "python"\nentry = "bot.py"\n')
    (bot / "bot.py").write_text(code)
    done = ninefold("play", "bot", "random", "--matches", "2", "--seed", "4", "--json", "--clock", "60s+0s")
    assert done.code == 0, done.said
    assert done.json()["forfeits"] == []
    assert done.json()["seats"][0]["forfeits"] == 0


def test_the_searching_bot_of_the_guide_beats_random(scratch: Path) -> None:
    (code,) = (text for text in blocks("sample_bots/README.md", "python") if "Lookahead" in text)
    bot = scratch / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "bot"\ngames = ["nine"]\nruntime = "python"\nentry = "bot.py"\n')
    (bot / "bot.py").write_text(code)
    report = ninefold("play", "bot", "random", "--matches", "4", "--seed", "4", "--json", "--clock", "60s+0s").json()
    assert report["seats"][0]["points"] >= 3


def test_the_manifest_of_the_guide_is_one(scratch: Path) -> None:
    text = block("sample_bots/README.md", "toml")
    assert set(tomllib.loads(text)) == {"name", "games", "runtime", "entry"}
    (scratch / "bot.toml").write_text(text)
    (scratch / "bot.py").write_text("")
    assert manifest.read(scratch).name == "my-bot"


def test_the_guide_names_every_field_of_both_views_and_every_sample() -> None:
    from protos.ninefold.v1 import games_pb2
    from referee.service.local import builtin_folders

    guide = (ROOT / "sample_bots/README.md").read_text()
    for view in (games_pb2.NinesView, games_pb2.NineView):
        for field in view.DESCRIPTOR.fields:
            assert re.search(rf"`(view\.)?{field.name}`", guide), f"{field.name} is not explained"
    for _, name in builtin_folders():
        assert f"| `{name}` |" in guide


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS[1:]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / document).read_text()):
            if "://" not in target:
                assert (ROOT / document).parent.joinpath(target).exists(), f"{document}: {target}"


def test_the_limits_of_the_guide_are_the_defaults() -> None:
    from referee.match.fixture import Clock
    from referee.sandbox.limits import Limits

    limits = Limits()
    for document in ("README.md", "sample_bots/README.md"):
        text = " ".join((ROOT / document).read_text().split())
        for words in (
            f"{limits.memory_mib} MiB of memory", f"{limits.pids} processes and threads", f"{limits.files} open files",
            f"{limits.archive_mib} MiB", f"{limits.unpacked_mib} MiB", f"{limits.unpacked_files:,} files",
            f"dependencies {limits.dependencies_mib} MiB", f"{limits.build_seconds:g} s", f"{limits.log_kib} KiB",
        ):  # fmt: skip
            assert words in text, f"{document} does not say {words!r}"
        assert f"{Clock().bank_ms // 1000} s" in text
        assert f"{Clock().increment_ms} ms" in text
