"""The `ninefold` module for Node bots that run as plain processes: with its packages, which npm fetches once.

The image has the module with all it needs (`node.py`); what is installed of Ninefold on this machine has its own files
only, as no Python package can bring npm's. They go into the user's cache, by the lock file, under a name that changes
with the module.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from referee.errors import UsageError
from referee.sandbox.rootfs import Progress, package_folder

NEEDED = Path("node_modules", "@grpc", "grpc-js", "package.json")
INSTALL = ("npm", "ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error")
INSTALL_S = 300.0
ELSE = "or play with --sandbox docker, where the image has it all"


def node_client() -> Path | None:
    """The module's folder with its packages: the checkout's own, or the one in the cache; None if there is none."""
    return next((folder for folder in (_source(), _cached()) if (folder / NEEDED).is_file()), None)


def ensure_node_client(progress: Progress = lambda line: None) -> Path:
    """That folder, its packages fetched by npm if they were not there (blocking); `UsageError` says what is missing."""
    if shutil.which("node") is None:
        raise UsageError(
            f"a Node bot needs Node.js here, and there is no node on PATH; install Node.js 18 or newer, {ELSE}"
        )
    if (found := node_client()) is not None:
        return found
    if shutil.which("npm") is None:
        raise UsageError(f"the Node module's packages are fetched by npm, which is not on PATH; install npm, {ELSE}")
    progress("fetching what the Node module needs with npm, once")
    target = _cached()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{target.name}-", dir=target.parent) as scratch:
            made = Path(scratch, "ninefold")
            made.mkdir()
            for path in _files():
                shutil.copy2(path, made)
            _install(made)
            with contextlib.suppress(OSError):  # another `play` was quicker
                made.rename(target)
    except OSError as error:
        raise UsageError(f"the Node module cannot be put into {target}: {error}; set XDG_CACHE_HOME, {ELSE}") from None
    if not (target / NEEDED).is_file():
        raise UsageError(f"{target} is there, but not whole; remove it and try again")
    return target


def _install(folder: Path) -> None:
    by_hand = f"run `npm ci` in {_source()} yourself"
    try:
        done = subprocess.run(
            INSTALL, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"npm did not fetch the Node module's packages in {INSTALL_S:g} s; {by_hand}, {ELSE}"
        ) from None
    if done.returncode or not (folder / NEEDED).is_file():
        lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "A complete log" not in line]
        why = " ".join(" ".join(lines).split())[:300] or f"npm ended with code {done.returncode}"
        raise UsageError(f"npm could not fetch the Node module's packages ({why}); {by_hand}, {ELSE}")


def _source() -> Path:
    return package_folder("sample_bots", "botkit_node/index.js") / "botkit_node"


def _files() -> list[Path]:
    return [path for path in sorted(_source().iterdir()) if path.suffix in {".js", ".json"}]


def _cached() -> Path:
    whole = hashlib.sha256()
    for path in _files():
        whole.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
    return home / "ninefold" / f"node-{whole.hexdigest()[:16]}"
