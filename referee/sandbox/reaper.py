"""Removes what the league itself left behind: containers, sockets, folders, images. It touches nothing else."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker.errors

from referee.errors import PlatformFault
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.image import REPOSITORY, ROOT_REPOSITORY, bot_repository, labelled
from referee.sandbox.node import NODE_REPOSITORY, NODE_ROOT_REPOSITORY
from referee.sandbox.owner import OWNER, abandoned, ended
from referee.sandbox.rundir import run_bases

OLD_BASE_SECONDS = 7 * 24 * 3600
SPARE_BASE_SECONDS = 24 * 3600
SPARE_BASES = 3
"""Of each kind so many bases may be a week old though no bot stands on them; the others go after a day."""


@dataclass(frozen=True, slots=True)
class Reaped:
    """What was removed, by name."""

    containers: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    images: tuple[str, ...] = ()


def reap(engine: Engine, league: str) -> Reaped:
    """No container, socket or folder is left of a process of this league that has ended (blocking).

    For start-up and every few minutes: what living processes of the league own stays, whichever they are.
    """
    return Reaped(containers=reap_containers(engine, league), folders=reap_folders(league))


def reap_containers(engine: Engine, league: str) -> tuple[str, ...]:
    """Removes the containers of `league` (and of base builds) whose owner has ended; their names."""
    gone: list[str] = []
    for value in (league, "base"):
        found = engine.blocking(engine.api.containers, all=True, filters={"label": f"{LABEL}={value}"})
        for container in found:
            if abandoned(container["Labels"].get(OWNER, "")):
                engine.blocking(engine.remove_container, container["Id"])
                gone.append(container["Names"][0].lstrip("/"))
    return tuple(gone)


def reap_folders(league: str) -> tuple[str, ...]:
    """Removes run folders of `league`, and scratch folders of base builds, whose process has ended; their paths."""
    names = re.compile(rf"(?:nf-{re.escape(league)}|nf-base)-(\d+)-(\d+)-\w+")
    gone: list[str] = []
    for base in {*run_bases(), Path(tempfile.gettempdir())}:
        with contextlib.suppress(OSError):
            for path in sorted(base.iterdir()):
                match = names.fullmatch(path.name)
                if match is None or path.is_symlink() or not path.is_dir():
                    continue
                if ended(int(match[1]), int(match[2])):
                    shutil.rmtree(path, ignore_errors=True)
                    gone.append(str(path))
    return tuple(gone)


def reap_images(engine: Engine, league: str, referenced: Iterable[str], newest: int = 50) -> tuple[str, ...]:
    """Bot images of `league` that are neither `referenced` nor among the `newest`, and old unused bases, are removed.

    `referenced` are the image ids that the league may still start: admitted versions and running tournaments. An image
    in use stays whatever is said here. Returns the removed ids and tags.
    """
    keep, gone = set(referenced), []
    for image in _bots(engine, league)[newest:]:
        names = _names_of(image, league)
        if image["Id"] not in keep and names and _all_removed(engine, names):
            gone.append(image["Id"])
    return (*gone, *_reap_bases(engine))


def remove_images(engine: Engine, league: str) -> tuple[str, ...]:
    """No bot image of `league` is left but those that a container uses or another league has named; the removed ids."""
    found = [(image["Id"], _names_of(image, league)) for image in _bots(engine, league)]
    return tuple(image for image, names in found if names and _all_removed(engine, names))


def leagues_of_images(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """The bots' images on this engine by the league that would have to remove them."""
    built = labelled(engine, {f"{LABEL}.purpose": "bot"})
    named = engine.blocking(engine.api.images, name=bot_repository("*"))
    found: dict[str, list[dict[str, Any]]] = {}
    for image in {image["Id"]: image for image in (*built, *named)}.values():
        prefix = bot_repository("")
        owners = {tag.partition(":")[0].removeprefix(prefix) for tag in _tags(image) if tag.startswith(prefix)}
        if not owners and (league := (image["Labels"] or {}).get(LABEL)):
            owners = {league}
        for owner in owners:
            found.setdefault(owner, []).append(image)
    return found


def _names_of(image: dict[str, Any], league: str) -> list[str]:
    """By what `league` removes the image: its own tags, or the id where nobody has named it; else nothing."""
    tags = _tags(image)
    return [tag for tag in tags if tag.startswith(f"{bot_repository(league)}:")] if tags else [image["Id"]]


def _tags(image: dict[str, Any]) -> list[str]:
    return [tag for tag in image["RepoTags"] or () if not tag.startswith("<none>")]


def _bots(engine: Engine, league: str) -> list[dict[str, Any]]:
    """Images of bots that were built here or brought here by `league`, newest first."""
    built = labelled(engine, {LABEL: league, f"{LABEL}.purpose": "bot"})
    brought = engine.blocking(engine.api.images, name=bot_repository(league))
    found = {image["Id"]: image for image in (*built, *brought)}
    return sorted(found.values(), key=lambda image: (-image["Created"], image["Id"]))


def _reap_bases(engine: Engine) -> list[str]:
    """Bases a week old that no bot image stands on, or a day old if there are many; the newest of each kind stays."""
    used = {image["Labels"].get(f"{LABEL}.base") for image in labelled(engine, {f"{LABEL}.purpose": "bot"})}
    found: dict[str, list[tuple[float, str]]] = {}
    for image in labelled(engine, {f"{LABEL}.base": None}):
        for tag in image["RepoTags"] or []:
            found.setdefault(tag.partition(":")[0], []).append((time.time() - image["Created"], tag))
    gone = []
    for repository in (REPOSITORY, ROOT_REPOSITORY, NODE_REPOSITORY, NODE_ROOT_REPOSITORY):
        bases = sorted(found.get(repository, []))
        for number, (age, tag) in enumerate(bases):
            limit = OLD_BASE_SECONDS if number < SPARE_BASES else SPARE_BASE_SECONDS
            if number and age > limit and tag not in used and _removed(engine, tag):
                gone.append(tag)
    return gone


def _all_removed(engine: Engine, names: Iterable[str]) -> bool:
    removed = [_removed(engine, name) for name in names]  # each is tried, whatever becomes of the others
    return all(removed)


def _removed(engine: Engine, name: str) -> bool:
    try:
        engine.api.remove_image(name)
    except docker.errors.APIError:  # in use, or already gone
        return False
    except OSError as error:
        raise PlatformFault("docker", str(error)) from error
    return True
