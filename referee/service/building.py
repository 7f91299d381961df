"""From an upload, or an author's own folder, to a bot's image: one way for submitting, checking and playing locally."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import PlatformFault, Refused
from referee.sandbox.build import BotSource, Built, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.logs import CappedLog
from referee.sandbox.node import ensure_node_base
from referee.settings import load
from referee.submission import archive, dependencies, folder
from referee.submission.limits import DEFAULT, UploadLimits
from referee.submission.manifest import Manifest

if TYPE_CHECKING:
    from referee.service.host import Platform
    from referee.service.local import LocalBot

LOG_LINES = 30
"""Of a failed build's log, how many an author is shown."""


def unpack(source: Path, into: Path, limits: UploadLimits = DEFAULT) -> list[str]:
    """The upload's files lie in `into`, judged; an author's own folder is packed first, as `submit` does."""
    if not source.is_dir():
        return archive.unpack(source, into, limits)
    with tempfile.NamedTemporaryFile(prefix="nf-pack-") as packed:
        packed.write(folder.pack(source))
        packed.flush()
        return archive.unpack(Path(packed.name), into, limits)


@contextmanager
def unpacked(source: Path, limits: UploadLimits = DEFAULT) -> Iterator[Path]:
    """A temporary folder with the upload's files, judged."""
    with tempfile.TemporaryDirectory(prefix="nf-upload-") as scratch:
        unpack(source, Path(scratch) / "bot", limits)
        yield Path(scratch) / "bot"


def source_of(files: Path, names: list[str], read: Manifest) -> BotSource:
    """What the build takes: unpacked files and the dependencies they ask for; `Refused` where a line will not do."""
    if read.runtime == "node":
        wanted = tuple(f"{pin.name}@{pin.version}" for pin in dependencies.node_pins(files))
    else:
        pins = dependencies.python_pins(files)
        wanted = tuple(" ".join([f"{p.name}=={p.version}", *(f"--hash=sha256:{h}" for h in p.hashes)]) for p in pins)
    return BotSource(read.name, files, tuple(names), read.runtime, read.entry, wanted)


def build(
    engine: Engine,
    source: BotSource,
    limits: Limits,
    log: CappedLog,
    tell: Callable[[str], None],
    *,
    league: str,
    runtime: str = "runc",
    network: str = "bridge",
    pull: bool = False,
) -> Built:
    """The bot's image (blocking); the base is made first if it is missing, which is no part of the author's time."""
    base = (ensure_node_base if source.runtime == "node" else ensure_base)(engine, tell, pull)
    room = Room(engine, base, league, limits, log, time.monotonic() + limits.build_seconds, runtime)
    return build_bot(room, source, tell, network)


async def local_image(platform: Platform, bot: LocalBot, progress: Callable[[str], None]) -> str:
    """The id of the image; the same folder gives the one already made. `Refused` as on submission."""
    engine, limits = platform.engine, platform.limits
    if engine is None:
        raise PlatformFault("docker", "there is no engine to build with")
    log, pull = CappedLog(limits.build_log_bytes), load().pull_base

    def made(scratch: Path) -> str:
        source = source_of(scratch / "bot", unpack(bot.folder, scratch / "bot"), bot.manifest)
        try:
            runtime = platform.config.runtime
            return build(engine, source, limits, log, progress, league="local", runtime=runtime, pull=pull).image
        except Refused:
            for line in log.text().decode("utf-8", "replace").splitlines()[-LOG_LINES:]:
                progress(line)
            raise

    with tempfile.TemporaryDirectory(prefix="nf-play-") as scratch:
        return await engine.call(made, Path(scratch))


__all__ = ["build", "local_image", "source_of", "unpack", "unpacked"]
