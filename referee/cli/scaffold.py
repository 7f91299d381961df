"""`ninefold bot new`: a folder that plays at once, with its documentation. Pure but for `create`, which writes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from referee.errors import UsageError
from referee.wording import meant

NAME = re.compile(r"[a-z0-9][a-z0-9-]{1,31}")
GAMES = ("nines", "nine")
LANGUAGES: Mapping[str, tuple[str, str]] = {
    "python": ("python", "bot.py"),
    "node": ("node", "bot.js"),
    "c": ("stdio", "bot"),
}
"""Language -> runtime and entry of its bot.toml."""

TITLES = {"nines": "Nines", "nine": "Nine"}
TIME_LEFT = {"python": "`self.time_left()`", "node": "`this.timeLeft()`", "c": "`clock.left_ms` of each `turn`"}
PRINT_NOTE = {
    "python": "",
    "node": "",
    "c": ", but stdout is for answers: a line there that is no JSON object is kept as log",
}
COMPILE = ("cc", "-O2", "-static", "-o", "bot", "bot.c")


def check_name(name: str) -> None:
    """`name` can be a bot's name; `UsageError` says in one sentence why not, and what would do."""
    if NAME.fullmatch(name):
        return
    if len(name) < 2 or len(name) > 32:
        why = f"it has {len(name)} characters, not 2 to 32"
    elif not re.match(r"[a-z0-9]", name):
        why = f"it starts with {name[0]!r}, not with a lower-case letter or a digit"
    else:
        wrong = next(letter for letter in name if not re.match(r"[a-z0-9-]", letter))
        why = f"{wrong!r} is no lower-case letter, digit or hyphen"
    close = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32].rstrip("-")
    hint = f"; {close!r} would do" if NAME.fullmatch(close) else ""
    raise UsageError(f"a bot cannot be named {name!r}: {why}{hint}")


def files(name: str, game: str, language: str = "python") -> dict[str, str]:
    """The files of a new bot by their names, ready to write; `UsageError` if name, game or language will not do."""
    check_name(name)
    if game not in GAMES:
        raise UsageError(f"there is no game {game!r}{meant(game, GAMES)}: choose one of {', '.join(GAMES)}")
    if language not in LANGUAGES:
        near = meant(language, LANGUAGES)
        raise UsageError(f"there is no scaffold for {language!r}{near}: choose one of {', '.join(LANGUAGES)}")
    runtime, entry = LANGUAGES[language]
    templates = _templates()
    own = templates / language
    source = "bot.c" if language == "c" else entry
    facts = {
        "name": name,
        "game": game,
        "runtime": runtime,
        "entry": source,
        "time_left": TIME_LEFT[language],
        "print_note": PRINT_NOTE[language],
        "start": f"Written by `ninefold bot new`. `{source}` is all there is to it; it plays {TITLES[game]} already.",
        "game_notes": _read(templates / f"{game}.md"),
    }
    facts["language"] = _fill(_read(own / "language.md"), facts)
    code = own / ("bot.c" if language == "c" else f"{game}{Path(entry).suffix}")
    return {
        "bot.toml": f'name = "{name}"\ngames = ["{game}"]\nruntime = "{runtime}"\nentry = "{entry}"\n',
        source: _fill(_read(code), facts) + "\n",
        "README.md": _fill(_read(templates / "README.md"), facts) + "\n",
        "NOTES.md": _fill(_read(templates / "NOTES.md"), facts) + "\n",
    }


def create(folder: Path, name: str, game: str, language: str = "python") -> list[str]:
    """The new bot lies in `folder` (`UsageError` if anything was in it); returns what to do next.

    A bot in C is compiled if the machine has a compiler.
    """
    written = files(name, game, language)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty: choose another name, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in written.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    hints = [f"ninefold play {folder} random"]
    if language == "c" and not _compile(folder):
        hints.insert(0, f"cd {folder} && {' '.join(COMPILE)}  (this machine has no C compiler that did it)")
    return hints


def _compile(folder: Path) -> bool:
    if shutil.which(COMPILE[0]) is None:
        return False
    return subprocess.run(COMPILE, cwd=folder, capture_output=True, check=False).returncode == 0


def _templates() -> Path:
    """The folder of templates, which is installed beside the sample bots."""
    places = [Path(place, "scaffolds") for place in import_module("sample_bots").__path__]
    return next(place for place in places if place.is_dir())


def _read(template: Path) -> str:
    return template.read_text(encoding="utf-8").rstrip("\n")


def _fill(text: str, facts: Mapping[str, str]) -> str:
    """The template with each `{{name}}` replaced; KeyError for one that has no value."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: facts[match[1]], text)
