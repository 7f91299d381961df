"""bot.toml: what a folder says it is, checked against what the folder holds."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import Refused
from referee.games import registry
from referee.submission import paths
from referee.wording import described, meant, unread

FILE = "bot.toml"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{1,31}")
RUNTIMES = ("python", "node", "stdio")
_KEYS = ("name", "games", "runtime", "entry")
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Manifest:
    """A bot's name, the games it plays, what runs it, and the file that is run, relative to its folder."""

    name: str
    games: tuple[str, ...]
    runtime: str
    entry: str


def check_name(name: str) -> str:
    """The name, if a bot may have it."""
    if not NAME.fullmatch(name):
        raise _refused(
            f"name {paths.shown(name)} is not allowed",
            "use 2 to 32 of a-z, 0-9 and -, beginning with a letter or digit",
        )
    return name


def read(folder: Path) -> Manifest:
    """The folder's manifest; `Refused` (stage `manifest`) says what was expected and what was found."""
    path = _the_manifest(folder)
    raw = path.read_bytes()
    if len(raw) > _MAX_BYTES:
        raise _refused(f"{FILE} has {len(raw):,} bytes, the limit is {_MAX_BYTES:,}", "keep the four keys only")
    try:
        document = tomllib.loads(raw.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise _refused(f"{FILE} is not UTF-8 (byte {error.start})", "save it as UTF-8") from None
    except (ValueError, RecursionError) as error:  # no TOML, or a number of thousands of digits
        raise _refused(f"{FILE} is not valid TOML ({unread(error)})", "correct it") from None
    for key in document:
        if key not in _KEYS:
            near = meant(key, _KEYS)
            raise _refused(f"{FILE} has an unknown key {paths.shown(key)}{near}", f"known are {', '.join(_KEYS)}")
    name = check_name(_text(document, "name"))
    games = _games(document)
    runtime = _text(document, "runtime")
    if runtime not in RUNTIMES:
        near = meant(runtime, RUNTIMES)
        raise _refused(f"runtime {paths.shown(runtime)} is not known{near}", f"use one of {', '.join(RUNTIMES)}")
    entry = _text(document, "entry")
    _check_entry(folder, entry, runtime)
    return Manifest(name, games, runtime, entry)


def _the_manifest(folder: Path) -> Path:
    path = folder / FILE
    if not folder.is_dir():
        raise _refused(f"{paths.shown(str(folder))} is not a folder", f"name a folder that holds {FILE}")
    names = sorted(p.name for p in folder.iterdir())
    if FILE in names and path.is_file() and not path.is_symlink():
        return path
    if near := next((n for n in names if n.casefold() == FILE), None):
        raise _refused(f"{FILE} is expected, {paths.shown(near)} was found", f"name the file exactly {FILE}")
    if deeper := next((p for p in sorted(folder.glob(f"*/{FILE}"))), None):
        raise _refused(
            f"{FILE} is expected at the top, it was found in {paths.shown(deeper.parent.name)}", "move it to the top"
        )
    raise _refused(
        f"{FILE} is missing (found: {', '.join(paths.shown(n) for n in names[:6]) or 'nothing'})",
        f"add {FILE} with {', '.join(_KEYS)}",
    )


def _check_entry(folder: Path, entry: str, runtime: str) -> None:
    parts = tuple(entry.split("/"))
    if entry.startswith("/") or "\\" in entry or any(p in ("", ".", "..") for p in parts):
        raise _refused(
            f"entry {paths.shown(entry)} is not a path inside the bot's folder", "name a file relative to bot.toml"
        )
    here = folder
    for part in parts:
        names = sorted(p.name for p in here.iterdir()) if here.is_dir() and not here.is_symlink() else []
        if part not in names:
            near = next((n for n in names if n.casefold() == part.casefold()), None)
            elsewhere = next(
                (
                    str(p.relative_to(folder))
                    for p in sorted(folder.rglob("*"))
                    if p.name.casefold() == parts[-1].casefold()
                ),
                None,
            )
            if near is not None:
                raise _refused(
                    f"entry {paths.shown(entry)} was not found, {paths.shown(near)} was", "letter case must be the same"
                )
            if runtime == "stdio" and f"{part}.c" in names:
                raise _refused(
                    f"entry {paths.shown(entry)} was not found, its source {paths.shown(f'{part}.c')} was",
                    f"compile it where it lies: cc -O2 -static -o {part} {part}.c",
                )
            if elsewhere is not None:
                raise _refused(
                    f"entry {paths.shown(entry)} was not found, {paths.shown(elsewhere)} was",
                    "correct entry in bot.toml or move the file",
                )
            raise _refused(
                f"entry {paths.shown(entry)} was not found (found: {', '.join(map(paths.shown, names[:6]))})",
                "correct entry in bot.toml",
            )
        here = here / part
    if not here.is_file() or here.is_symlink():
        raise _refused(f"entry {paths.shown(entry)} is not a file", "name the file to run")
    suffixes = {"python": (".py",), "node": (".js", ".mjs", ".cjs")}.get(runtime)
    if suffixes and here.suffix not in suffixes:
        raise _refused(
            f"entry {paths.shown(entry)} does not end in {' or '.join(suffixes)}", f"runtime {runtime} runs such a file"
        )
    if runtime == "stdio":
        with here.open("rb") as file:
            first = file.readline(200)
        if first.startswith(b"#!") and first.endswith(b"\r\n"):
            raise _refused(
                f"{paths.shown(entry)} has Windows line endings, so its first line names no program",
                "save it with LF line endings",
            )


def _games(document: dict[str, Any]) -> tuple[str, ...]:
    games = document.get("games")
    known = registry.names()
    if not isinstance(games, list) or not games or not all(isinstance(g, str) for g in games):
        raise _refused(f"games is {_listed(games)}", f'give a list such as games = ["{known[0]}"]')
    for game in games:
        if game not in known:
            near = meant(game, known)
            raise _refused(f"game {paths.shown(game)} is not played here{near}", f"known are {', '.join(known)}")
    if len(set(games)) != len(games):
        raise _refused("games names one game twice", "name each once")
    return tuple(games)


def _listed(games: object) -> str:
    """What stands where the games should, in a few words."""
    if games is None:
        return "missing"
    other = [game for game in games if not isinstance(game, str)] if isinstance(games, list) else []
    return f"a list with {described(other[0])} in it" if other else described(games)


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    if not isinstance(value, str):
        values = " or ".join(f'"{runtime}"' for runtime in RUNTIMES) if key == "runtime" else '"…"'
        raise _refused(
            f"{key} is missing" if value is None else f"{key} is {described(value)}, not a text",
            f"add a line such as {key} = {values}",
        )
    return value


def _refused(reason: str, fix: str) -> Refused:
    return Refused("manifest", reason, fix)
