"""One container from its start to its end, whatever happens in between."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import docker.errors
import pytest

from referee.sandbox.container import ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.handle import ExitReport, SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.rundir import RunDir

pytestmark = pytest.mark.docker


def alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def exists(engine: Engine, name: str) -> bool:
    try:
        engine.api.inspect_container(name)
    except docker.errors.NotFound:
        return False
    return True


def test_a_seat_starts_talks_ends_and_leaves_nothing(seat, engine):
    async def play():
        async with seat() as bot:
            assert await bot.ask("answer = 6 * 7") == 42
            assert bot.handle.running
            await bot.tell("import sys; print('bye'); sys.exit(3)")
            report = await bot.handle.wait()
            assert report == ExitReport(code=3)
            assert str(report) == "exited with code 3"
            assert not bot.handle.running
            return bot.handle

    handle = asyncio.run(play())
    assert handle.take_log() == (b"bye\n", False)
    assert not alive(handle.pid)
    assert not exists(engine, handle.name)


def test_processor_time_is_that_of_the_whole_container(seat):
    async def play():
        async with seat() as bot:
            before = bot.handle.cpu_ns()
            used = await bot.ask("""
                import os, resource, time
                began = time.process_time()
                while time.process_time() < began + 0.3: pass
                if (child := os.fork()) == 0:
                    began = time.process_time()
                    while time.process_time() < began + 0.3: pass
                    os._exit(0)
                spent = os.wait4(child, 0)[2]
                answer = 0.3 + spent.ru_utime + spent.ru_stime
            """)
            charged = (bot.handle.cpu_ns() - before) / 1e9
            assert used <= charged * 1.01
            assert charged <= used * 1.1
            # sleeping costs nothing
            before = bot.handle.cpu_ns()
            await bot.ask("import time; time.sleep(0.3)")
            assert (bot.handle.cpu_ns() - before) / 1e9 < 0.03
            return bot.handle

    handle = asyncio.run(play())
    assert handle.cpu_ns() > 0.6e9, "the last reading outlives the container"


def test_time_spent_waiting_for_a_processor_is_seen(seat):
    async def play():
        async with seat() as bot:
            before = bot.handle.stalled_ns()
            await bot.ask("""
                import os, time
                children = []
                for _ in range(4):
                    if (child := os.fork()) == 0:
                        until = time.monotonic() + 0.5
                        while time.monotonic() < until: pass
                        os._exit(0)
                    children.append(child)
                time.sleep(0.4)
                answer = 1
            """)
            return bot.handle.stalled_ns() - before

    assert asyncio.run(play()) > 0.1e9, "four spinning children share one processor"


@pytest.mark.parametrize("where", ["main", "child"])
def test_memory_is_blamed_on_evidence_from_main_or_child(seat, where):
    eat = "kept = []\nwhile True: kept.append(bytearray(b'x') * (8 << 20))"
    child = f"import os, time\nif os.fork() == 0:\n    {eat.replace(chr(10), chr(10) + '    ')}\nos.wait()\nanswer = 'alive'"

    async def play():
        async with seat() as bot:
            assert not bot.handle.out_of_memory
            if where == "child":
                assert await bot.ask(child) == "alive"
                await asyncio.sleep(0.05)
                assert bot.handle.out_of_memory
                assert bot.handle.running
                await bot.tell("import os; os._exit(0)")
            else:
                await bot.tell(eat)
            report = await bot.handle.wait()
            assert bot.handle.out_of_memory
            assert report.memory == "limit"
            assert str(report) == "the memory limit was reached"

    asyncio.run(play())


ENDS = [
    ("exit 0", "import os; os._exit(0)", ExitReport(code=0)),
    ("exit 137 of its own", "import os; os._exit(137)", ExitReport(code=137)),
    ("traceback", "raise SystemExit('no')", ExitReport(code=1)),
    ("segmentation fault", "import ctypes; ctypes.string_at(0)", ExitReport(signal=11)),
]


@pytest.mark.parametrize(("code", "expected"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS])
def test_the_end_is_reported_as_it_was(seat, code, expected):
    async def play():
        async with seat() as bot:
            await bot.tell(code)
            return await bot.handle.wait()

    assert asyncio.run(play()) == expected


def test_a_bot_cannot_stop_or_kill_its_first_process(seat):
    async def play():
        async with seat() as bot:
            await bot.ask("import os, signal; os.kill(1, signal.SIGSTOP); os.kill(1, signal.SIGKILL)")
            assert await bot.ask("answer = 1") == 1

    asyncio.run(play())


@pytest.mark.parametrize("how", ["docker kill", "docker rm", "kill -9"])
def test_whoever_ends_a_container_from_outside_it_is_not_the_bot(seat, engine, how):
    async def play():
        async with seat() as bot:
            if how == "docker kill":
                engine.api.kill(bot.handle.name)
            elif how == "docker rm":
                engine.api.remove_container(bot.handle.name, force=True)
            else:
                os.kill(bot.handle.pid, 9)
            return await asyncio.wait_for(bot.handle.wait(), 30)

    report = asyncio.run(play())
    assert report.outside
    assert not report.memory


def test_a_kill_that_the_bot_asked_for_is_the_bots_even_where_it_could_ask(seat, sandbox):
    sandbox.host = sandbox.host | {"SecurityOpt": ["no-new-privileges:true", "seccomp=unconfined"]}

    async def play():
        async with seat(sandbox) as bot:
            await bot.tell("""
                import resource, signal, time
                signal.signal(signal.SIGXCPU, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
                while True: pass
            """)
            return await asyncio.wait_for(bot.handle.wait(), 60)

    report = asyncio.run(play())
    assert not report.outside
    assert not report.ours
    assert str(report) in ("killed by SIGKILL", "exited with code 137")  # the latter where nobody saw the signal


DEAF = """
import os, signal, time
def deaf():
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            deaf()
            while True: time.sleep(100)
        os._exit(0)
deaf()
answer = 1
"""


def test_nothing_survives_close_not_even_deaf_and_detached_children(seat):
    async def play():
        async with seat() as bot:
            await bot.ask(DEAF)
            procs = Path(f"/proc/{bot.handle.pid}/task/{bot.handle.pid}/children")
            assert procs.exists()
            inside = [int(p) for p in bot.handle._readings.where.cpuacct.joinpath("cgroup.procs").read_text().split()]
            assert len(inside) >= 4
            return inside, bot.handle._readings.where.cpuacct

    inside, group = asyncio.run(play())
    assert not [pid for pid in inside if alive(pid)]
    assert not group.exists()


def test_frozen_stands_still_and_can_be_thawed_and_closed(seat):
    async def play():
        async with seat() as bot:
            await bot.ask(
                "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()"
            )
            assert bot.handle.freeze()
            await asyncio.sleep(0.05)
            before = bot.handle.cpu_ns()
            await asyncio.sleep(0.2)
            assert bot.handle.cpu_ns() - before < 5e6
            bot.handle.thaw()
            assert await bot.ask("answer = 1") == 1
            assert bot.handle.freeze()
            return bot.handle

    assert not alive(asyncio.run(play()).pid)


def test_logs_hold_any_bytes_and_are_taken_match_by_match(seat):
    async def play():
        async with seat() as bot:
            await bot.ask(r"import os; os.write(1, b'\xff\x00\xfe no newline'); os.write(2, b'to stderr')")
            await asyncio.sleep(0.3)
            first = bot.handle.take_log()
            await bot.ask("print('second')")
            await bot.tell("import os; os._exit(0)")
            await bot.handle.wait()
            return first, bot.handle.take_log()

    first, second = asyncio.run(play())
    assert first == (b"\xff\x00\xfe no newlineto stderr", False)
    assert second == (b"second\n", False)


@pytest.mark.parametrize("piece", [b"x" * 65536, b"x", b"line\n"], ids=["blocks", "single bytes", "lines"])
def test_a_flood_is_cut_and_costs_us_little(seat, piece):
    async def play():
        async with seat() as bot:
            await bot.tell(f"import os\nwhile True: os.write(1, {piece!r})")
            await asyncio.sleep(0.5)
            used = time.process_time()
            await asyncio.sleep(1.0)
            ours = time.process_time() - used
            text, cut = bot.handle.take_log()
            return text, cut, ours

    text, cut, ours = asyncio.run(play())
    limit = Limits().log_bytes
    if cut:
        assert limit <= len(text) <= limit + 100
        assert b"bytes cut here" in text
    assert len(text) > 10_000
    assert ours < 0.25


@pytest.mark.parametrize("refusals", [0, 1], ids=["", "an engine that refuses the first removal"])
def test_cancelling_a_start_leaves_nothing(
    sandbox: ContainerSandbox,
    puppet: str,
    run_dir: RunDir,
    league: str,
    monkeypatch: pytest.MonkeyPatch,
    refusals: int,
):
    """The engine does refuse where a process ends by itself just as it is to be killed."""
    real, refused = Engine.remove_container, list[str]()

    def busy(self: Engine, name: str) -> None:
        if refused.count(name) < refusals:
            refused.append(name)
            raise docker.errors.APIError("Could not kill running container, cannot remove")
        real(self, name)

    monkeypatch.setattr(Engine, "remove_container", busy)

    async def play():
        for delay in (0.0, 0.005, 0.02, 0.05, 0.1, 0.15):
            launch = asyncio.ensure_future(sandbox.launch(SeatLaunch(puppet, run_dir.seat_folder(), "cancelled", 0)))
            await asyncio.sleep(delay)
            if launch.cancel():
                with pytest.raises(asyncio.CancelledError):
                    await launch
            else:  # a quick machine was done by then
                await launch.result().close()
        while sandbox.engine._background:
            await asyncio.gather(*sandbox.engine._background, return_exceptions=True)

    asyncio.run(play())
    label = {"label": [f"ninefold={league}", "ninefold.fixture=cancelled"]}
    assert sandbox.engine.api.containers(all=True, filters=label) == []


def test_a_prepared_container_does_not_run_until_it_is_wanted(sandbox, puppet, run_dir, engine):
    async def play():
        prepared = await sandbox.prepare(SeatLaunch(puppet, run_dir.seat_folder(), "f", 0))
        assert engine.api.inspect_container(prepared.name)["State"]["Status"] == "created"
        await prepared.close()
        return prepared.name

    assert not exists(engine, asyncio.run(play()))


def test_each_container_has_a_uid_of_its_own(seat):
    async def play():
        async with seat() as one, seat() as other:
            return await one.ask("import os; answer = os.getuid()"), await other.ask("import os; answer = os.getuid()")

    one, other = asyncio.run(play())
    assert one != other
