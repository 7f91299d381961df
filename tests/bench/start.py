"""A seat's start: locked container, from its creation to its bot's first message, beside `docker run` of the same image.

    python -m tests.bench.start [--repetitions N] [--json]

The floor is `docker run --rm --network none IMAGE true` by Docker's own client. In turns; the ratio is the median of pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.container import ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.reaper import reap, reap_images
from referee.sandbox.rundir import RunDir
from referee.service.seat import open_seat
from tests.league.running import RANDOM

READINGS = 1000
"""Times the clocks are read for the cost of one reading."""


def floor(image: str) -> float:
    """Seconds of `docker run` of that image, its removal included as `--rm` has it."""
    began = time.perf_counter()
    subprocess.run(["docker", "run", "--rm", "--network", "none", "--entrypoint", "/bin/true", image], check=True)
    return time.perf_counter() - began


async def measure(repetitions: int) -> dict[str, Any]:
    """Medians in milliseconds, and the median ratio."""
    league, limits = f"bench{secrets.token_hex(3)}", Limits()
    engine = Engine()
    rows: list[tuple[float, float, float, float]] = []
    try:
        base = ensure_base(engine, lambda line: print(line, file=sys.stderr))
        run_dir = RunDir(league)
        with tempfile.TemporaryDirectory(prefix="nf-bench-") as name:
            folder = Path(name)
            (folder / "bot.py").write_text(RANDOM)
            source = BotSource("cheap", folder, ("bot.py",), "python", "bot.py")
            image = build_bot(Room.new(engine, base, league, limits), source).image
        sandbox = ContainerSandbox(engine, league)
        for number in range(repetitions + 1):
            run = floor(image)
            seat = open_seat(sandbox, limits, run_dir.seat_folder, "bench", [(image, "python")])(0)
            began = time.perf_counter()
            await seat.start()
            started = time.perf_counter()
            for _ in range(READINGS):
                seat.reading()
            read = time.perf_counter()
            await seat.stop("done")
            if number:  # the first warms up
                rows.append((started - began, time.perf_counter() - read, run, (read - started) / READINGS))
        run_dir.remove()
    finally:
        reap(engine, league)
        reap_images(engine, league, (), newest=0)
        await engine.close()
    start, stop, run, reading = (statistics.median(column) * 1000 for column in zip(*rows, strict=True))
    return {
        "start_ms": round(start, 1),
        "stop_ms": round(stop, 1),
        "docker_run_ms": round(run, 1),
        "clock_reading_us": round(reading * 1000, 2),
        "start_to_docker_run": round(statistics.median(row[0] / row[2] for row in rows), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = asyncio.run(measure(given.repetitions))
    if given.json:
        print(json.dumps(figures))
        return
    print(f"docker run --rm --network none   {figures['docker_run_ms']:7.1f} ms")
    print(
        f"locked container to its Hello    {figures['start_ms']:7.1f} ms   "
        f"{figures['start_to_docker_run']:.2f} × docker run (to reach 1.0); stopped and removed in {figures['stop_ms']:.1f} ms"
    )
    print(f"reading a seat's clocks          {figures['clock_reading_us']:7.2f} µs   (to reach 5)")


if __name__ == "__main__":
    main()
