"""bot.toml: what is refused, what is accepted, and what the author is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import Refused
from referee.submission import manifest

GOOD = {"name": '"greedy"', "games": '["nines"]', "runtime": '"python"', "entry": '"bot.py"'}


def folder(tmp_path: Path, toml: str | bytes, files: dict[str, str] | None = None) -> Path:
    for name, text in (files if files is not None else {"bot.py": ""}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (tmp_path / "bot.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    return tmp_path


def toml(**changes: str | None) -> str:
    return "\n".join(f"{k} = {v}" for k, v in {**GOOD, **changes}.items() if v is not None)


REFUSED = [
    ("no name", toml(name=None), "name is missing"),
    ("capital", toml(name='"Greedy"'), "'Greedy' is not allowed"),
    ("dot", toml(name='"a.b"'), "'a.b' is not allowed"),
    ("underscore", toml(name='"a_b"'), "is not allowed"),
    ("markup", toml(name='"<b>x</b>"'), "is not allowed"),
    ("one letter", toml(name='"a"'), "2 to 32"),
    ("33 letters", toml(name=f'"{"a" * 33}"'), "2 to 32"),
    ("newline at the end", toml(name='"greedy\\n"'), "is not allowed"),
    ("a number for a name", toml(name="9"), "not a text"),
    ("a number of 5,000 digits", toml(name="1" * 5000), "not valid TOML (a number in it has thousands of digits)"),
    ("a hex number of 6,000 digits", toml(name="0x" + "f" * 6000), "name is a number of very many digits, not a text"),
    ("such a number as a game", toml(games=f"[0x{'f' * 6000}]"), "games is a list with a number of very many digits in it"),
    ("such a number inside a list", toml(entry=f"[[0x{'f' * 6000}]]"), "entry is a list, not a text"),
    ("a date that is none", toml(name="2026-13-45"), "not valid TOML"),
    ("a date", toml(runtime="2026-01-01"), "runtime is 2026-01-01, not a text"),
    ("no games at all", toml(games=None), "games is missing"),
    ("no games", toml(games="[]"), "games is"),
    ("a game as text", toml(games='"nines"'), "give a list"),
    ("unknown game", toml(games='["bridge"]'), "'bridge' is not played here"),
    ("twice", toml(games='["nines", "nines"]'), "one game twice"),
    ("unknown runtime", toml(runtime='"ruby"'), "use one of python, node, stdio"),
    ("unknown key", toml() + "\nprivileged = true", "unknown key 'privileged'"),
    ("not TOML", "name = = 3", "not valid TOML"),
    ("not UTF-8", b'name = "\xff"', "not UTF-8"),
    ("far too long", toml() + "\n#" + "x" * 70_000, "the limit is 65,536"),
    ("deep nesting", "a = " + "[" * 20_000, "not valid TOML"),
    ("absolute entry", toml(entry='"/bin/sh"'), "not a path inside"),
    ("entry outside", toml(entry='"../bot.py"'), "not a path inside"),
    ("missing entry", toml(entry='"main.py"'), "'main.py' was not found (found: 'bot.py', 'bot.toml')"),
    ("wrong case", toml(entry='"Bot.py"'), "'Bot.py' was not found, 'bot.py' was"),
    ("wrong ending", toml(runtime='"node"'), "does not end in .js"),
    ("a folder as entry", toml(entry='"lib"'), "is not a file"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused(tmp_path: Path, text: str | bytes, says: str) -> None:
    (tmp_path / "lib").mkdir() if "lib" in str(text) else None
    with pytest.raises(Refused) as refused:
        manifest.read(folder(tmp_path, text))
    assert refused.value.stage == "manifest"
    assert says in str(refused.value)
    assert str(refused.value).isprintable()


def test_misplaced_entry_is_pointed_at(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"'bot.py' was not found, 'src/bot.py' was"):
        manifest.read(folder(tmp_path, toml(), {"src/bot.py": ""}))


def test_missing_manifest_says_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    with pytest.raises(Refused, match=r"bot.toml is missing \(found: 'bot.py'\)"):
        manifest.read(tmp_path)


def test_wrong_case_of_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "Bot.toml").write_text(toml())
    with pytest.raises(Refused, match=r"bot.toml is expected, 'Bot.toml' was found"):
        manifest.read(tmp_path)


def test_manifest_one_folder_too_deep(tmp_path: Path) -> None:
    (tmp_path / "greedy").mkdir()
    (tmp_path / "greedy" / "bot.toml").write_text(toml())
    with pytest.raises(Refused, match="found in 'greedy'"):
        manifest.read(tmp_path)


def test_a_folder_written_on_windows_is_accepted(tmp_path: Path) -> None:
    crlf = ("\ufeff" + toml() + "\n").replace("\n", "\r\n").encode()
    assert manifest.read(folder(tmp_path, crlf)) == manifest.Manifest("greedy", ("nines",), "python", "bot.py")


def test_a_script_with_windows_line_endings_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="'run' has Windows line endings"):
        manifest.read(folder(tmp_path, toml(runtime='"stdio"', entry='"run"'), {"run": "#!/bin/sh\r\necho\r\n"}))


def test_both_games_and_a_nested_entry(tmp_path: Path) -> None:
    made = manifest.read(folder(tmp_path, toml(games='["nines", "nine"]', entry='"src/bot.py"'), {"src/bot.py": ""}))
    assert made.games == ("nines", "nine")
    assert made.entry == "src/bot.py"


def test_a_missing_runtime_is_told_with_its_values(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "bot.toml").write_text('name = "some-bot"\ngames = ["nines"]\nentry = "bot.py"\n')
    with pytest.raises(Refused, match="runtime is missing; .* runtime = \"python\" or \"node\" or \"stdio\""):
        manifest.read(tmp_path)
