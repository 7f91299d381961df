"""The pool of match processes: each plays one fixture at a time, and a crash in one touches only its fixture.

Processes are started when wanted, kept for the next fixture, and renewed after so many, so that nothing that leaks
leaks for long. A fixture that finds none free waits its turn, and says so.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import PlatformFault
from referee.service import fixture_codec
from referee.service.host import HEARTBEAT_S, HostConfig, frame, read_frame
from referee.service.nursery import Child, Nursery

FIXTURES_PER_PROCESS = 500
SILENCE_S = 60.0
"""A match process that says nothing for so long is stuck: it is killed, and its fixture is void."""
STOP_S = 15.0
"""What a match process has to stop its fixture and remove its containers, before it is killed."""

Cleanup = Callable[[str], Awaitable[None]]
"""Removes what a match process that died may have left of the fixture with that label."""
Prepare = Callable[[pb.FixtureSpec], Awaitable[None]]
"""Sees that all the fixture needs is on this machine; raises `PlatformFault` if it cannot be had."""


class MatchProcess:
    """One match process of the nursery's, and the socket to it."""

    def __init__(self, process: Child, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.process, self._reader, self._writer = process, reader, writer
        self.fixtures = 0

    @classmethod
    async def start(cls, nursery: Nursery, config: HostConfig) -> MatchProcess:
        """The process runs and knows its league."""
        child, ours = await nursery.fork()
        started = cls(child, *await asyncio.open_connection(sock=ours, limit=2**20))
        started.send("C", config.to_json())
        return started

    @property
    def usable(self) -> bool:
        return self.process.returncode is None and self.fixtures < FIXTURES_PER_PROCESS

    def send(self, kind: str, body: bytes) -> None:
        """The frame is on its way; a process that is gone is noticed by whoever reads."""
        with suppress(OSError, RuntimeError):
            self._writer.write(frame(kind, body))

    async def read(self, within: float) -> tuple[str, bytes] | None:
        """The next frame; None when the process is gone; `TimeoutError` when it says nothing."""
        async with asyncio.timeout(within):
            return await read_frame(self._reader)

    async def close(self) -> None:
        """The process has ended, by itself if it can."""
        with suppress(OSError, RuntimeError):
            self._writer.close()
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(self.process.wait(), STOP_S)
        await self.kill()

    async def kill(self) -> None:
        """The process has ended; one that has done so already is not signalled, so that its code stays known."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), 0.5)
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()
        self._writer.close()


class Running:
    """One fixture that was asked for and has not ended: what is known of it, who follows it, how to stop it."""

    def __init__(self, spec: pb.FixtureSpec) -> None:
        self.spec = spec
        self.progress = pb.Progress(stage="waiting")
        self.since = self.heard = time.monotonic()
        self.process: MatchProcess | None = None
        self.followers: set[asyncio.Queue[pb.WatchUpdate | None]] = set()
        self.stop_cause = ""
        self.stopping = asyncio.Event()
        self.over = asyncio.Event()

    def stop(self, cause: str) -> None:
        """The fixture is being stopped; it ends as void with this cause."""
        self.stop_cause = self.stop_cause or cause
        self.stopping.set()
        if self.process is not None:
            self.process.send("S", pb.StopRequest(cause=self.stop_cause).SerializeToString())

    def follow(self) -> asyncio.Queue[pb.WatchUpdate | None]:
        """A queue of live updates, the first of them whole; None ends it. A follower too slow starts again."""
        queue: asyncio.Queue[pb.WatchUpdate | None] = asyncio.Queue(64)
        self.followers.add(queue)
        if self.process is not None:
            self.process.send("W", b"1")
        return queue

    def unfollow(self, queue: asyncio.Queue[pb.WatchUpdate | None]) -> None:
        self.followers.discard(queue)
        if not self.followers and self.process is not None:
            self.process.send("W", b"0")

    def tell(self, update: pb.WatchUpdate) -> None:
        """Followers get the update; one that has fallen behind is brought up to date by a new whole one."""
        for queue in self.followers:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                if self.process is not None:
                    self.process.send("W", b"1")
            queue.put_nowait(update)


class HostPool:
    """Plays fixtures in match processes, at most `capacity` at once."""

    def __init__(
        self, config: HostConfig, capacity: int, cleanup: Cleanup | None = None, prepare: Prepare | None = None
    ) -> None:
        self.config, self.capacity, self._cleanup, self._prepare = config, capacity, cleanup, prepare
        self.running: OrderedDict[str, Running] = OrderedDict()
        self._slots = asyncio.Semaphore(capacity)
        self._idle: list[MatchProcess] = []
        self.nursery = Nursery()
        self.closing = False

    async def run(self, spec: pb.FixtureSpec) -> AsyncIterator[pb.FixtureUpdate]:
        """The updates of one fixture, the last of them `finished` or `void`.

        Closing the iterator, or cancelling whoever iterates, stops the fixture; it returns once nothing of it is left.
        """
        running = self.running[spec.fixture_id] = Running(spec)
        try:
            yield pb.FixtureUpdate(progress=running.progress)
            async for update in self._prepared(running):
                yield update
            while not await self._slot(running):
                yield pb.FixtureUpdate(progress=running.progress)  # alive, waiting
            try:
                async for update in self._play(running):
                    yield update
            finally:
                self._slots.release()
        except _Stopped:
            yield fixture_codec.void(PlatformFault(running.stop_cause, "the fixture was stopped before it began"))
        except _Unprepared as unprepared:
            yield fixture_codec.void(unprepared.fault)
        finally:
            self.running.pop(spec.fixture_id, None)
            running.over.set()
            for queue in running.followers:
                with suppress(asyncio.QueueFull):
                    queue.put_nowait(None)

    async def stop(self, fixture_id: str, cause: str = "cancelled") -> bool:
        """Nothing of the fixture is left; whether it was running or waiting here."""
        running = self.running.get(fixture_id)
        if running is None:
            return False
        running.stop(cause)
        await running.over.wait()
        return True

    async def close(self) -> None:
        """Every fixture has been stopped (`shutdown`) and every match process has ended."""
        self.closing = True
        ends = [running.over.wait() for running in self.running.values()]
        for running in self.running.values():
            running.stop("shutdown")
        if ends:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*ends), STOP_S + 5)
        idle, self._idle = self._idle, []
        await asyncio.gather(*(process.close() for process in idle))
        await self.nursery.close()

    # ---- parts

    async def _prepared(self, running: Running) -> AsyncIterator[pb.FixtureUpdate]:
        """Signs of life until what the fixture needs is here. Raises `_Unprepared`, or `_Stopped`.

        It takes no slot: whoever has all it needs plays meanwhile.
        """
        if self._prepare is None:
            return
        work = asyncio.ensure_future(self._prepare(running.spec))
        stopped = asyncio.ensure_future(running.stopping.wait())
        try:
            while not work.done():
                await asyncio.wait({work, stopped}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
                if running.stopping.is_set():
                    raise _Stopped
                if not work.done():
                    running.heard = time.monotonic()
                    running.progress = pb.Progress(stage="fetching")
                    yield pb.FixtureUpdate(progress=running.progress)
            work.result()
        except PlatformFault as fault:
            raise _Unprepared(fault) from None
        finally:
            stopped.cancel()
            work.cancel()
        running.progress = pb.Progress(stage="waiting")

    async def _slot(self, running: Running) -> bool:
        """Whether the fixture may begin; false after a heartbeat of waiting. Raises `_Stopped`."""
        if self.closing:
            running.stop("shutdown")
        got = asyncio.ensure_future(self._slots.acquire())
        stopped = asyncio.ensure_future(running.stopping.wait())
        try:
            await asyncio.wait({got, stopped}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if not got.done():
                got.cancel()
            elif running.stopping.is_set() and not got.cancelled():
                self._slots.release()
        if running.stopping.is_set():
            raise _Stopped
        running.heard = time.monotonic()
        return got.done() and not got.cancelled()

    async def _process(self) -> MatchProcess:
        while self._idle:
            process = self._idle.pop()
            if process.usable:
                return process
            await process.close()
        return await MatchProcess.start(self.nursery, self.config)

    async def _play(self, running: Running) -> AsyncIterator[pb.FixtureUpdate]:
        try:
            process = await self._process()
        except PlatformFault as fault:
            yield fixture_codec.void(fault)
            return
        process.fixtures += 1
        running.process = process
        process.send("R", running.spec.SerializeToString())
        if running.followers:
            process.send("W", b"1")
        if running.stopping.is_set():
            running.stop(running.stop_cause)
        ended = False
        try:
            while not ended:
                try:
                    got = await process.read(SILENCE_S)
                except TimeoutError:
                    await process.kill()
                    yield await self._lost(running, f"the match process said nothing for {SILENCE_S:.0f} s")
                    return
                if got is None:
                    await process.kill()
                    code = process.process.returncode
                    yield await self._lost(running, f"the match process ended with code {code} in mid-fixture")
                    return
                running.heard = time.monotonic()
                kind, body = got
                if kind == "L":
                    running.tell(pb.WatchUpdate.FromString(body))
                    continue
                update = pb.FixtureUpdate.FromString(body)
                if update.HasField("progress"):
                    running.progress = update.progress
                ended = update.WhichOneof("update") in {"finished", "void"}
                if ended:
                    self._give_back(running)
                yield update
        finally:
            if not ended:
                await _to_the_end(self._end(running))

    def _give_back(self, running: Running) -> None:
        process, running.process = running.process, None
        if process is not None and process.usable and not self.closing:
            self._idle.append(process)
        elif process is not None:
            asyncio.get_running_loop().create_task(process.close())

    async def _end(self, running: Running) -> None:
        """A fixture that nobody waits for any more has been stopped, and its process is fit for the next or gone."""
        process = running.process
        if process is None or process.process.returncode is not None:
            return
        running.stop("cancelled")
        try:
            async with asyncio.timeout(STOP_S):
                while (got := await process.read(STOP_S)) is not None:
                    last = pb.FixtureUpdate.FromString(got[1]) if got[0] == "U" else None
                    if last is not None and last.WhichOneof("update") in {"finished", "void"}:
                        self._give_back(running)
                        return
        except TimeoutError:
            pass
        await process.kill()
        await self._lost(running, "")

    async def _lost(self, running: Running, reason: str) -> pb.FixtureUpdate:
        """What a dead match process left is removed; the void to report."""
        running.process = None
        if self._cleanup is not None:
            with suppress(PlatformFault):
                await self._cleanup(f"{running.spec.fixture_id}/{running.spec.attempt}")
        return fixture_codec.void(PlatformFault(running.stop_cause or "internal", reason))


class _Stopped(Exception):
    """The fixture was stopped while it waited."""


class _Unprepared(Exception):
    """What the fixture needs could not be brought to this machine."""

    def __init__(self, fault: PlatformFault) -> None:
        super().__init__(fault)
        self.fault = fault


async def _to_the_end(work: Awaitable[None]) -> None:
    """`work` is done even if whoever waits is cancelled again meanwhile."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()
