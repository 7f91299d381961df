"""The base images: built once, found again by a tag that is a hash over everything that goes into them."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from docker.errors import ImageNotFound

from referee.errors import PlatformFault
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.owner import folder_prefix, owned
from referee.sandbox.rootfs import (
    HOME,
    Progress,
    Recipe,
    debian,
    sources,
    wheels,
    write_rootfs,
    write_sources,
    write_wheels,
)
from referee.sandbox.rundir import run_bases

REPOSITORY = "ninefold-base"
ROOT_REPOSITORY = "ninefold-root"
PATHS = f"/{HOME}/lib:/deps"
"""PYTHONPATH in every image: the platform's libraries win over a bot's dependencies, the bot's own folder over both."""
ENV = {
    "PATH": "/usr/local/bin:/usr/bin",
    "HOME": "/tmp",  # noqa: S108
    "USER": "bot",
    "LOGNAME": "bot",
    "LANG": "C.UTF-8",
    "PYTHONPATH": PATHS,
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    "GRPC_ENABLE_FORK_SUPPORT": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "NINEFOLD_SOCKET": "/run/ninefold/seat.sock",
}


def base_tag(pull: bool = False) -> str:
    """`ninefold-base:<hash>` over recipe, pins and sources; the same on every machine that has the same Ninefold."""
    return hashed_tag(REPOSITORY, Recipe.load().files | sources(), pull)


def hashed_tag(repository: str, files: Mapping[str, bytes], *choices: object) -> str:
    """`repository:<hash>` over these files, the choices and the machine's architecture."""
    digest = hashlib.sha256(f"5 {choices} {platform.machine()} {ENV}".encode())
    for name, data in sorted(files.items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return f"{repository}:{digest.hexdigest()[:16]}"


def ensure_base(engine: Engine, progress: Progress = lambda line: None, pull: bool = False) -> str:
    """The id of the base image for Python and stdio bots, built if this engine has none of this version (blocking).

    About 30 MB to fetch, half a minute; a few seconds where only our own sources changed. `pull` starts from the usual
    Python image instead of Debian's packages. `PlatformFault("docker")` says what is missing.
    """
    tag = base_tag(pull)
    if (found := image_id(engine, tag)) is not None:
        return found
    with building():
        return image_id(engine, tag) or _build(engine, progress, tag, pull)


@contextlib.contextmanager
def building() -> Iterator[None]:
    """One process of this user at a time makes base images; the others wait and then find them."""
    path = run_bases()[-1] / f"nf-base-{os.getuid()}.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(engine: Engine, progress: Progress, tag: str, pull: bool) -> str:
    root = ensure_root(engine, progress, pull)
    progress("base image: adding botkit and the rules engine")
    tar = io.BytesIO()
    write_sources(tar)
    built = layer(
        engine, root, tar.getvalue(), tag, [f"/{HOME}/lib/{name}" for name in ("botkit", "protos", "referee")]
    )
    progress(f"base image: {tag} is ready")
    return built


def ensure_root(engine: Engine, progress: Progress, pull: bool) -> str:
    """The tag of what lies below our own sources: system, Python, wheels; changes only with the recipe and its pins."""
    recipe = Recipe.load()
    files = {name: recipe.files[name] for name in ("base.toml", "requirements.txt", "tools.txt", "compile.py")}
    tag = hashed_tag(ROOT_REPOSITORY, files, pull)
    if image_id(engine, tag) is not None:
        return tag
    machine = platform.machine()
    with tempfile.TemporaryDirectory(prefix=folder_prefix("base")) as name:
        scratch = Path(name)
        unzipped = {
            "lib": wheels(recipe, "requirements.txt", machine, progress, scratch),
            "tools": wheels(recipe, "tools.txt", machine, progress, scratch),
        }
        with (scratch / "wheels.tar").open("wb") as out:
            write_wheels(recipe, unzipped, out)
        if pull:
            progress(f"base image: pulling {recipe.pulled}")
            bare = recipe.pulled
            repository, _, version = bare.partition(":")
            engine.blocking(engine.api.pull, repository, tag=version)
        else:
            packages = debian(recipe, recipe.packages, progress, scratch)
            with (scratch / "root.tar").open("wb") as out:
                write_rootfs(recipe, packages, out)
            progress("base image: importing the root file system")
            bare = f"{tag}-bare"
            repository, _, version = bare.partition(":")
            engine.blocking(
                engine.api.import_image_from_file, str(scratch / "root.tar"), repository=repository, tag=version
            )
        progress("base image: compiling the standard library and the wheels")
        try:
            with (scratch / "wheels.tar").open("rb") as data:
                layer(engine, bare, data, tag)
        finally:
            if not pull:  # its layer stays, under the finished image
                engine.blocking(engine.api.remove_image, bare, noprune=True)
    return tag


def layer(
    engine: Engine,
    below: str,
    tar: bytes | IO[bytes],
    tag: str,
    compiled: Sequence[str] = (),
    env: Mapping[str, str] = ENV,
) -> str:
    """Puts `tar` over the image `below`, compiles those folders (else all) in a container without network, commits."""
    created = engine.blocking(
        engine.api.create_container_from_config,
        {
            "Image": below,
            "Cmd": ["python3.11", "-I", f"/{HOME}/compile.py", *compiled],
            "Env": [f"PATH={ENV['PATH']}"],
            "User": "0",
            "NetworkDisabled": True,
            "Labels": owned("base"),
            "HostConfig": {"NetworkMode": "none", "CapDrop": ["ALL"], "SecurityOpt": ["no-new-privileges:true"]},
        },
    )
    name = str(created["Id"])
    try:
        engine.blocking(engine.api.put_archive, name, "/", tar)
        engine.blocking(engine.api.start, name)
        status = engine.blocking(engine.api.wait, name)
        if status["StatusCode"]:
            output = engine.blocking(engine.api.logs, name, tail=5).decode("utf-8", "replace")
            raise PlatformFault("docker", f"compiling the base image failed with code {status['StatusCode']}: {output}")
        return commit(engine, name, tag, {"Cmd": ["python3.11"], "Env": env, "Labels": {f"{LABEL}.base": tag}})
    finally:
        engine.blocking(engine.remove_container, name)


def commit(engine: Engine, container: str, tag: str | None, config: dict[str, Any]) -> str:
    """The id of a new image: the container's files with this `config` (Env as a mapping), tagged if `tag` is given."""
    repository, _, version = (tag or "").partition(":")
    settings = {
        "Cmd": config["Cmd"],
        "Entrypoint": None,
        "Env": [f"{key}={value}" for key, value in config["Env"].items()],
        "Labels": {f"{LABEL}.owner": "", **config["Labels"]},  # a commit inherits the container's own
        "User": "65534:65534",
        "WorkingDir": "/bot",
    }
    answer = engine.blocking(
        engine.api.commit, container, repository=repository or None, tag=version or None, conf=settings
    )
    return str(answer["Id"])


def image_id(engine: Engine, name: str) -> str | None:
    """The id of the image of that tag or id on this engine, or None."""

    def find() -> str | None:
        try:
            return str(engine.api.inspect_image(name)["Id"])  # type: ignore[no-untyped-call]
        except ImageNotFound:
            return None

    return engine.blocking(find)


def bot_repository(league: str) -> str:
    """Under which name this installation tags the bots' images that it built or fetched, wherever they were made.

    The tag also keeps them from `docker image prune`, which takes images without one.
    """
    return f"ninefold-bot-{league}"


def labelled(engine: Engine, labels: Mapping[str, str | None]) -> list[dict[str, Any]]:
    """The images with all these labels (None: any value), newest first, as the engine lists them (`Id`, `Labels` …)."""
    wanted = [key if value is None else f"{key}={value}" for key, value in labels.items()]
    found: list[dict[str, Any]] = engine.blocking(engine.api.images, filters={"label": wanted})
    return sorted(found, key=lambda image: (-image["Created"], image["Id"]))


def save(engine: Engine, image: str, out: IO[bytes]) -> None:
    """`out` holds the image with its base as a tar that `load` takes on another machine; its id stays the same."""
    for chunk in engine.blocking(engine.api.get_image, image):
        out.write(chunk)


def load(engine: Engine, tar: IO[bytes], expected: str) -> str:
    """The image from `save` is on this engine; `PlatformFault` unless its id, a content digest, is `expected`."""
    for _ in engine.blocking(engine.api.load_image, tar):
        pass
    found = image_id(engine, expected)
    if found is None:
        raise PlatformFault("docker", f"the loaded archive does not hold image {expected}; export it again")
    return found
