"""An image taken apart and put together again: a configuration and layers, each named by the SHA-256 of its content.

`docker save` writes an image with everything below it, 155 MB for a bot whose own layer has 6 KB. Content addresses are
what Docker uses inside as well, so a layer that is kept once is good for every bot over the same base, and `docker
load` never reads a layer that the engine has. The image that is put together has the id it had where it was built.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from referee.errors import PlatformFault
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.image import image_id, labelled, save

FORMAT = "ninefold-image/1"
LOOKED_AT = 100
"""Images on the engine that are compared, at most, to see which layers are already here."""
_CHUNK = 1 << 20
Have = Callable[[str], bool]
Put = Callable[[IO[bytes]], str]
Open = Callable[[str], AbstractContextManager[IO[bytes]]]


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer as an uncompressed tar: its digest, 64 hex digits, and its size."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Description:
    """What an image consists of, layers bottom first. `config` is Docker's own document, byte for byte."""

    image: str
    config: str
    layers: tuple[Layer, ...]

    def to_json(self) -> bytes:
        layers = [[layer.digest, layer.size] for layer in self.layers]
        document = {"format": FORMAT, "image": self.image, "config": self.config, "layers": layers}
        return json.dumps(document, sort_keys=True).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Description:
        document = json.loads(data)
        if document.get("format") != FORMAT:
            raise PlatformFault("docker", f"an image description of format {document.get('format')!r} was kept")
        layers = tuple(Layer(str(digest), int(size)) for digest, size in document["layers"])
        return cls(document["image"], document["config"], layers)


def take_apart(engine: Engine, image: str, have: Have, put: Put, scratch: Path) -> Description:
    """The image's description, once every layer that was not kept yet has been `put` (blocking; constant memory).

    The whole `docker save` passes through an unnamed file in `scratch`: its index comes last.
    """
    with tempfile.TemporaryFile(prefix="nf-save-", dir=scratch) as file:
        save(engine, image, file)
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            (index,) = json.loads(_member(archive, "manifest.json").read())
            config = _member(archive, index["Config"]).read()
            if f"sha256:{hashlib.sha256(config).hexdigest()}" != image:
                raise PlatformFault(
                    "docker",
                    f"the engine calls an image {image} whose configuration has another digest; it keeps images in "
                    "containerd's store, which Ninefold cannot move: set `registry`, or turn that store off",
                )
            digests = [str(diff).removeprefix("sha256:") for diff in json.loads(config)["rootfs"]["diff_ids"]]
            layers = []
            for digest, name in zip(digests, index["Layers"], strict=True):
                if not have(digest) and (found := put(_member(archive, name))) != digest:
                    raise PlatformFault("docker", f"layer {digest} of image {image} came out as {found}")
                content = _member(archive, name)
                layers.append(Layer(digest, content.seek(0, os.SEEK_END)))
    return Description(image, config.decode(), tuple(layers))


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    found = archive.extractfile(name)  # follows the links by which a layer that occurs twice is written once
    if found is None:
        raise PlatformFault("docker", f"the engine's archive of an image has no file {name!r}")
    return found


def put_together(engine: Engine, description: Description, open_layer: Open, tag: str) -> int:
    """The image is on this engine under its id and `tag`; how many layers had to be brought (blocking, streamed)."""
    here = present_layers(engine, description)
    stream = _archive(description, here, open_layer, tag)
    said = [str(line) for line in engine.blocking(engine.api.load_image, stream)]
    if image_id(engine, description.image) is None:
        raise PlatformFault("docker", f"image {description.image} could not be loaded: {' '.join(said)[-300:]}")
    return len(description.layers) - here


def present_layers(engine: Engine, description: Description) -> int:
    """How many layers, from the bottom, this engine has for certain: those of another image over the same base."""
    wanted = [f"sha256:{layer.digest}" for layer in description.layers]
    base = ((json.loads(description.config).get("config") or {}).get("Labels") or {}).get(f"{LABEL}.base")
    most = 0
    for image in labelled(engine, {f"{LABEL}.base": base})[:LOOKED_AT]:
        has = engine.blocking(engine.api.inspect_image, image["Id"])["RootFS"].get("Layers") or []
        most = max(most, _common(wanted, has))
        if most >= len(wanted) - 1:
            break
    return most


def _common(wanted: Sequence[str], has: Sequence[str]) -> int:
    count = 0
    for one, other in zip(wanted, has, strict=False):
        if one != other:
            break
        count += 1
    return count


def _archive(description: Description, here: int, open_layer: Open, tag: str) -> Iterator[bytes]:
    """What `docker load` takes, without the first `here` layers, whose files it never opens."""
    names = [f"{layer.digest}/layer.tar" for layer in description.layers]
    config = f"{description.image.removeprefix('sha256:')}.json"
    index: list[dict[str, Any]] = [{"Config": config, "RepoTags": [tag], "Layers": names}]
    for name, data in ((config, description.config.encode()), ("manifest.json", json.dumps(index).encode())):
        yield _header(name, len(data)) + data + _padding(len(data))
    for layer, name in zip(description.layers[here:], names[here:], strict=True):
        yield _header(name, layer.size)
        with open_layer(layer.digest) as content:
            while chunk := content.read(_CHUNK):
                yield chunk
        yield _padding(layer.size)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)
