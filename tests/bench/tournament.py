"""A real tournament, with everything it needs: how many matches a minute, and whose processor time they take.

    python -m tests.bench.tournament [--fixtures N] [--repetitions N] [--workers 1 2 4] [--json]

`ninefold up` on PostgreSQL and Redis with a Docker engine of its own plays two cheap bots: ten matches a fixture beside one
match a fixture (a pair of containers for each match), in turns; beside the same bots in kept plain processes without
Docker, Celery or store (`ninefold play`), and beside built-in bots in one process. Processor time is read from the kernel
and control groups: referee, match processes, containers at play and at their start, engine, worker and conductor (Celery),
PostgreSQL, Redis. Ratios are medians over the repetitions; needs root.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, func, select

from referee.sandbox.engine import Engine
from referee.sandbox.image import base_tag, ensure_base
from referee.store import schema
from referee.store.engine import Store
from referee.store.models import Block, Fixture, Match, Seat, Tournament
from tests.bench.usage import Group, family_seconds, group, league_mib, league_seconds
from tests.engines import private_engine
from tests.league.running import RANDOM, Ninefold, write_bot
from tests.services import Postgres, Redis

MANY, ONE = 10, 1
"""Matches a fixture: as leagues are played, and a fresh pair of containers for each match."""
LOOK_SECONDS = 0.05
PATIENCE_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Played:
    """One tournament: its matches, wall seconds from its start to its end, processor seconds of each part."""

    matches: int
    seconds: float
    cpu: dict[str, float]
    mib: dict[str, list[float]]

    @property
    def a_minute(self) -> float:
        return self.matches / self.seconds * 60


@dataclass
class League:
    """A running league and what counts its processor time."""

    ninefold: Ninefold
    store: Store
    postgres: Postgres
    redis: Redis
    engine: Group
    containers: Group
    made: int = 0
    bots: list[Path] = field(default_factory=list)

    def cpu(self) -> dict[str, float]:
        """Processor seconds so far; `containers` is all that ran in any, `engine` dockerd, containerd, shims and runc."""
        assert self.postgres.process is not None
        assert self.redis.process is not None
        return league_seconds(self.ninefold.data) | {
            "postgres": family_seconds(self.postgres.process.pid),
            "redis": family_seconds(self.redis.process.pid),
            "engine": self.engine.seconds(),
            "containers": self.containers.seconds(),
        }

    def play(self, fixtures: int, matches_each: int) -> Played:
        """A tournament of so many fixtures has been played."""
        self.made += 1
        name = f"bench-{self.made}"
        blocks = str(fixtures // 2)  # a block is two fixtures, one in each seating
        sizes = ("--blocks", blocks, "--matches-per-fixture", str(matches_each))
        self.ninefold.ok("tournament", "create", name, "--game", "nines", "--bots", "anna,bert", *sizes)
        before, began = self.cpu(), time.monotonic()
        self.ninefold.ok("tournament", "start", name)
        largest: dict[str, list[float]] = {}
        began_playing = time.monotonic()
        while (state := self._state(name)) != "done":
            assert time.monotonic() - began < PATIENCE_SECONDS, f"{name} is still {state}"
            sizes_now = (
                league_mib(self.ninefold.data) if int((time.monotonic() - began) / LOOK_SECONDS) % 20 == 0 else {}
            )
            if len(sizes_now.get("matches", ())) >= len(largest.get("matches", ())):
                largest = sizes_now or largest
            time.sleep(LOOK_SECONDS)
        took = time.monotonic() - began_playing
        after = self.cpu()
        cpu = {part: after[part] - before.get(part, 0.0) for part in after}
        cpu["bots"] = self._bots_seconds(name)
        cpu["start"] = cpu.pop("containers") - cpu["bots"]
        return Played(fixtures // 2 * 2 * matches_each, took, cpu, largest)

    def warm(self) -> None:
        """Images are there, and every part has loaded what it loads when it is first used: the builder what rates."""
        self.play(2, ONE)
        name = f"bench-{self.made}"
        rated = select(Tournament.rating_watermark).where(Tournament.name == name)
        began = time.monotonic()
        while not self.store.fetch(lambda session: session.exec(rated).one()):
            assert time.monotonic() - began < PATIENCE_SECONDS, f"{name} is not rated"
            time.sleep(LOOK_SECONDS)

    def _state(self, name: str) -> str:
        return self.store.fetch(
            lambda session: session.exec(select(Tournament.state).where(Tournament.name == name)).one()
        )

    def _bots_seconds(self, name: str) -> float:
        def work(session: Session) -> float:
            asked = (
                select(func.sum(Seat.cpu_ms))
                .join(Match, col(Match.id) == Seat.match_id)
                .join(Fixture, col(Fixture.id) == Match.fixture_id)
                .join(Block, col(Block.id) == Fixture.block_id)
                .join(Tournament, col(Tournament.id) == Block.tournament_id)
                .where(Tournament.name == name)
            )
            return float(session.exec(asked).one() or 0.0) / 1000

        return self.store.fetch(work)


@contextmanager
def league(workers: int) -> Iterator[League]:
    """A league with two cheap bots, everything it needs beside it, nothing left afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nfb-")))
        folder.chmod(0o755)
        for name in ("pg", "redis", "league"):
            (folder / name).mkdir()
        counted = stack.enter_context(group(f"nfbench-{folder.name}"))
        with counted.inside():
            engine = stack.enter_context(private_engine())
        own = Engine()
        ensure_base(own, lambda line: print(line, file=sys.stderr))
        own.api.close()
        engine.load(base_tag())
        postgres, redis = Postgres(folder / "pg"), Redis(folder / "redis")
        for server in (postgres, redis):
            server.start()
            stack.callback(server.stop)
        url = postgres.database()
        store = Store(url)
        stack.callback(store.close)
        schema.prepare(store)
        ninefold = Ninefold(
            folder / "league" / "data",
            NINEFOLD_DATABASE_URL=url, NINEFOLD_BROKER_URL=redis.url, NINEFOLD_WORKERS=str(workers), DOCKER_HOST=engine.host,
        )  # fmt: skip
        ninefold.up()
        stack.callback(ninefold.down)
        here = League(ninefold, store, postgres, redis, counted, Group(counted.path.parent / "docker"))
        for bot in ("anna", "bert"):
            here.bots.append(write_bot(folder / bot, RANDOM, bot))
            assert ninefold.json("bot", "submit", str(here.bots[-1]))["state"] == "admitted"
        yield here


def kept_processes(bots: list[str], matches: int) -> float:
    """Matches a minute of `ninefold play`, its own start not counted: folders as kept processes, names in this process."""

    def took(count: int) -> float:
        began = time.monotonic()
        command = [
            sys.executable,
            "-m",
            "referee.cli.main",
            "play",
            *bots,
            "--game",
            "nines",
            "--matches",
            str(count),
            "--json",
        ]
        subprocess.run(command, check=True, capture_output=True)
        return time.monotonic() - began

    return (matches - 2) / (took(matches) - took(2)) * 60


def median(values: Iterator[float]) -> float:
    return statistics.median(list(values))


def report(rows: list[dict[str, Played]], kept: list[float], inside: list[float]) -> dict[str, Any]:
    """The figures of one number of workers, each beside its floor of the same repetition."""
    many = [row["many"] for row in rows]
    parts = sorted({part for played in many for part in played.cpu})
    ours = ("referee", "nursery", "matches", "worker", "builder", "conductor", "supervisor", "postgres", "redis")
    everything = [part for part in parts if part != "dashboard"]  # nobody looked at it
    per_thousand = {part: round(median(p.cpu.get(part, 0.0) / p.matches * 1000 for p in many), 2) for part in parts}
    mib = many[-1].mib
    matches = sorted(mib.get("matches", ()))
    return {
        "matches_a_minute": round(median(p.a_minute for p in many), 1),
        "matches_a_minute_one_a_fixture": round(median(row["one"].a_minute for row in rows), 1),
        "matches_a_minute_kept_processes": round(statistics.median(kept), 1),
        "matches_a_minute_in_one_process": round(statistics.median(inside), 1),
        "many_to_one": round(median(row["many"].a_minute / row["one"].a_minute for row in rows), 2),
        "to_kept_processes": round(
            median(row["many"].a_minute / floor for row, floor in zip(rows, kept, strict=True)), 3
        ),
        "to_one_process": round(
            median(row["many"].a_minute / floor for row, floor in zip(rows, inside, strict=True)), 3
        ),
        "platform_share": round(
            median(sum(p.cpu.get(part, 0) for part in ours) / sum(p.cpu[part] for part in everything) for p in many), 3
        ),
        "cpu_s_per_1000_matches": per_thousand,
        "mib": {part: [round(value, 1) for value in values] for part, values in mib.items()},
        "mib_referee_and_worker": round(sum(sum(mib.get(part, ())) for part in ("referee", "nursery", "worker")), 1),
        "mib_a_running_fixture": round(matches[-1], 1) if matches else None,
    }


def measure(workers: int, fixtures: int, repetitions: int, say: Any = lambda line: None) -> dict[str, Any]:
    """`report` of a league with so many workers; ten matches a fixture and one in turns, floors in between."""
    rows: list[dict[str, Played]] = []
    kept: list[float] = []
    inside: list[float] = []
    with league(workers) as here:
        here.warm()
        for repetition in range(repetitions):
            row = {"many": here.play(fixtures, MANY), "one": here.play(fixtures, ONE)}
            rows.append(row)
            kept.append(kept_processes([str(bot) for bot in here.bots], fixtures * MANY))
            inside.append(kept_processes(["random", "random"], fixtures * MANY))
            say(
                f"workers {workers}, repetition {repetition + 1}: {row['many'].a_minute:.0f} a minute, one a fixture "
                f"{row['one'].a_minute:.0f}, kept processes {kept[-1]:.0f}, one process {inside[-1]:.0f}"
            )
    return report(rows, kept, inside)


def words(workers: int, figures: dict[str, Any]) -> str:
    """The figures as lines to read."""
    lines = [
        f"workers {workers}",
        f"  matches a minute, ten a fixture   {figures['matches_a_minute']:8.0f}",
        f"  one a fixture                     {figures['matches_a_minute_one_a_fixture']:8.0f}"
        f"   × {figures['many_to_one']:.2f} (to reach 5)",
        f"  kept processes, no Docker         {figures['matches_a_minute_kept_processes']:8.0f}"
        f"   × {figures['to_kept_processes']:.2f} (to reach 0.6)",
        f"  built-in bots in one process      {figures['matches_a_minute_in_one_process']:8.0f}   × {figures['to_one_process']:.2f}",
        f"  share of referee, worker, store, broker in all processor time {figures['platform_share']:.0%} (at most 35 %)",
        f"  memory: referee and worker {figures['mib_referee_and_worker']} MiB (at most 250), "
        f"a running fixture {figures['mib_a_running_fixture']} MiB (at most 5)",
        "  processor seconds per 1,000 matches: "
        + ", ".join(f"{re.sub('_', ' ', part)} {value}" for part, value in figures["cpu_s_per_1000_matches"].items()),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fixtures", type=int, default=20, help="of each tournament; an even number (default 20)")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    say = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    figures = {count: measure(count, given.fixtures, given.repetitions, say) for count in given.workers}
    print(json.dumps(figures) if given.json else "\n".join(words(count, found) for count, found in figures.items()))


if __name__ == "__main__":
    main()
