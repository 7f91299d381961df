"""Judges one upload: unpack, manifest, dependencies, build, trial match; admitted, or refused with stage and reason.

The same judgement serves `ninefold bot submit` (through the Builder service) and `ninefold bot check` (in its own
process): what the one admits the other admits.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from referee.errors import Refused
from referee.games import registry
from referee.match.fixture import FixtureSpec, MatchResult, MatchSpec, SeatSpec
from referee.match.scripted import ScriptedSeat
from referee.match.seat import SeatClient, Turn
from referee.match.sitting import OpenSeat, play_fixture
from referee.sandbox.build import BotSource, Built
from referee.sandbox.container import ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.limits import Limits
from referee.sandbox.logs import CappedLog
from referee.sandbox.rundir import RunDir
from referee.service.building import build, source_of, unpack
from referee.service.seat import open_seat
from referee.submission import folder, manifest
from referee.submission.limits import MIB, UploadLimits
from referee.submission.manifest import Manifest
from referee.wording import counted

TRIAL_SEATS = 2
HOUSE = SeatSpec("house", 1, "0" * 64)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage has begun, or goes on with `text` for the author."""

    stage: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """The manifest was read; `digest` is of the files alone."""

    manifest: Manifest
    digest: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """The bot may play. `digest` includes its fetched dependencies."""

    manifest: Manifest
    image: str
    digest: str
    log: bytes


@dataclass(frozen=True, slots=True)
class Rejected:
    """The upload is to blame, at `refused.stage`."""

    refused: Refused
    log: bytes


Update = Stage | Named | Admitted | Rejected


class Judge:
    """Judges uploads on one machine, each in its own temporary folder and containers."""

    def __init__(
        self,
        engine: Engine,
        league: str,
        limits: Limits,
        runtime: str = "runc",
        network: str = "bridge",
        pull: bool = False,
    ) -> None:
        self.engine, self.league, self.limits = engine, league, limits
        self.runtime, self.network, self.pull = runtime, network, pull
        self.upload = UploadLimits(limits.archive_mib * MIB, limits.unpacked_mib * MIB, limits.unpacked_files)

    async def judge(self, source: Path, name: str = "", job: str = "trial") -> AsyncIterator[Update]:
        """Updates as the upload passes its stages, the last one `Admitted` or `Rejected`.

        `source` is an archive, or the author's own folder. `PlatformFault` when it is our fault that there is no
        verdict; then, and when the caller stops listening, nothing is left behind but the image.
        """
        log = CappedLog(self.limits.build_log_bytes)
        scratch = Path(tempfile.mkdtemp(prefix="nf-upload-"))
        try:
            async for update in self._stages(source, name, job, scratch, log):
                yield update
        except Refused as refused:
            log.add(f"{refused}\n".encode())
            yield Rejected(refused, log.text())
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, True)

    async def _stages(self, source: Path, name: str, job: str, scratch: Path, log: CappedLog) -> AsyncIterator[Update]:
        yield Stage("unpack")
        files = await asyncio.to_thread(unpack, source, scratch / "bot", self.upload)
        log.add(f"unpack: {counted(len(files), 'file')}\n".encode())
        yield Stage("manifest")
        read = await asyncio.to_thread(manifest.read, scratch / "bot")
        if name:
            read = Manifest(manifest.check_name(name), read.games, read.runtime, read.entry)
        yield Named(read, await asyncio.to_thread(folder.digest, scratch / "bot"))
        yield Stage("dependencies")
        bot = source_of(scratch / "bot", files, read)
        needs = counted(len(bot.requirements), "dependency", "dependencies")
        log.add(f"manifest: {read.name} plays {', '.join(read.games)}; {needs}\n".encode())
        built: asyncio.Queue[Stage] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def tell(line: str) -> None:
            log.add(f"{line}\n".encode())
            stage = "dependencies" if line.startswith("fetching") else "build"
            loop.call_soon_threadsafe(built.put_nowait, Stage(stage, line))

        work = asyncio.ensure_future(self.engine.call(self._build, bot, log, tell))
        try:
            while not work.done() or not built.empty():
                waiting = asyncio.ensure_future(built.get())
                await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                else:
                    waiting.cancel()
            made = work.result()
        finally:
            if not work.done():  # the caller has gone: the build's own deadline ends it, its containers are removed
                work.cancel()
        digest = await asyncio.to_thread(folder.digest, scratch / "bot", made.dependencies)
        for game in read.games:
            yield Stage("trial", f"a trial match of {game} against a house bot")
            await self._trial(read, made.image, digest, game, job, log)
        yield Admitted(read, made.image, digest, log.text())

    def _build(self, bot: BotSource, log: CappedLog, tell: Callable[[str], None]) -> Built:
        where = {"league": self.league, "runtime": self.runtime, "network": self.network}
        return build(self.engine, bot, self.limits, log, tell, **where, pull=self.pull)

    async def _trial(self, read: Manifest, image: str, digest: str, game: str, job: str, log: CappedLog) -> None:
        """One match has been played without a fault of the bot; losing is fine."""
        rundir = RunDir(self.league)
        seed = hashlib.sha256(f"trial {digest} {game}".encode()).digest()
        spec = FixtureSpec(
            f"{job}-{game}",
            1,
            game,
            dict(registry.get(game).complete({}, TRIAL_SEATS)),
            None,
            (SeatSpec(read.name, 1, digest, image, read.runtime), HOUSE),
            (MatchSpec(f"trial/{game}", seed),),
        )
        try:
            sandbox = ContainerSandbox(self.engine, self.league, self.limits, self.runtime)
            images = [(image, read.runtime)]
            seats = against_house(open_seat(sandbox, self.limits, rundir.seat_folder, spec.fixture_id, images), seed)
            result = (await play_fixture(spec, seats)).matches[0]
        finally:
            rundir.remove()
        _log_trial(log, game, result)
        own = result.seats[0]
        if own.cause != "completed":
            sent = f" (it sent {own.sent})" if own.sent else ""
            where = f"ninefold play DIR random --game {game}"
            if own.cause in ("memory", "start"):  # a plain process has the author's whole machine
                where += " --sandbox docker"
            raise Refused(
                "trial", f"in a match of {game} the bot failed by {own.cause}: {own.detail}{sent}", f"try it: {where}"
            )


def against_house(bot: OpenSeat, seed: bytes) -> OpenSeat:
    """Seat 0 is the bot, every other a house bot that plays at random, the same way each time."""

    def opened(seat: int) -> SeatClient:
        if seat == 0:
            return bot(0)
        rng = random.Random(seed + bytes([seat]))  # noqa: S311

        def policy(turn: Turn) -> int:
            return rng.randrange(len(turn.legal))

        return ScriptedSeat(seat, policy)

    return opened


def _log_trial(log: CappedLog, game: str, result: MatchResult) -> None:
    own = result.seats[0]
    played = f"{counted(result.rounds, 'round')}, {counted(own.decisions, 'decision')}"
    log.add(f"trial of {game}: {played}, {own.cause} {own.detail}\n".encode())
    if own.log:
        log.add(b"what the bot printed:\n" + own.log + b"\n")
