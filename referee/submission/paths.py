"""Which names a file of an upload may have."""

from __future__ import annotations

import re
import unicodedata

from referee.errors import Refused
from referee.submission.limits import UploadLimits

_DRIVE = re.compile(r"^[A-Za-z]:")
IGNORED_FOLDERS = frozenset(
    {"__MACOSX", "__pycache__", ".git", ".hg", ".svn", ".venv", "venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
)
"""Folders that tools leave behind; never part of a bot (nor is `node_modules`, which the build makes itself)."""
IGNORED_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def shown(name: str) -> str:
    """The name in quotes, safe to print whatever characters it holds, at most 100 characters."""
    text = ascii(name)
    return text if len(text) <= 100 else f"{text[:97]}...'"


def checked(name: str, limits: UploadLimits) -> tuple[str, ...]:
    """The parts of a relative path that stays inside its folder; `Refused` names the entry and what is wrong."""

    def refuse(why: str, fix: str) -> Refused:
        return Refused("unpack", f"entry {shown(name)} {why}", fix)

    try:
        encoded = name.encode("utf-8")
    except UnicodeEncodeError:
        raise refuse("has a name that is not UTF-8", "rename it") from None
    if _DRIVE.match(name):
        raise refuse("is a drive path", "pack paths relative to the bot's folder")
    if "\\" in name:
        raise refuse("has a backslash in its name", "use / between folders, as zip and tar do")
    if name.startswith("/"):
        raise refuse("is an absolute path", "pack paths relative to the bot's folder")
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs"} for c in name):
        raise refuse("has a control character in its name", "rename it")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise refuse("points outside its own folder", "pack paths relative to the bot's folder")
    if len(encoded) > limits.path_bytes:
        raise refuse(f"has a name of {len(encoded)} bytes, the limit is {limits.path_bytes}", "shorten it")
    if len(parts) > limits.depth:
        raise refuse(f"lies {len(parts)} folders deep, the limit is {limits.depth}", "flatten the folders")
    return parts


def ignored(parts: tuple[str, ...]) -> bool:
    """Whether a tool, not the author, put this file there."""
    return bool(parts) and (
        not IGNORED_FOLDERS.isdisjoint(parts) or parts[0] == "node_modules" or parts[-1] in IGNORED_FILES
    )


def folded(parts: tuple[str, ...]) -> str:
    """The path as a file system that knows no letter case and no Unicode forms would see it."""
    return unicodedata.normalize("NFKC", "/".join(parts)).casefold()
