"""Playing without containers, for a first look only: the bots that Ninefold ships, by digest, and nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

from protos.ninefold.v1 import referee_pb2
from referee.errors import Refused
from referee.service.building import unpacked
from referee.service.judge import Admitted, Judge, Named, Rejected, Stage, Update
from referee.service.local import builtin_folders
from referee.submission import folder, manifest


@cache
def shipped() -> dict[str, Path]:
    """The folders of the sample bots by their digest."""
    return {folder.digest(path): path for path in builtin_folders().values()}


def refusal(spec: referee_pb2.FixtureSpec) -> str:
    """Why the fixture may not be played here; empty if every seat is a shipped bot, from its own folder."""
    for seat in spec.seats:
        known = shipped().get(seat.digest)
        if known is None or seat.image != str(known):
            return f"bot {seat.bot!r} is none of the shipped ones, and without containers no other is run"
    return ""


class ShippedJudge(Judge):
    """Admits the shipped bots as they are, and refuses every other upload."""

    def __init__(self) -> None:
        """Needs no engine: nothing is built and no trial is played."""

    async def judge(self, source: Path, name: str = "", job: str = "trial") -> AsyncIterator[Update]:
        yield Stage("unpack")
        try:
            with unpacked(source) as files:
                read, digest = manifest.read(files), folder.digest(files)
            if name:
                read = manifest.Manifest(manifest.check_name(name), read.games, read.runtime, read.entry)
            yield Named(read, digest)
            if (path := shipped().get(digest)) is None:
                raise Refused(
                    "build",
                    "this machine has no containers, so only the sample bots that Ninefold ships are played",
                    "start a Docker engine and run the league again",
                )
            yield Admitted(read, str(path), digest, b"a shipped bot, run as a plain process\n")
        except Refused as refused:
            yield Rejected(refused, f"{refused}\n".encode())
