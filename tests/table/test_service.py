"""The referee service over real match processes: results, heartbeats, stopping, crashes, and what spectators see."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from protos.ninefold.v1 import referee_pb2 as pb
from protos.ninefold.v1.referee_pb2_grpc import RefereeStub
from referee.errors import PlatformFault, Unreachable, UsageError
from referee.match.fixture import Clock, FixtureSpec, MatchSpec
from referee.service import client, fixture_codec, local
from referee.service.host import HostConfig
from referee.service.hosts import HostPool
from referee.service.referee import RefereeServer

SLEEPY = """
import time
from botkit import Bot, run

class Sleepy(Bot):
    def act(self, view, legal):
        time.sleep({nap})
        calls = [a for a in legal if a.do in ("call", "draw_pile")]
        return calls[0] if calls else max(legal, key=lambda a: a.penalty_shed)

run(Sleepy())
"""

QUICKER, SLEEPY = SLEEPY.replace("{nap}", "0.01"), SLEEPY.replace("{nap}", "0.3")


def spec_of(*bots: local.LocalBot, name: str = "t/1/1", game: str = "nine", matches: int = 1) -> FixtureSpec:
    rules, profile = local.complete_rules(game, None, [], len(bots))
    images = [str(bot.folder) for bot in bots]
    spec = local.local_fixture(game, rules, profile, bots, images, bytes(32), matches, Clock())
    return FixtureSpec(name, 1, spec.game, spec.rules, spec.profile, spec.seats, spec.matches, spec.clock)


@asynccontextmanager
async def served(address: str, capacity: int = 2) -> AsyncIterator[tuple[RefereeServer, RefereeStub]]:
    pool = HostPool(HostConfig("servicetest", "process", machine="here", speed=1.5), capacity)
    server = RefereeServer(pool, address)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            yield server, RefereeStub(channel)
        finally:
            await server.stop()


def with_service(
    tmp_path: Path, test: Callable[[RefereeServer, RefereeStub], Awaitable[Any]], capacity: int = 2
) -> Any:
    async def run() -> Any:
        async with asyncio.timeout(90), served(f"unix:{tmp_path}/referee.sock", capacity) as (server, stub):
            return await test(server, stub)

    return asyncio.run(run())


def processes(text: str) -> list[int]:
    """Pids of live processes whose command line holds `text`."""
    out = subprocess.run(["pgrep", "-f", text], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in out if int(pid) != os.getpid()]


async def collect(call: Any) -> list[pb.FixtureUpdate]:
    updates = []
    while (update := await call.read()) is not grpc.aio.EOF:  # type: ignore[attr-defined]
        updates.append(update)
    return updates


def test_a_fixture_is_played_and_comes_whole(plain: Any, tmp_path: Path) -> None:
    spec = spec_of(local.find_bot("random", "nine"), local.find_bot("caller", "nine"), matches=3)

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        updates = await collect(stub.RunFixture(fixture_codec.encode_spec(spec)))
        kinds = [u.WhichOneof("update") for u in updates]
        assert kinds[0] == "progress"
        assert kinds[-1] == "finished"
        assert kinds.count("match") == 3
        matches = [fixture_codec.decode_match(u.match) for u in updates if u.HasField("match")]
        return fixture_codec.finished(spec, updates[-1].finished, matches)

    result = with_service(tmp_path, test)
    assert (result.machine, result.speed) == ("here", 1.5)
    assert [m.match_id for m in result.matches] == [m.match_id for m in spec.matches]
    again = plain.play("random", "caller", matches=1)  # another seed: only the shape is compared
    assert len(again.matches[0].seats) == len(result.matches[0].seats)


def test_the_same_fixture_gives_the_same_records_in_any_process(tmp_path: Path) -> None:
    bots = local.find_bot("random", "nine"), local.find_bot("cautious", "nine")

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        calls = [stub.RunFixture(fixture_codec.encode_spec(spec_of(*bots, name=f"t/1/{n}", matches=2))) for n in (1, 2)]
        both = await asyncio.gather(*(collect(call) for call in calls))
        return [[u.match.canonical_sha256 for u in updates if u.HasField("match")] for updates in both]

    first, second = with_service(tmp_path, test)
    assert len(first) == 2
    assert first == second


def test_a_crash_of_a_match_process_voids_its_fixture_alone(plain: Any, tmp_path: Path) -> None:
    slow = plain.bot(SLEEPY, 7)
    quick = local.find_bot("random", "nine")

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        victim = asyncio.ensure_future(
            collect(stub.RunFixture(fixture_codec.encode_spec(spec_of(slow, slow, name="t/1/1"))))
        )
        other = asyncio.ensure_future(
            collect(stub.RunFixture(fixture_codec.encode_spec(spec_of(quick, quick, name="t/1/2", matches=3))))
        )
        await playing_now(server, "t/1/1")
        process = server.pool.running["t/1/1"].process
        assert process is not None
        os.kill(process.process.pid, signal.SIGKILL)
        return await victim, await other

    victim, other = with_service(tmp_path, test)
    assert victim[-1].void.cause == "internal"
    assert "code -9" in victim[-1].void.reason
    assert other[-1].WhichOneof("update") == "finished"
    assert asyncio.run(gone(str(plain.folder)))


@pytest.mark.parametrize("way", ["cancel", "stop", "shutdown"])
def test_stopping_leaves_nothing(plain: Any, tmp_path: Path, way: str) -> None:
    slow, pids = plain.bot(SLEEPY, 8), []

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        call = stub.RunFixture(fixture_codec.encode_spec(spec_of(slow, slow)))
        updates: list[pb.FixtureUpdate] = []

        async def follow() -> None:
            async for update in call:
                updates.append(update)

        following = asyncio.ensure_future(follow())
        while not any(u.progress.stage == "playing" for u in updates):
            await asyncio.sleep(0.05)
        assert processes(str(plain.folder))
        (running,) = server.pool.running.values()
        assert running.process is not None
        assert server.pool.nursery.process is not None
        pids.extend([running.process.process.pid, server.pool.nursery.process.pid])
        if way == "cancel":
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await following
            while server.pool.running:
                await asyncio.sleep(0.05)
        elif way == "stop":
            assert (await stub.Stop(pb.StopRequest(fixture_id="t/1/1"))).was_running
            await following
            assert not (await stub.Stop(pb.StopRequest(fixture_id="t/1/1"))).was_running
        else:
            await server.pool.close()
            await following
        assert processes(str(plain.folder)) == []
        return updates[-1]

    last = with_service(tmp_path, test)
    if way != "cancel":
        assert last.void.cause == {"stop": "cancelled", "shutdown": "shutdown"}[way]
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


def test_a_fixture_that_finds_no_process_free_waits_and_says_so(plain: Any, tmp_path: Path) -> None:
    slow, quick = plain.bot(SLEEPY, 9), local.find_bot("random", "nine")

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        first = stub.RunFixture(fixture_codec.encode_spec(spec_of(slow, slow, name="t/1/1")))
        assert (await first.read()).progress.stage == "waiting"
        second = stub.RunFixture(fixture_codec.encode_spec(spec_of(quick, quick, name="t/1/2")))
        assert [(await second.read()).progress.stage for _ in range(2)] == ["waiting", "waiting"]
        running = await stub.Running(pb.RunningRequest())
        assert [f.fixture_id for f in running.fixtures] == ["t/1/1", "t/1/2"]
        assert running.fixtures[1].progress.stage == "waiting"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.RunFixture(fixture_codec.encode_spec(spec_of(quick, quick, name="t/1/2"))).read()
        assert refused.value.code() == grpc.StatusCode.ALREADY_EXISTS
        await stub.Stop(pb.StopRequest(fixture_id="t/1/1"))
        return await collect(second)

    assert with_service(tmp_path, test, capacity=1)[-1].WhichOneof("update") == "finished"


def test_a_newer_attempt_takes_the_place_of_one_whose_worker_is_gone(plain: Any, tmp_path: Path) -> None:
    slow, quick = plain.bot(SLEEPY, 13), local.find_bot("random", "nine")

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        old = stub.RunFixture(fixture_codec.encode_spec(spec_of(slow, slow)))
        assert (await old.read()).progress.stage == "waiting"
        new = stub.RunFixture(fixture_codec.encode_spec(replace(spec_of(quick, quick), attempt=2)))
        return (await collect(old))[-1], (await collect(new))[-1]

    ended, played = with_service(tmp_path, test)
    assert ended.void.cause == "lease_lost"
    assert played.WhichOneof("update") == "finished"


def test_spectators_see_what_is_public_and_no_more(plain: Any, tmp_path: Path) -> None:
    slow = plain.bot(QUICKER, 10)
    spec = spec_of(slow, slow, matches=1)

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        playing = asyncio.ensure_future(collect(stub.RunFixture(fixture_codec.encode_spec(spec))))
        await playing_now(server, "t/1/1")
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await stub.Watch(pb.WatchRequest(fixture_id="t/9/9")).read()
        assert unknown.value.code() == grpc.StatusCode.NOT_FOUND
        seen = await collect(stub.Watch(pb.WatchRequest(fixture_id="t/1/1")))
        return seen, await playing

    seen, updates = with_service(tmp_path, test)
    assert seen[0].whole
    assert {u.match_id for u in seen} == {"local/1/1/1"}
    documents = [json.loads(u.json) for u in seen]
    assert documents[-1]["state"]["finished"]
    replay = next(local_replay(u) for u in updates if u.HasField("match"))
    text = "".join(u.json for u in seen)
    assert replay["seed"] not in text
    assert '"hand"' not in text
    assert '"hands"' not in text
    events = [e for d in documents for e in d["events"]]
    assert all("cards" not in e for e in events if e["do"] in {"draw_pile", "draw"})
    ends = [e for e in events if e["do"] == "round_end"]
    assert [e["totals"] for e in ends] == [r["end"]["totals"] for r in replay["rounds"]][-len(ends) :]


async def playing_now(server: RefereeServer, fixture_id: str) -> None:
    while fixture_id not in server.pool.running or server.pool.running[fixture_id].progress.stage != "playing":
        await asyncio.sleep(0.02)


async def gone(text: str) -> bool:
    """Whether processes of that text end within seconds."""
    for _ in range(100):
        if not processes(text):
            return True
        await asyncio.sleep(0.1)
    return False


def local_replay(update: pb.FixtureUpdate) -> dict[str, Any]:
    from referee.match.sitting import decompress

    return decompress(update.match.replay)


def test_the_workers_call(plain: Any, tmp_path: Path) -> None:
    quick = local.find_bot("random", "nine")
    slow = plain.bot(SLEEPY, 11)
    beats: list[pb.Progress] = []

    class Lost(Exception):
        pass

    def lose(progress: pb.Progress) -> None:
        if progress.stage == "playing":
            raise Lost

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        with client.channel(f"unix:{tmp_path}/referee.sock") as over:
            result = await asyncio.to_thread(client.run_fixture, over, spec_of(quick, quick, matches=2), beats.append)
            with pytest.raises(Lost):
                await asyncio.to_thread(client.run_fixture, over, spec_of(slow, slow), lose)
            bad = replace(spec_of(quick, quick), matches=(MatchSpec("x", b""),))
            with pytest.raises(UsageError, match="seed"):
                await asyncio.to_thread(client.run_fixture, over, bad)
            stopped = asyncio.to_thread(client.run_fixture, over, spec_of(slow, slow, name="t/1/3"))
            waiting = asyncio.ensure_future(stopped)
            while not await server.pool.stop("t/1/3", "cancelled"):
                await asyncio.sleep(0.05)
            with pytest.raises(PlatformFault) as void:
                await waiting
            assert void.value.cause == "cancelled"
        with client.channel(f"unix:{tmp_path}/nobody.sock") as nobody, pytest.raises(Unreachable):
            await asyncio.to_thread(client.run_fixture, nobody, spec_of(quick, quick))
        return result

    result = with_service(tmp_path, test)
    assert len(result.matches) == 2
    assert beats[-1].matches_finished >= 1


def test_health_and_reflection(tmp_path: Path) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

    async def test(server: RefereeServer, stub: RefereeStub) -> Any:
        async with grpc.aio.insecure_channel(f"unix:{tmp_path}/referee.sock") as channel:
            health = await health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(service="ninefold.v1.Referee")
            )
            ask = reflection_pb2.ServerReflectionRequest(list_services="")
            call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([ask]))
            listed = await call.read()
        return health.status, [s.name for s in listed.list_services_response.service]

    status, names = with_service(tmp_path, test)
    assert status == 1
    assert "ninefold.v1.Referee" in names
