"""What one decision costs: the whole table protocol, beside a raw Unix socket and a bare gRPC stream with the same bytes.

    python -m tests.bench.decision [--repetitions N] [--decisions N] [--json]

Referee on one core, bots on another. A decision is all that happens between two questions: view built and encoded, sent,
decoded and answered by botkit, checked, clocks read, played, logged, with rounds begun and ended in between.
The floors carry a Turn and a Choice of the same match's median size. Medians of interleaved repetitions; quote ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc

from referee.games import registry
from referee.games.match import Match
from referee.match.driver import play_match
from referee.match.fixture import Clock
from referee.sandbox.handle import SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.process import ProcessSandbox
from referee.sandbox.rundir import RunDir
from referee.service.seat import RemoteSeat
from referee.service.table import OPTIONS, TableServer

TOML = 'name = "first"\ngames = ["nines"]\nruntime = "python"\nentry = "bot.py"\n'
BOT = """
import random
from botkit import Bot, run

class First(Bot):
    def act(self, view, legal):
        return self.rng.choice(legal)

run(First())
"""
USAGE = ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu.stat", "/proc/self/schedstat")
"""Read for its cost alone; the values are made small, so that no clock runs out."""
RAW_CHILD = """
import os, socket, sys
os.sched_setaffinity(0, {int(sys.argv[3])})
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
answer = bytes(int(sys.argv[2]))
while s.recv(65536):
    s.sendall(answer)
"""
GRPC_CHILD = """
import asyncio, os, sys, grpc
os.sched_setaffinity(0, {int(sys.argv[3])})
answer = bytes(int(sys.argv[2]))
async def main():
    async with grpc.aio.insecure_channel("unix:" + sys.argv[1]) as channel:
        call = channel.stream_stream("/bench/Play")()
        await call.write(b"hello")
        while await call.read() is not grpc.aio.EOF:
            await call.write(answer)
asyncio.run(main())
"""


def cores() -> tuple[int, int]:
    """One core for the referee and one for the bots; the same where there is only one."""
    all_ = sorted(os.sched_getaffinity(0))
    return all_[0], all_[-1]


def child(code: str, path: Path, answer: int, core: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, str(path), str(answer), str(core)])


def raw_socket(folder: Path, turn: int, answer: int, decisions: int, core: int) -> float:
    """Microseconds of one round trip over a Unix socket, blocking calls at both ends."""
    path = folder / "raw"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        process = child(RAW_CHILD, path, answer, core)
        connection, _ = server.accept()
        question = bytes(turn)
        with connection:
            start = 0.0
            for n in range(decisions + 100):
                if n == 100:
                    start = time.perf_counter()
                connection.sendall(question)
                connection.recv(65536)
            took = time.perf_counter() - start
        process.wait()
    return took / decisions * 1e6


def grpc_stream(folder: Path, turn: int, answer: int, decisions: int, core: int) -> float:
    """Microseconds of one round trip over a bidirectional gRPC stream, asyncio at both ends, nothing decoded."""

    async def run() -> float:
        path = folder / "grpc"
        done: asyncio.Future[float] = asyncio.get_running_loop().create_future()

        async def play(requests: Any, context: Any) -> None:
            await context.read()
            question = bytes(turn)
            start = 0.0
            for n in range(decisions + 100):
                if n == 100:
                    start = time.perf_counter()
                await context.write(question)
                await context.read()
            done.set_result(time.perf_counter() - start)

        server = grpc.aio.server(options=OPTIONS)
        handler = grpc.stream_stream_rpc_method_handler(play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench", {"Play": handler}),))
        server.add_insecure_port(f"unix:{path}")
        await server.start()
        process = child(GRPC_CHILD, path, answer, core)
        took = await done
        await server.stop(None)
        process.wait()
        return took

    return asyncio.run(run()) / decisions * 1e6


class Pinned(ProcessSandbox):
    """Bots of one core. Their processor time is read as a container's is: one number from one open cgroup file."""

    core = 0
    usage = -1

    async def launch(self, seat: SeatLaunch) -> Any:
        mine = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self.core})  # inherited
        try:
            handle = await super().launch(seat)
        finally:
            os.sched_setaffinity(0, mine)
        if self.usage < 0:
            self.usage = os.open(next(f for f in USAGE if os.path.exists(f)), os.O_RDONLY)
        usage = self.usage
        handle.cpu_ns = lambda: int(os.pread(usage, 64, 0).split()[-1]) // 10**6  # type: ignore[method-assign]
        return handle


def table(folder: Path, decisions: int, core: int) -> float:
    """Microseconds of one decision of a match of Nines between two botkit bots; their start is not counted."""
    bot = folder / "bot"
    bot.mkdir(exist_ok=True)
    (bot / "bot.py").write_text(BOT)
    (bot / "bot.toml").write_text(TOML)

    async def run() -> float:
        rundir = RunDir("bench")
        sandbox = Pinned()
        sandbox.core = core
        seats = [
            RemoteSeat(SeatLaunch(str(bot), rundir.seat_folder(), "bench", seat), sandbox, Limits())
            for seat in range(2)
        ]
        game = registry.get("nines")
        rules = game.complete({}, 2)
        took, counted = 0.0, 0
        try:
            await asyncio.gather(*(seat.start() for seat in seats))
            for number in range(max(2, decisions // 150) + 1):
                seed = bytes([number % 256]) * 32
                match = Match(game, rules, 2, seed, pausing=True)
                start = time.perf_counter()
                record = await play_match(match, seats, seed=seed, clock=Clock(), number=number + 1)
                if number:  # the first warms up
                    took += time.perf_counter() - start
                    counted += sum(seat.decisions for seat in record.seats)
        finally:
            await asyncio.gather(*(seat.stop("done") for seat in seats))
            rundir.remove()
        return took / counted * 1e6

    return asyncio.run(run())


def turn_size(folder: Path, core: int) -> int:
    """The median size in bytes of a Turn of such a match."""
    sizes: list[int] = []
    send = TableServer.send

    def recording(server: TableServer, message: bytes) -> None:
        if message[:1] == b"\x22":  # ToBot.turn
            sizes.append(len(message))
        send(server, message)

    TableServer.send = recording  # type: ignore[method-assign]
    try:
        table(folder, 300, core)
    finally:
        TableServer.send = send  # type: ignore[method-assign]
    return int(statistics.median(sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    mine, theirs = cores()
    os.sched_setaffinity(0, {mine})
    rows: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory(prefix="nf-bench-") as name:
        folder = Path(name)
        turn, answer = turn_size(folder, theirs), 6
        for _ in range(given.repetitions):
            raw = raw_socket(folder, turn, answer, given.decisions, theirs)
            stream = grpc_stream(folder, turn, answer, given.decisions, theirs)
            rows.append((raw, stream, table(folder, given.decisions, theirs)))
    raw, stream, whole = (statistics.median(column) for column in zip(*rows, strict=True))
    ratios = [[w / r for r, _, w in rows], [w / s for _, s, w in rows]]
    report = {
        "turn_bytes": turn,
        "raw_socket_us": round(raw, 1),
        "grpc_stream_us": round(stream, 1),
        "decision_us": round(whole, 1),
        "decision_to_raw": round(statistics.median(ratios[0]), 2),
        "decision_to_grpc": round(statistics.median(ratios[1]), 3),
    }
    if given.json:
        print(json.dumps(report))
        return
    print(f"a Turn of {turn} bytes, a Choice of {answer}; medians of {given.repetitions}")
    print(f"raw Unix socket      {raw:7.1f} µs")
    print(f"bare gRPC stream     {stream:7.1f} µs   {stream / raw:5.2f} × raw")
    print(f"decision at a table  {whole:7.1f} µs   {report['decision_to_raw']:5.2f} × raw (to reach 8)")
    print(f"                                {report['decision_to_grpc']:6.3f} × gRPC (to reach 1.25)")


if __name__ == "__main__":
    main()
