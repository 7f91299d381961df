"""Where the time of a whole tournament goes: every part sampled while it plays, function by function.

    python -m tests.bench.profile [--seconds S] [--workers N] [--out FOLDER] [--top N]

Starts a league as `tests.bench.tournament` does, has it play ten matches a fixture, and lets py-spy look at referee, match
processes, worker and conductor 200 times a second. Prints what was at work most often, and writes one file of collapsed
stacks for each process, which https://www.speedscope.app and flamegraph.pl read. Needs root and `pip install py-spy`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tests.bench.tournament import MANY, League, league
from tests.bench.usage import league_processes

RATE = 200
SAMPLED = ("referee", "matches", "worker", "builder", "conductor")


def sample(pid: int, seconds: int, out: Path) -> subprocess.Popen[bytes]:
    """py-spy looks at that process for so long; it counts whoever holds the interpreter, which no idle thread does."""
    spy = shutil.which("py-spy", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin")
    if spy is None:
        raise SystemExit("py-spy is missing; pip install py-spy")
    options = ["--rate", str(RATE), "--duration", str(seconds), "--format", "raw", "--gil"]
    command = [spy, "record", "--pid", str(pid), *options, "--output", str(out)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def heaviest(file: Path) -> tuple[int, Counter[str], Counter[str]]:
    """Samples at work, and how many had each function at the top of the stack, and anywhere in it."""
    total, own, within = 0, Counter[str](), Counter[str]()
    for line in file.read_text().splitlines() if file.exists() else ():
        stack, _, count = line.rpartition(" ")
        frames = [frame.rpartition(":")[0] for frame in stack.split(";")]  # without line numbers
        total += int(count)
        own[frames[-1]] += int(count)
        for frame in set(frames):
            within[frame] += int(count)
    return total, own, within


def keep_playing(here: League, until: float) -> None:
    while time.monotonic() < until:
        here.play(20, MANY)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--out", type=Path, default=Path("tests/bench/out/profile"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    console = Console()
    with league(given.workers) as here, console.status("a tournament is played and watched"):
        playing = threading.Thread(target=keep_playing, args=(here, time.monotonic() + given.seconds + 6))
        playing.start()
        time.sleep(3)  # containers are up and matches under way
        chosen = {pid: part for pid, part in league_processes(here.ninefold.data).items() if part in SAMPLED}
        files = {pid: given.out / f"{part}-{pid}.txt" for pid, part in chosen.items()}
        for spy in [sample(pid, given.seconds, files[pid]) for pid in chosen]:
            spy.wait()
        playing.join()
    for pid, part in sorted(chosen.items(), key=lambda found: SAMPLED.index(found[1])):
        total, own, within = heaviest(files[pid])
        if not total:
            continue
        table = Table("function", "itself", "with what it calls", title=f"{part} {pid}: at work {total / RATE / given.seconds:.0%} of the time")
        for name, count in own.most_common(given.top):
            table.add_row(escape(name), f"{count / total:.1%}", f"{within[name] / total:.1%}")
        console.print(table)
    console.print(f"stacks in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
