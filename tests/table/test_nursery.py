"""The nursery: nothing but memory is forked, and a nursery or match process that is killed touches only its own."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import PlatformFault
from referee.service import fixture_codec, local, nursery
from referee.service.host import HostConfig
from referee.service.hosts import HostPool
from tests.table.test_service import QUICKER, spec_of


def with_pool(test: Callable[[HostPool], Awaitable[Any]], capacity: int = 2) -> Any:
    async def run() -> Any:
        pool = HostPool(HostConfig("nurserytest", "process"), capacity)
        try:
            async with asyncio.timeout(90):
                return await test(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


async def play(pool: HostPool, spec: Any) -> list[pb.FixtureUpdate]:
    return [update async for update in pool.run(fixture_codec.encode_spec(spec))]


async def in_play(pool: HostPool, fixture: str) -> int:
    """The pid of the match process, once the fixture is in play."""
    while True:
        running = pool.running.get(fixture)
        if running is not None and running.process is not None and running.progress.stage == "playing":
            return running.process.process.pid
        await asyncio.sleep(0.02)


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def sockets(pid: int) -> list[str]:
    links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    return [link for link in links if link.startswith("socket:")]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_what_is_forked_holds_one_thread_and_one_socket(plain: Any) -> None:
    slow = plain.bot(QUICKER, 1)

    async def test(pool: HostPool) -> None:
        for round_ in (1, 2):  # the second is forked while children of the first kind are at work
            fixtures = [asyncio.ensure_future(play(pool, spec_of(slow, slow, name=f"t/{round_}/{n}"))) for n in (1, 2)]
            pids = [await in_play(pool, f"t/{round_}/{n}") for n in (1, 2)]
            assert pool.nursery.process is not None
            mother = pool.nursery.process.pid
            assert [parent(pid) for pid in pids] == [mother, mother]
            assert threads(mother) == 1, "so it holds no channel and no server of gRPC, which have threads"
            assert len(sockets(mother)) == 1, "the one to its parent"
            assert min(map(threads, pids)) > 1, "its children serve gRPC"
            for fixture in fixtures:
                assert (await fixture)[-1].WhichOneof("update") == "finished"
            for process in pool._idle:
                await process.close()
            pool._idle.clear()

    with_pool(test)


def test_a_killed_nursery_harms_no_fixture_and_is_made_up_for(plain: Any) -> None:
    slow, quick = plain.bot(QUICKER, 2), local.find_bot("random", "nine")

    async def test(pool: HostPool) -> None:
        playing = asyncio.ensure_future(play(pool, spec_of(slow, slow, name="t/1/1")))
        pid = await in_play(pool, "t/1/1")
        first = pool.nursery.process
        assert first is not None
        first.kill()
        await first.wait()
        assert (await play(pool, spec_of(quick, quick, name="t/2/1")))[-1].WhichOneof("update") == "finished"
        assert pool.nursery.process is not None
        assert pool.nursery.process.pid != first.pid
        assert os.path.exists(f"/proc/{pid}")
        assert (await playing)[-1].WhichOneof("update") == "finished"

    with_pool(test)


def test_a_killed_match_process_voids_its_own_fixture_alone(plain: Any) -> None:
    slow, quick = plain.bot(QUICKER, 3), local.find_bot("random", "nine")

    async def test(pool: HostPool) -> None:
        killed = asyncio.ensure_future(play(pool, spec_of(slow, slow, name="t/1/1")))
        spared = asyncio.ensure_future(play(pool, spec_of(slow, slow, name="t/2/1")))
        pid, _ = await in_play(pool, "t/1/1"), await in_play(pool, "t/2/1")
        os.kill(pid, signal.SIGKILL)
        last = (await killed)[-1].void
        assert (last.cause, "-9" in last.reason) == ("internal", True), last
        assert (await play(pool, spec_of(quick, quick, name="t/3/1")))[-1].WhichOneof("update") == "finished"
        assert (await spared)[-1].WhichOneof("update") == "finished"

    with_pool(test)


def test_a_nursery_that_is_stuck_is_a_void_and_replaced(plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = local.find_bot("random", "nine")

    async def test(pool: HostPool) -> None:
        process = await pool._process()
        await process.close()
        stuck = pool.nursery.process
        assert stuck is not None
        os.kill(stuck.pid, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr(nursery, "START_S", 0.5)
            last = (await play(pool, spec_of(quick, quick, name="t/1/1")))[-1]
        assert last.void.cause == "internal"
        assert "no match process could be started" in last.void.reason
        assert not os.path.exists(f"/proc/{stuck.pid}")
        assert (await play(pool, spec_of(quick, quick, name="t/1/1")))[-1].WhichOneof("update") == "finished"

    with_pool(test)


def test_match_processes_end_with_the_referee_and_none_holds_anothers_socket() -> None:
    async def test(pool: HostPool) -> None:
        one, two = await pool._process(), await pool._process()
        await one.close()  # would hang if `two` had been forked with its socket
        assert one.process.returncode == 0
        with pytest.raises(ProcessLookupError):
            one.process.kill()
        two.process.kill()
        assert await two.process.wait() == -signal.SIGKILL

    with_pool(test)


def test_a_nursery_that_cannot_start_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery.sys, "executable", "/bin/false")

    async def test(pool: HostPool) -> None:
        with pytest.raises(PlatformFault, match="no match process could be started"):
            await pool._process()

    with_pool(test)
