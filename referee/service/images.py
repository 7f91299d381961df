"""Bots' images on every machine: kept in the league's blobs (or a registry) on admission, fetched when needed.

Which of the two, and why layers: see "Images" in deploy/README.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import structlog

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import NinefoldError, NotFound, PlatformFault
from referee.sandbox.engine import Engine
from referee.sandbox.image import bot_repository, image_id
from referee.sandbox.layers import Description, put_together, take_apart
from referee.settings import Settings
from referee.store.blobs import Blobs

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """Where an image can be had from now on (`content_digest` is empty where that is a registry), and its own size."""

    content_digest: str
    own_bytes: int


class Images:
    """The images of one machine's engine, for one league."""

    def __init__(self, engine: Engine, league: str, settings: Settings, blobs: Blobs | None = None) -> None:
        self.engine, self.league, self.registry = engine, league, settings.registry.rstrip("/")
        self._blobs = blobs or Blobs(settings)
        self._scratch = settings.data_dir
        self._loading = asyncio.Lock()
        """Images come one after another: a second one over the same base then needs no more than its own layer."""

    async def keep(self, image: str) -> Kept:
        """Every machine of the league can have this image; `PlatformFault` if it could not be kept."""
        return await self.engine.call(self._keep, image)

    async def bring(self, spec: pb.FixtureSpec) -> None:
        """The image of every seat is on this engine; `PlatformFault("docker")` says which cannot be had and why.

        A look for images that are here costs milliseconds; a fixture that waits for one keeps no other waiting.
        """
        wanted = {seat.image: seat for seat in spec.seats}
        here = await asyncio.gather(*(self.engine.call(image_id, self.engine, image) for image in wanted))
        for seat, found in zip(wanted.values(), here, strict=True):
            if found is None:
                async with self._loading:
                    await self.engine.call(self._fetch, seat.image, seat.content_digest, f"{seat.bot}@{seat.version}")

    # ---- in threads of the engine's

    def _keep(self, image: str) -> Kept:
        with _ours("keeping", image):
            self._name(image, f"{bot_repository(self.league)}:{_short(image)}")
            own = self._own_bytes(image)
            if self.registry:
                self._push(image)
                return Kept("", own)
            self._scratch.mkdir(parents=True, exist_ok=True)
            found = take_apart(self.engine, image, self._blobs.exists, self._put, self._scratch)
            return Kept(self._blobs.put(found.to_json()), own)

    def _put(self, source: IO[bytes]) -> str:
        return self._blobs.put_stream(source)

    def _fetch(self, image: str, content_digest: str, bot: str) -> None:
        if image_id(self.engine, image) is not None:  # somebody else waited for it too
            return
        tag = f"{bot_repository(self.league)}:{_short(image)}"
        with _ours("fetching", f"{image} of {bot}"):
            if self.registry:
                self._pull(image, tag)
                log.info("image_pulled", bot=bot, image=image)
                return
            if not content_digest:
                raise PlatformFault("docker", "it is not on this machine and was never kept; submit the bot again")
            description = Description.from_json(self._blobs.get(content_digest))
            if description.image != image:
                raise PlatformFault("docker", f"what was kept for it is image {description.image}")
            brought = put_together(self.engine, description, self._blobs.open, tag)
            log.info("image_loaded", bot=bot, image=image, layers=brought)

    def _own_bytes(self, image: str) -> int:
        """What the image adds to its base: the topmost layer, as the engine counts it."""
        history = self.engine.blocking(self.engine.api.history, image)
        return int(history[0]["Size"]) if history else 0

    def _name(self, image: str, name: str) -> None:
        repository, _, tag = name.rpartition(":")
        self.engine.blocking(self.engine.api.tag, image, repository, tag)

    def _push(self, image: str) -> None:
        repository = f"{self.registry}/bot"
        self._name(image, f"{repository}:{_short(image)}")
        try:
            lines = self.engine.blocking(self.engine.api.push, repository, tag=_short(image), stream=True, decode=True)
            _refused(lines, "pushed to", repository)
        finally:
            self.engine.blocking(self.engine.api.remove_image, f"{repository}:{_short(image)}", noprune=True)

    def _pull(self, image: str, tag: str) -> None:
        repository = f"{self.registry}/bot"
        lines = self.engine.blocking(self.engine.api.pull, repository, tag=_short(image), stream=True, decode=True)
        _refused(lines, "pulled from", repository)
        if image_id(self.engine, image) is None:
            raise PlatformFault("docker", f"{repository}:{_short(image)} is another image")
        self._name(image, tag)
        self.engine.blocking(self.engine.api.remove_image, f"{repository}:{_short(image)}", noprune=True)


def _refused(lines: Iterator[dict[str, str]], done: str, repository: str) -> None:
    for line in lines:
        if "error" in line:
            raise PlatformFault("docker", f"it could not be {done} {repository}: {line['error']}")


def _short(image: str) -> str:
    return image.removeprefix("sha256:")[:32]


@contextmanager
def _ours(what: str, image: str) -> Iterator[None]:
    """Whatever goes wrong with an image is our fault, by `docker`, and the sentence names the image."""
    try:
        yield
    except NotFound as error:
        fix = "see that blob_url leads to the same place on every machine"
        raise PlatformFault("docker", f"{what} image {image}: {error}; {fix}") from None
    except (NinefoldError, OSError, ValueError, KeyError) as error:
        reason = error.reason if isinstance(error, PlatformFault) else f"{type(error).__name__}: {error}"
        raise PlatformFault("docker", f"{what} image {image}: {reason}") from error
