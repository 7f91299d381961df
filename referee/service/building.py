"""The image of a bot of the author's own, for local matches in the production sandbox: built as submission would."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import PlatformFault, Refused
from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.node import ensure_node_base
from referee.submission import archive, dependencies, folder

if TYPE_CHECKING:
    from referee.service.host import Platform
    from referee.service.local import LocalBot


async def local_image(platform: Platform, bot: LocalBot, progress: Callable[[str], None]) -> str:
    """The id of the image; the same folder gives the one already made. `Refused` as on submission."""
    if platform.engine is None:
        raise PlatformFault("docker", "there is no engine to build with")
    with tempfile.TemporaryDirectory(prefix="nf-play-") as scratch:
        source = await asyncio.to_thread(_source, bot, Path(scratch))
        return await platform.engine.call(_build, platform.engine, platform.limits, source, progress)


def _source(bot: LocalBot, scratch: Path) -> BotSource:
    """The bot's files as they would arrive: packed, judged, unpacked."""
    packed = scratch / "packed"
    packed.write_bytes(folder.pack(bot.folder))
    files = archive.unpack(packed, scratch / "bot")
    read = bot.manifest
    wanted = build_lines(scratch / "bot", read.runtime)
    return BotSource(read.name, scratch / "bot", tuple(files), read.runtime, read.entry, wanted)


def _build(engine: Engine, limits: Limits, source: BotSource, progress: Callable[[str], None]) -> str:
    base = (ensure_node_base if source.runtime == "node" else ensure_base)(engine, progress)
    room = Room.new(engine, base, "local", limits)
    try:
        return build_bot(room, source, progress).image
    except Refused:
        for line in room.log.text().decode("utf-8", "replace").splitlines()[-30:]:
            progress(line)
        raise


def build_lines(unpacked: Path, runtime: str) -> tuple[str, ...]:
    """The dependencies of an unpacked bot as the build takes them."""
    if runtime == "node":
        return tuple(f"{pin.name}@{pin.version}" for pin in dependencies.node_pins(unpacked))
    return tuple(
        " ".join([f"{pin.name}=={pin.version}", *(f"--hash=sha256:{value}" for value in pin.hashes)])
        for pin in dependencies.python_pins(unpacked)
    )
