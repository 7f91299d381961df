"""requirements.txt and package.json: pinned names from the index and nothing else, checked before any installer.

A dependency file is a program for an installer: options, paths, addresses and variables in it would reach the host or
another index, scripts would run. Each such line is refused by name.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import Refused
from referee.submission import paths
from referee.wording import described, unread

_PIN = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,80}[A-Za-z0-9])?)\s*==\s*(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]{0,60})"
)
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
_MAX_BYTES = 256 * 1024
_MAX_LINES = 200

_NODE_NAME = re.compile(r"(?:@[a-z0-9][a-z0-9._-]{0,60}/)?[a-z0-9][a-z0-9._-]{0,80}")
_NODE_VERSION = re.compile(r"(?:[~^]|[<>]=?)?\d+(?:\.(?:\d+|x|\*)){0,2}(?:-[0-9A-Za-z.-]{1,40})?")
_NODE_KEYS = frozenset({
    "name", "version", "description", "main", "type", "license", "private", "author", "keywords", "engines",
    "dependencies",
})  # fmt: skip
_NODE_FORBIDDEN_FILES = (".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "binding.gyp")


@dataclass(frozen=True, slots=True)
class Pin:
    """One dependency: its name and version as written, and the hashes it may have (empty: any)."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name as an index knows it."""
        return re.sub(r"[-_.]+", "-", self.name).lower()


def python_pins(folder: Path) -> tuple[Pin, ...]:
    """The pins of `requirements.txt`, in order; empty if there is none. `Refused` names the line and what is wrong."""
    path = folder / "requirements.txt"
    if not path.exists():
        return ()
    pins: dict[str, Pin] = {}
    for number, line in _logical_lines(_text(path, "requirements.txt")):
        pin = _python_pin(number, line)
        if pin.key in pins:
            raise _refused(f"requirements.txt line {number} names {pin.name} a second time", "name each package once")
        pins[pin.key] = pin
    if len(pins) > _MAX_LINES:
        raise _refused(
            f"requirements.txt names {len(pins)} packages, the limit is {_MAX_LINES}",
            "leave out what the bot does not need",
        )
    return tuple(pins.values())


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers, joined where one ends in a backslash, comments and blanks left out."""
    lines: list[tuple[int, str]] = []
    pending, start = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1] + " "
            continue
        if line := (pending + line).strip():
            lines.append((start, line))
        pending = ""
    if pending.strip():
        lines.append((start, pending.strip()))
    return lines


def _python_pin(number: int, line: str) -> Pin:
    def refuse(why: str) -> Refused:
        return _refused(
            f"requirements.txt line {number} {paths.shown(line)} {why}",
            "write name==version, with or without --hash=sha256:…, and nothing else",
        )

    if line.startswith("-"):
        raise refuse("is an option")
    if "$" in line:
        raise refuse("holds a variable")
    if "://" in line or " @ " in line or re.search(r"\b(?:file|git|hg|svn|bzr)(?:\+|:)", line):
        raise refuse("is an address")
    head, *options = line.split(" --") if " --" in line else [line]
    if "/" in head or "\\" in head or head.startswith(".") or re.search(r"\.(?:whl|zip|tar|tar\.gz|tgz)$", head):
        raise refuse("is a path or a local archive")
    if ";" in head:
        raise refuse("has a condition")
    if "[" in head:
        raise refuse("asks for extras")
    match = _PIN.fullmatch(head.strip())
    if match is None:
        raise refuse("is not one pinned version")
    hashes = tuple(f"--{option.strip()}" for option in options)
    for text in hashes:
        if not _HASH.fullmatch(text):
            raise refuse(f"has the option {paths.shown(text)}")
    return Pin(match["name"], match["version"], tuple(text.removeprefix("--hash=sha256:") for text in hashes))


def node_pins(folder: Path) -> tuple[Pin, ...]:
    """The dependencies of `package.json`, sorted by name; empty when there is none. `Refused` names the field."""
    for name in _NODE_FORBIDDEN_FILES:
        if (folder / name).exists():
            raise _refused(f"{name} would steer the installer", "remove it")
    path = folder / "package.json"
    if not path.exists():
        return ()
    try:
        document: Any = json.loads(_text(path, "package.json"))
    except (ValueError, RecursionError) as error:
        raise _refused(f"package.json is not valid JSON ({unread(error)})", "correct it") from None
    if not isinstance(document, dict):
        raise _refused("package.json is not an object", "correct it")
    if scripts := document.pop("scripts", None):
        first = next(iter(scripts)) if isinstance(scripts, dict) and scripts else scripts
        raise _refused(
            f"package.json has the script {described(first)}", "remove scripts: nothing is run at installation"
        )
    for key in document:
        if key not in _NODE_KEYS:
            raise _refused(f"package.json has the field {paths.shown(key)}", f"keep to {', '.join(sorted(_NODE_KEYS))}")
    wanted = document.get("dependencies", {})
    if not isinstance(wanted, dict):
        raise _refused("package.json: dependencies is not an object", "correct it")
    if len(wanted) > _MAX_LINES:
        raise _refused(
            f"package.json names {len(wanted)} packages, the limit is {_MAX_LINES}",
            "leave out what the bot does not need",
        )
    for name, version in wanted.items():
        if not _NODE_NAME.fullmatch(name):
            raise _refused(f"package.json: {paths.shown(name)} is not a package's name", "use the name on the registry")
        if not isinstance(version, str) or not _NODE_VERSION.fullmatch(version):
            raise _refused(
                f"package.json: {paths.shown(name)} asks for {described(version)}",
                "use a version from the registry, such as 1.2.3 or ^1.2.3",
            )
    return tuple(Pin(name, version) for name, version in sorted(wanted.items()))


def _text(path: Path, name: str) -> str:
    if path.is_symlink() or not path.is_file():
        raise _refused(f"{name} is not a plain file", "make it one")
    raw = path.read_bytes()
    if len(raw) > _MAX_BYTES:
        raise _refused(
            f"{name} has {len(raw):,} bytes, the limit is {_MAX_BYTES:,}", "leave out what the bot does not need"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(f"{name} is not UTF-8 (byte {error.start})", "save it as UTF-8") from None


def _refused(reason: str, fix: str) -> Refused:
    return Refused("dependencies", reason, fix)
