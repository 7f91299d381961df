"""What one decision costs: the whole table protocol, beside a raw Unix socket and a bare gRPC stream with the same bytes.

    python -m tests.bench.decision [--repetitions N] [--decisions N] [--json]

Referee on one core, bots on another. First one bot, at a table with a seat played in this process, beside one client;
then two bots, whose processes take turns on their core, beside two clients that do. A decision is all that happens between two questions: view built and encoded, sent,
decoded and answered by botkit, checked, clocks read, played, logged, with rounds begun and ended in between.
The floors carry a Turn and a Choice of the same match's median size, with the settings of gRPC that match processes
have; all are pinned alike. One more echo, no floor, is busy for `WORK_S` at each end before it sends: what waits for
longer between two messages, wakes up more slowly, and the difference to the bare echo is more than the work. Medians of interleaved repetitions; quote ratios. Where that is allowed, all of it runs in
the real-time class, so that other programs do not get between: the report's `scheduling` says so. Run it as a program:
gRPC reads its settings once.
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
from referee.match.driver import _Table
from referee.match.fixture import Clock
from referee.match.scripted import ScriptedSeat
from referee.match.seat import Answer, SeatClient
from referee.sandbox.handle import SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.process import ProcessSandbox
from referee.sandbox.rundir import RunDir
from referee.service.host import settle
from referee.service.nursery import ENVIRONMENT
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
import asyncio, os, sys, time, grpc
os.sched_setaffinity(0, {int(sys.argv[3])})
answer, work = bytes(int(sys.argv[2])), float(sys.argv[4])
async def main():
    async with grpc.aio.insecure_channel("unix:" + sys.argv[1]) as channel:
        call = channel.stream_stream("/bench/Play")()
        await call.write(b"hello")
        while await call.read() is not grpc.aio.EOF:
            until = time.perf_counter() + work
            while work and time.perf_counter() < until:
                pass
            await call.write(answer)
asyncio.run(main())
"""


WORK_S = 60e-6
"""About what each end of a decision does beside gRPC."""


def cores() -> tuple[int, int]:
    """One core for the referee and one for the bots; the same where there is only one."""
    all_ = sorted(os.sched_getaffinity(0))
    return all_[0], all_[-1]


def child(code: str, path: Path, answer: int, core: int, work: float = 0.0) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, str(path), str(answer), str(core), str(work)])


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


def grpc_stream(
    folder: Path, turn: int, answer: int, decisions: int, core: int, clients: int = 1, work: float = 0.0
) -> float:
    """Microseconds of one round trip over bidirectional gRPC streams in turn, asyncio at both ends, nothing decoded;
    each end is busy for `work` seconds before it sends."""

    async def run() -> float:
        contexts: list[Any] = []
        over = asyncio.Event()

        async def play(requests: Any, context: Any) -> None:
            await context.read()
            contexts.append(context)
            await over.wait()

        servers, processes = [], []
        for number in range(clients):
            server = grpc.aio.server(options=OPTIONS)
            handler = grpc.stream_stream_rpc_method_handler(play)
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench", {"Play": handler}),))
            path = folder / f"grpc{number}"
            server.add_insecure_port(f"unix:{path}")
            await server.start()
            servers.append(server)
            processes.append(child(GRPC_CHILD, path, answer, core, work))
        while len(contexts) < clients:
            await asyncio.sleep(0.01)
        question, start = bytes(turn), 0.0
        for n in range(decisions + 100):
            if n == 100:
                start = time.perf_counter()
            context, until = contexts[n % clients], time.perf_counter() + work
            while work and time.perf_counter() < until:
                pass
            await context.write(question)
            await context.read()
        took = time.perf_counter() - start
        over.set()
        await asyncio.gather(*(server.stop(None) for server in servers))
        for process in processes:
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


class Stopwatch(_Table):
    """A table that adds up the time of seat 0's decisions: from the question's making to the answer's logging."""

    took, counted, _begun = 0.0, 0, 0.0

    def _ask(self, seat: int) -> None:
        Stopwatch._begun = time.perf_counter()
        super()._ask(seat)

    def _take(self, seat: int, answer: Answer) -> None:
        super()._take(seat, answer)
        if seat == 0:
            Stopwatch.took += time.perf_counter() - self._begun
            Stopwatch.counted += 1


def table(folder: Path, decisions: int, core: int, bots: int = 2) -> float:
    """Microseconds of one decision in matches of Nines between botkit bots; their start is not counted.

    With one bot the other seat is played in this process, and only the bot's own decisions are counted.
    """
    bot = folder / "bot"
    bot.mkdir(exist_ok=True)
    (bot / "bot.py").write_text(BOT)
    (bot / "bot.toml").write_text(TOML)

    async def run() -> float:
        rundir = RunDir("bench")
        sandbox = Pinned()
        sandbox.core = core
        remote = [
            RemoteSeat(SeatLaunch(str(bot), rundir.seat_folder(), "bench", s), sandbox, Limits()) for s in range(bots)
        ]
        seats: list[SeatClient] = [*remote, *(ScriptedSeat(s) for s in range(bots, 2))]
        game = registry.get("nines")
        rules = game.complete({}, 2)
        took, counted = 0.0, 0
        try:
            await asyncio.gather(*(seat.start() for seat in seats))
            number = 0
            while counted < decisions:
                seed = number.to_bytes(32, "big")
                match = Match(game, rules, 2, seed, pausing=True)
                Stopwatch.took, Stopwatch.counted = 0.0, 0
                start = time.perf_counter()
                record = await Stopwatch(match, seats, seed, Clock(), None, number + 1, None).play()
                if number:  # the first warms up
                    took += Stopwatch.took if bots == 1 else time.perf_counter() - start
                    counted += Stopwatch.counted if bots == 1 else sum(seat.decisions for seat in record.seats)
                number += 1
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


def alone() -> str:
    """This process and its children come before all others of this machine, if that is allowed; the class they have."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return "other"
    return "fifo"


def measure(repetitions: int = 7, decisions: int = 2000) -> dict[str, Any]:
    """The figures and ratios. This process is pinned to one core afterwards."""
    os.environ |= ENVIRONMENT
    scheduling = alone()
    mine, theirs = cores()
    os.sched_setaffinity(0, {mine})
    settle()
    rows: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory(prefix="nf-bench-") as name:
        folder = Path(name)
        turn, answer, n = turn_size(folder, theirs), 6, decisions
        for _ in range(repetitions):
            rows.append(
                (
                    raw_socket(folder, turn, answer, n, theirs),
                    grpc_stream(folder, turn, answer, n, theirs),
                    table(folder, n, theirs, bots=1),
                    grpc_stream(folder, turn, answer, n, theirs, clients=2),
                    table(folder, n, theirs),
                    grpc_stream(folder, turn, answer, n, theirs, work=WORK_S),
                )
            )
    names = (
        "raw_socket_us",
        "grpc_stream_us",
        "decision_us",
        "grpc_two_streams_us",
        "decision_two_bots_us",
        "grpc_with_work_us",
    )
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    report: dict[str, Any] = {name: round(value, 1) for name, value in zip(names, medians, strict=True)}
    report["turn_bytes"], report["answer_bytes"], report["repetitions"] = turn, answer, repetitions
    report["scheduling"] = scheduling
    report["decision_to_raw"] = round(statistics.median(row[2] / row[0] for row in rows), 2)
    report["decision_to_grpc"] = round(statistics.median(row[2] / row[1] for row in rows), 2)
    report["grpc_with_work_to_grpc"] = round(statistics.median(row[5] / row[1] for row in rows), 2)
    report["decision_to_grpc_two"] = round(statistics.median(row[4] / row[3] for row in rows), 2)
    report["to_reach"] = {"decision_to_raw": 8.0, "decision_to_grpc": 1.25}
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measure(given.repetitions, given.decisions)
    if given.json:
        print(json.dumps(report))
        return
    print(f"a Turn of {report['turn_bytes']} bytes, a Choice of {report['answer_bytes']}", end="; ")
    print(f"medians of {given.repetitions}, scheduling {report['scheduling']}")
    print(f"raw Unix socket            {report['raw_socket_us']:7.1f} µs")
    print(f"bare gRPC stream           {report['grpc_stream_us']:7.1f} µs")
    print(
        f"decision of one bot        {report['decision_us']:7.1f} µs   {report['decision_to_raw']:5.2f} × raw (to reach 8)"
    )
    print(f"                                        {report['decision_to_grpc']:5.2f} × gRPC (to reach 1.25)")
    print(
        f"gRPC, {WORK_S * 1e6:.0f} µs of work an end  {report['grpc_with_work_us']:7.1f} µs   {report['grpc_with_work_to_grpc']:5.2f} × gRPC"
    )
    print(f"two gRPC streams in turn   {report['grpc_two_streams_us']:7.1f} µs")
    print(
        f"decision, two bots         {report['decision_two_bots_us']:7.1f} µs   {report['decision_to_grpc_two']:5.2f} × gRPC in turn"
    )


if __name__ == "__main__":
    main()
