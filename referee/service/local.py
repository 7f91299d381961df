"""Matches without a league: bots from folders or by built-in name, seeds from one master, replays as they end."""

from __future__ import annotations

import importlib.metadata
import runpy
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from referee.errors import Refused, UsageError
from referee.games import registry
from referee.match.fixture import Clock, FixtureSpec, MatchSpec, SeatSpec
from referee.sandbox.build import CORRECT, one_line
from referee.sandbox.fetch import beyond_platform
from referee.sandbox.node_client import ensure_node_client
from referee.sandbox.rootfs import package_folder
from referee.service import values
from referee.submission import dependencies
from referee.submission import folder as folders
from referee.submission import manifest as manifests
from referee.tournament.seeds import LOCAL_SALT, SEED_BYTES, match_seed
from referee.wording import meant

Progress = Callable[[str], None]
BUILTIN = "builtin:"
"""Before a name: the built-in bot, whatever lies in the current folder."""


@dataclass(frozen=True, slots=True)
class LocalBot:
    """A bot on this machine's disk."""

    manifest: manifests.Manifest
    folder: Path
    digest: str


def builtin_folders() -> dict[tuple[str, str], Path]:
    """The sample bots that come with Ninefold, by (game or `both`, name)."""
    found: dict[tuple[str, str], Path] = {}
    for root in import_module("sample_bots").__path__:
        for kind in (*registry.names(), "both"):
            for described in sorted(Path(root, kind).glob(f"*/{manifests.FILE}")):
                found.setdefault((kind, described.parent.name), described.parent)
    return found


def own_folder(text: str) -> Path | None:
    """The folder that is meant, None for a built-in name: that of a bot, or any that has no such name."""
    path = Path(text)
    named = any(name == text for _, name in builtin_folders())
    return path if path.is_dir() and (not named or (path / manifests.FILE).exists()) else None


def shadowed(text: str) -> str:
    """Which bot is played where the current folder holds a folder with the name of a built-in one; else empty."""
    if not Path(text).is_dir() or not any(name == text for _, name in builtin_folders()):
        return ""
    if own_folder(text) is None:
        return f"{text} is the built-in bot: the folder {text} here holds no {manifests.FILE}"
    return f"{text} is the folder here (./{text} says so); the built-in bot of that name is {BUILTIN}{text}"


def find_bot(text: str, game: str | None) -> LocalBot:
    """The bot of a folder, or else the built-in one of that name (for `game`, where there are several)."""
    path = own_folder(text)
    if path is None:
        text = text.removeprefix(BUILTIN)
        builtin = builtin_folders()
        kinds = [game, "both"] if game else [*registry.names(), "both"]
        named = [builtin[kind, text] for kind in kinds if kind is not None and (kind, text) in builtin]
        if not named:
            names = sorted({name for kind, name in builtin if game is None or kind in {game, "both"}})
            raise UsageError(
                f"{text!r} is neither a folder nor a built-in bot{f' for {game}' if game else ''}{meant(text, names)}; "
                f"give a folder with a bot.toml, or one of: {', '.join(names)}"
            )
        path = named[0]
    found = _manifest(path)
    return LocalBot(found, path.resolve(), folders.digest(path))


def _manifest(path: Path) -> manifests.Manifest:
    """The folder's manifest; a refusal names the folder, as there are several at a table."""
    try:
        return manifests.read(path)
    except Refused as refused:
        raise Refused(refused.stage, f"{path}: {refused.reason}", refused.fix) from None


def make_ready(bots: Sequence[LocalBot], progress: Progress) -> None:
    """The bots can be started as plain processes: their Python compiles, and what Node bots import is on this machine.

    `Refused` at stage `build` as on submission, `UsageError` for what this machine lacks.
    """
    for bot in bots:
        if bot.manifest.runtime == "python" and (wrong := _mistake(bot)):
            raise Refused("build", f"{bot.folder}: {one_line(wrong.encode())}", CORRECT)
        try:
            if lacking := _not_here(bot):
                progress(f"{bot.manifest.name} {lacking} yourself, or play with --sandbox docker")
        except Refused as refused:  # no reason not to play here
            progress(f"{bot.manifest.name} would be {refused}")
    if any(bot.manifest.runtime == "node" for bot in bots):
        ensure_node_client(progress)


def _not_here(bot: LocalBot) -> str:
    """Which dependencies of its own the bot would not find here, and what installs them; empty if there are none."""
    if bot.manifest.runtime == "node":
        modules = bot.folder / "node_modules"
        wanted = [pin.name for pin in dependencies.node_pins(bot.folder) if not (modules / pin.name).is_dir()]
        return (
            f"needs {', '.join(wanted)}, which play does not install: run npm install in {bot.folder}" if wanted else ""
        )
    if bot.manifest.runtime != "python":
        return ""
    pins = {f"{pin.name}=={pin.version}": pin for pin in dependencies.python_pins(bot.folder)}
    beyond_platform(list(pins))
    lacking = [text for text, pin in pins.items() if not _installed(pin)]
    file = bot.folder / "requirements.txt"
    return f"needs {', '.join(lacking)}, which play does not install: run pip install -r {file}" if lacking else ""


def _installed(pin: dependencies.Pin) -> bool:
    try:
        return importlib.metadata.version(pin.name) == pin.version
    except importlib.metadata.PackageNotFoundError:
        return False


def _mistake(bot: LocalBot) -> str:
    checks = package_folder("deploy", "images/syntax.py") / "images" / "syntax.py"
    return str(runpy.run_path(str(checks))["mistake"](str(bot.folder), bot.manifest.entry))


def choose_game(bots: Sequence[str], game: str | None, profile: str | None) -> str:
    """The game to play: the one asked for, the profile's, or else the first that every bot plays."""
    if game is not None:
        registry.get(game)
        return game
    if profile is not None:
        game, slash, _ = profile.partition("/")
        if not slash:
            raise UsageError(f"profile {profile!r} names no game; write it as nines/strict")
        registry.get(game)
        return game
    builtin = builtin_folders()
    common, told = list(registry.names()), []
    for text in bots:
        if (folder := own_folder(text)) is not None:
            plays: set[str] = set(_manifest(folder).games)
        else:
            text = text.removeprefix(BUILTIN)
            plays = {g for g in registry.names() if (g, text) in builtin or ("both", text) in builtin}
        common = [g for g in common if g in plays] if plays else common
        told.append(f"{text} plays {' and '.join(sorted(plays)) or 'none'}")
    if not common:
        raise UsageError(f"no game is played by all: {', '.join(told)}; take bots that play the same")
    return common[0]


def complete_rules(
    game: str, profile: str | None, rules: Sequence[str], players: int
) -> tuple[dict[str, Any], str | None]:
    """All options of the game with their values, and the name of the profile that they are."""
    return values.complete_rules(registry.get(game), profile or "", values.parse_rules(rules), players)


def parse_seed(text: str | None) -> bytes:
    """The master seed: as given, 1 to 64 hex digits, or a fresh one."""
    return secrets.token_bytes(SEED_BYTES) if text is None else values.parse_seed(text, padded=True)


def local_fixture(
    game: str,
    rules: Mapping[str, Any],
    profile: str | None,
    bots: Sequence[LocalBot],
    images: Sequence[str],
    master: bytes,
    matches: int,
    clock: Clock,
) -> FixtureSpec:
    """One seating of these bots for so many matches; `images` as the sandbox takes them."""
    return FixtureSpec(
        fixture_id="local",
        attempt=1,
        game=game,
        rules=rules,
        profile=profile,
        seats=tuple(
            SeatSpec(bot.manifest.name, 1, bot.digest, image, bot.manifest.runtime)
            for bot, image in zip(bots, images, strict=True)
        ),
        matches=tuple(
            MatchSpec(f"local/1/1/{number}", match_seed(master, LOCAL_SALT, 1, number))
            for number in range(1, matches + 1)
        ),
        clock=clock,
    )
