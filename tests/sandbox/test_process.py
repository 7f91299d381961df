"""The author's own bots as plain processes: the same handle, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from referee.errors import PlatformFault
from referee.sandbox.handle import ExitReport, SeatLaunch
from referee.sandbox.process import ProcessSandbox
from referee.sandbox.rundir import RunDir


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def seat(tmp_path):
    run_dir = RunDir("process")

    def launch(code, runtime="python"):
        (tmp_path / "bot.toml").write_text(
            f'name = "mine"\ngames = ["nines"]\nruntime = "{runtime}"\nentry = "bot.py"\n'
        )
        (tmp_path / "bot.py").write_text(code)
        return ProcessSandbox().launch(SeatLaunch(str(tmp_path), run_dir.seat_folder(), "f", 0, runtime))

    yield launch
    run_dir.remove()


def test_exit_code_log_and_environment(seat):
    async def play():
        code = "import os, sys, botkit, referee.games\nprint('socket', os.path.basename(os.environ['NINEFOLD_SOCKET']))\nsys.exit(4)"
        async with await seat(code) as handle:
            return await handle.wait(), handle.take_log()

    assert asyncio.run(play()) == (ExitReport(code=4), (b"socket seat.sock\n", False))


def test_a_traceback_is_kept_and_signals_are_told_apart(seat):
    async def play(code):
        async with await seat(code) as handle:
            return await handle.wait(), handle.take_log()[0]

    report, log = asyncio.run(play("raise ValueError('broken at import')"))
    assert report == ExitReport(code=1)
    assert log.endswith(b"ValueError: broken at import\n")
    assert asyncio.run(play("import os; os.kill(os.getpid(), 11)"))[0] == ExitReport(signal=11)


def test_processor_time_counts_children_too(seat):
    spin = "import os, time\nif os.fork() == 0: pass\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\ntime.sleep(5)"

    async def play():
        async with await seat(spin) as handle:
            while handle.cpu_ns() < 0.6e9:
                await asyncio.sleep(0.02)
            assert handle.freeze()
            await asyncio.sleep(0.05)
            before = handle.cpu_ns()
            await asyncio.sleep(0.1)
            assert handle.cpu_ns() - before < 1e6
            return handle

    handle = asyncio.run(play())
    assert handle.cpu_ns() >= 0.6e9
    assert handle.stalled_ns() >= 0


def test_detached_deaf_children_are_gone_after_close(seat):
    code = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(os.getpid(), flush=True)
        time.sleep(1000)
    os._exit(0)
time.sleep(1000)
"""

    async def play():
        async with await seat(code) as handle:
            log = b""
            while b"\n" not in log:
                await asyncio.sleep(0.02)
                log += handle.take_log()[0]
            child = int(log)
            assert os.path.exists(f"/proc/{child}")
            handle.freeze()
        assert (await handle.wait()).ours
        return child, handle.pid

    for pid in asyncio.run(play()):
        for _ in range(100):  # init collects an orphan when it gets to it
            if not lives(pid):
                break
            time.sleep(0.01)
        else:
            pytest.fail(f"process {pid} lives")


def test_a_bot_that_cannot_be_started_is_our_fault(seat, monkeypatch):
    async def play():
        await seat("", runtime="node")

    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PlatformFault, match="cannot be started"):
        asyncio.run(play())
