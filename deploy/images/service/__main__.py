"""`python -m deploy.images.service [--stand-ins] [--node]`: this engine has the images `deploy/compose.yaml` needs.

No image is pulled and no `docker build` runs: Ninefold's own image is the root file system that bots stand on (Debian
packages, see `deploy/images`), with the wheels of `deploy/requirements.txt` and this very tree over it. The base image
of bots is made too, because the referee of the composition has nothing to make it with. `--stand-ins` adds PostgreSQL
and Redis from Debian packages, for where the official images cannot be pulled (`deploy/compose.debian.yaml`).
"""

from __future__ import annotations

import argparse
import io
import platform
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee.errors import NinefoldError
from referee.sandbox.engine import Engine
from referee.sandbox.image import ENV, building, ensure_base, ensure_root, hashed_tag, image_id, layer
from referee.sandbox.node import ensure_node_base
from referee.sandbox.rootfs import HOME, Recipe, TarWriter, debian, package_folder, wheels, write_rootfs, write_wheels

HERE = Path(__file__).resolve().parent
IMAGE, STAND_INS = "ninefold", "ninefold-stand-ins"
LIB = f"{HOME}/service/site-packages"
"""Beside the libraries of bots, so that neither's versions concern the other; Streamlit looks at the last name."""
OURS = {
    "referee": "referee/__init__.py",
    "worker": "worker/__init__.py",
    "dashboard": "dashboard/__init__.py",
    "protos": "protos/__init__.py",
    "deploy": "deploy/requirements.txt",
    "sample_bots": "sample_bots/botkit_node/index.js",
    "botkit": "botkit/__init__.py",
}
LEFT_OUT = {"__pycache__", "node_modules"}
COMMAND = "#!/usr/bin/python3.11\nfrom referee.cli.main import main\n\nraise SystemExit(main())\n"
POSTGRES = ("postgresql-15", "redis-server", "util-linux", "dash", "coreutils", "sed", "grep")
UNREAD = ("usr/share/perl", "usr/share/perl5", "usr/lib/x86_64-linux-gnu/perl", "usr/lib/postgresql/15/lib/bitcode")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def service(engine: Engine) -> str:
    """The tag of Ninefold's own image of this very tree, made if this engine has none."""
    recipe = Recipe.load()
    pinned = (package_folder("deploy", "requirements.txt") / "requirements.txt").read_bytes()
    pinned = _without_markers(pinned) + (HERE / "requirements.txt").read_bytes()
    ours = dict(tree())
    tag = hashed_tag(IMAGE, {f"{LIB}/{name}": data for name, data in ours.items()} | {"requirements.txt": pinned})
    if image_id(engine, tag) is None:
        with building():
            root = ensure_root(engine, say, pull=False)
        libraries = _libraries(
            engine, root, replace(recipe, files={**recipe.files, "requirements.txt": pinned}), pinned
        )
        tar = io.BytesIO()
        writer = TarWriter(tar)
        for name, data in ours.items():
            writer.file(f"{LIB}/{name}", data)
        writer.file("usr/bin/ninefold", COMMAND.encode(), 0o755)
        writer.folder("data")
        writer.close()
        say("service image: adding Ninefold")
        environment = {**ENV, "PYTHONPATH": f"/{LIB}", "PYTHONUNBUFFERED": "1"}
        layer(engine, libraries, tar.getvalue(), tag, [f"/{LIB}/{name}" for name in OURS], environment)
    engine.api.tag(tag, IMAGE, "latest")
    return tag


def _libraries(engine: Engine, root: str, recipe: Recipe, pinned: bytes) -> str:
    """The tag of what lies below our own tree; it changes only with the pins."""
    tag = hashed_tag(f"{IMAGE}-libraries", {"requirements.txt": pinned, "root": root.encode()})
    if image_id(engine, tag) is not None:
        return tag
    with tempfile.TemporaryDirectory(prefix="nf-service-") as name:
        scratch = Path(name)
        found = wheels(recipe, "requirements.txt", platform.machine(), say, scratch)
        found += wheels(recipe, "tools.txt", platform.machine(), say, scratch)  # pip: it fetches what bots depend on
        with (scratch / "wheels.tar").open("w+b") as out:
            write_wheels(recipe, {"service/site-packages": found}, out)
            out.seek(0)
            say("service image: adding the libraries")
            layer(engine, root, out, tag, [f"/{LIB}"])
    return tag


def _without_markers(pinned: bytes) -> bytes:
    """The pins that hold everywhere: pip evaluates markers by the Python it runs on, not by the image's."""
    kept, dropped = [], False
    for line in pinned.decode().split("\n"):
        if line and not line.startswith((" ", "#")):
            dropped = ";" in line
        if not dropped:
            kept.append(line)
    return "\n".join(kept).encode()


def tree() -> Iterator[tuple[str, bytes]]:
    """The files of this installation or checkout, by path below the image's library folder, in order."""
    for name, holding in OURS.items():
        top = package_folder(name, holding.partition("/")[2])
        for path in sorted(top.rglob("*")):
            parts = path.relative_to(top).parts
            if path.is_file() and not LEFT_OUT & set(parts) and not (name == "sample_bots" and parts[0] == "botkit"):
                yield f"{name}/{'/'.join(parts)}", path.read_bytes()


def stand_ins(engine: Engine) -> str:
    """The tag of one image with both servers and a start script that takes the official images' variables."""
    recipe = replace(Recipe.load(), packages=POSTGRES)
    script = (HERE / "postgres.sh").read_bytes()
    tag = hashed_tag(STAND_INS, {"script": script, "packages": " ".join((*POSTGRES, *UNREAD)).encode()})
    if image_id(engine, tag) is None:
        with tempfile.TemporaryDirectory(prefix="nf-service-") as name:
            scratch = Path(name)
            packages = debian(recipe, recipe.packages, say, scratch)
            with (scratch / "root.tar").open("wb") as out:
                drop = [folder for folder in recipe.drop if folder != "usr/bin/perl"]  # there under two names
                write_rootfs(replace(recipe, drop=(*drop, *UNREAD)), packages, out)
            say("stand-ins: importing the file system")
            repository, _, version = tag.partition(":")
            _finish(scratch / "root.tar", script)
            changes = [
                "ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin LANG=C.UTF-8",
                "USER 65534:65534",
                'CMD ["/usr/bin/postgres.sh"]',
            ]
            engine.blocking(
                engine.api.import_image_from_file,
                str(scratch / "root.tar"),
                repository=repository,
                tag=version,
                changes=changes,
            )
    engine.api.tag(tag, STAND_INS, "latest")
    return tag


def _finish(root: Path, script: bytes) -> None:
    """The script is in the tar, and the folder of the data belongs to the servers' user."""
    with tarfile.open(root, "a") as archive:
        info = tarfile.TarInfo("usr/bin/postgres.sh")
        info.size, info.mode = len(script), 0o755
        archive.addfile(info, io.BytesIO(script))
        for name in ("var", "var/lib", "var/lib/postgresql", "var/lib/postgresql/data"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            folder.uid = folder.gid = 65534
            archive.addfile(folder)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.images.service", description=__doc__)
    parser.add_argument("--stand-ins", action="store_true", help="also PostgreSQL and Redis from Debian packages")
    parser.add_argument("--node", action="store_true", help="also the base image for bots in JavaScript")
    arguments = parser.parse_args()
    try:
        engine = Engine()
        ensure_base(engine, say)
        if arguments.node:
            ensure_node_base(engine, say)
        made = [service(engine), *([stand_ins(engine)] if arguments.stand_ins else [])]
    except NinefoldError as error:
        say(f"ninefold: {error}")
        return 1
    print("\n".join(made))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
