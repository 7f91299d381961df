"""A bot's folder becomes an image: dependencies fetched in one container, installed and compiled in another, no `docker
build`.

Why not: on Docker 20.10 each step of a build is a container and a commit anyway, a build step has no tmpfs, pids limit
or seccomp profile of ours, and its context goes through the engine's disk. Here two locked containers talk through
their streams only, and one commit puts the result over the base: about 0.6 s for a bot without dependencies.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from referee.errors import PlatformFault, Refused
from referee.sandbox import cage
from referee.sandbox.engine import LABEL
from referee.sandbox.fetch import beyond_platform, canonical, fetch, node_job, platform_versions, python_job
from referee.sandbox.image import ENV, commit, labelled
from referee.sandbox.limits import MIB, Limits
from referee.sandbox.lockdown import host_config
from referee.sandbox.owner import owned
from referee.sandbox.rootfs import HOME, Member, Progress, TarWriter, members
from referee.wording import counted

NOT_COMPILED, MISTAKE_BYTES = 65, 400
"""What `install.py` ends with when the bot's own code does not compile, and how much of what it says is told."""
CORRECT = "correct it: Python cannot compile the bot"


@dataclass(frozen=True, slots=True)
class BotSource:
    """What is to be built: which files of `folder` belong to the bot (already judged), and what it needs.

    `requirements`: for Python lines of requirements.txt (`name==version`, hashes allowed); for Node `name@range`.
    """

    name: str
    folder: Path
    files: tuple[str, ...]
    runtime: str
    entry: str
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """A bot's image by id, and its fetched dependencies: wheel's file name (Node: package) to SHA-256, hex."""

    image: str
    dependencies: Mapping[str, str] = field(default_factory=dict)
    reused: bool = False


def build_bot(
    room: cage.Room, source: BotSource, progress: Progress = lambda line: None, network: str = "bridge"
) -> Built:
    """The image of that bot over `room.image`, the base (blocking); the same source and base give the one already made.

    Everything printed on the way is in `room.log`, also when this raises: `Refused` at stage `dependencies` or `build`
    when the upload is to blame, `PlatformFault("docker")` when we are. Stops at the room's deadline; leaves nothing.
    """
    key = _key(room.image, source)
    for found in labelled(room.engine, {LABEL: room.league, f"{LABEL}.source": key}):
        room.log.add(b"built before from the same files; nothing to do\n")
        return Built(found["Id"], json.loads(found["Labels"].get(f"{LABEL}.dependencies", "{}")), reused=True)
    try:
        with tempfile.TemporaryFile(prefix="nf-fetch-") as fetched, tempfile.TemporaryFile(prefix="nf-image-") as tar:
            python = source.runtime == "python"
            wanted = beyond_platform(source.requirements) if python else list(source.requirements)
            if wanted:
                progress(f"fetching {counted(len(wanted), 'dependency', 'dependencies')}")
                fetch(room, python_job(wanted) if python else node_job(wanted), network, fetched)
            packages = list(members(fetched, "wheels/" if python else "node_modules/"))
            _check_size(packages, room.limits, "fetched")
            dependencies = _digests(packages) if python else _package_digests(packages)
            progress("building the image")
            _assemble(room, source, packages, tar)
            tar.seek(0)
            image = _commit(room, source, key, dependencies, tar)
    except cage.CageTimeout:
        raise Refused(
            "build",
            f"the build was not finished after {room.limits.build_seconds:g} s",
            "use fewer or smaller dependencies",
        ) from None
    progress("built")
    return Built(image, dependencies)


def _check_size(files: list[Member], limits: Limits, how: str) -> None:
    size = sum(len(data) for _, data, _ in files)
    if size > limits.dependencies_bytes:
        raise Refused(
            "dependencies",
            f"the {how} dependencies hold {size / MIB:.1f} MiB, the limit is {limits.dependencies_mib} MiB",
            "use fewer or smaller dependencies",
        )


def _digests(wheels: list[Member]) -> dict[str, str]:
    return {name.removeprefix("wheels/"): hashlib.sha256(data).hexdigest() for name, data, _ in wheels}


def _package_digests(files: list[Member]) -> dict[str, str]:
    """One digest for each Node package, over its files: npm unpacks what it fetches."""
    packages: dict[str, Any] = {}
    for name, data, _ in sorted(files):
        parts = name.split("/")[1:]
        package = "/".join(parts[:2] if parts[0].startswith("@") else parts[:1])
        if package != ".package-lock.json":
            lines = packages.setdefault(package, hashlib.sha256())
            lines.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return {package: lines.hexdigest() for package, lines in packages.items()}


def _key(base: str, source: BotSource) -> str:
    """Names everything that decides what the image holds."""
    whole = hashlib.sha256(json.dumps([base, source.runtime, source.entry, source.requirements]).encode())
    for name in sorted(source.files):
        path = source.folder / name
        run_bit = b"x" if path.stat().st_mode & 0o100 else b"-"
        whole.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest() + run_bit)
    return whole.hexdigest()


def _assemble(room: cage.Room, source: BotSource, packages: list[Member], out: IO[bytes]) -> None:
    """`out` holds /bot and what it needs, owned by root and read-only for the bot."""
    tar = TarWriter(out)
    code = {name: unix_script((source.folder / name).read_bytes()) for name in source.files}
    for name, data in code.items():
        runnable = (source.folder / name).stat().st_mode & 0o100 or (source.runtime == "stdio" and name == source.entry)
        tar.file(f"bot/{name}", data, 0o755 if runnable else 0o644)
    if source.runtime == "python":
        ours = platform_versions()  # fetched because something depends on them; the base has the very same
        wheels = [m for m in packages if canonical(m[0].removeprefix("wheels/").split("-")[0]) not in ours]
        for name, data, mode in _installed(room, source.entry, code, wheels):
            if name not in {f"bot/{own}" for own in code}:
                tar.file(name, data, 0o755 if mode & 0o100 else 0o644)
    else:
        for name, data, mode in packages:
            tar.file(f"bot/{name}", data, 0o755 if mode & 0o100 else 0o644)
    tar.close()


def _installed(room: cage.Room, entry: str, code: Mapping[str, bytes], wheels: list[Member]) -> list[Member]:
    """Dependencies as installed and all compiled files, out of a container without network."""
    limits = room.limits
    given = io.BytesIO()
    tar = TarWriter(given)
    for name, data, _ in wheels:
        tar.file(name, data)
    for name, data in code.items():
        if name.endswith(".py"):
            tar.file(f"bot/{name}", data)
    tar.close()
    text = given.getvalue()
    with tempfile.TemporaryFile(prefix="nf-install-") as out:
        try:
            finished = room.run(
                ["python3.11", f"/{HOME}/install.py", str(len(text)), entry],
                out,
                room.log,
                host=host_config(cage.build_limits(limits), room.runtime),
                stdin=text,
                out_limit=limits.dependencies_bytes + limits.unpacked_mib * MIB,
                purpose="install",
            )
        except cage.CageFlood:
            raise Refused(
                "dependencies",
                f"the installed dependencies hold more than {limits.dependencies_mib} MiB",
                "use fewer or smaller dependencies",
            ) from None
        if finished.code == NOT_COMPILED:
            out.seek(0)
            raise Refused("build", one_line(out.read(MISTAKE_BYTES)), CORRECT)
        if finished.out_of_memory or finished.code:
            what = f"reached {limits.build_memory_mib} MiB of memory" if finished.out_of_memory else "failed"
            raise Refused("build", f"installing and compiling {what} (code {finished.code})", "see the build log")
        made = list(members(out, "deps/", "bot/"))
    _check_size([member for member in made if member[0].startswith("deps/")], limits, "installed")
    return made


def one_line(text: bytes) -> str:
    """What a program in the cage says, in one line without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text.decode("utf-8", "replace"))


def unix_script(data: bytes) -> bytes:
    """`data`, with LF line endings if it is a script whose first line names its program and ends in CR LF."""
    first = data.split(b"\n", 1)[0]
    if first.startswith(b"#!") and first.endswith(b"\r") and b"\0" not in data:
        return data.replace(b"\r\n", b"\n")
    return data


def command(runtime: str, entry: str) -> list[str]:
    """What a bot's container runs first."""
    if runtime == "python":
        return ["python3.11", "-u", f"/{HOME}/start.py", f"/bot/{entry}"]
    if runtime == "node":
        return ["node", f"/bot/{entry}"]
    return ["python3.11", "-u", "-m", "botkit.stdio", f"/bot/{entry}"]


def _commit(room: cage.Room, source: BotSource, key: str, dependencies: Mapping[str, str], tar: IO[bytes]) -> str:
    """A container that never runs takes the files and is committed."""
    engine = room.engine
    labels = {LABEL: room.league, f"{LABEL}.purpose": "bot"}
    taking = {"Image": room.image, "Cmd": ["true"], "Labels": owned(room.league), "HostConfig": {"NetworkMode": "none"}}
    name = str(engine.blocking(engine.api.create_container_from_config, taking)["Id"])
    try:
        if not engine.blocking(engine.api.put_archive, name, "/", tar):
            raise PlatformFault("docker", "the engine did not take the bot's files")
        labels |= {
            f"{LABEL}.bot": source.name,
            f"{LABEL}.source": key,
            f"{LABEL}.dependencies": json.dumps(dict(dependencies)),
        }
        started = {"Cmd": command(source.runtime, source.entry), "Env": ENV, "Labels": labels}
        return commit(engine, name, None, started)
    finally:
        engine.blocking(engine.remove_container, name)
