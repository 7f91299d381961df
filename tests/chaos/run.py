"""A tournament among kills, held against the same tournament without any."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.chaos import parts
from tests.chaos.league import LEASE_SECONDS, Findings, Kind, League, league

PHASES = ("starting", "playing", "ending")
BLOCKS = 4
END_SECONDS = 600.0
Say = Callable[[str], None]


@dataclass
class Report:
    """What was done to a league, and what came of it. `problems` is empty if nothing can be told from a quiet run."""

    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    ways: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    tournaments: int = 0
    matches: int = 0
    voids: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def table(self) -> str:
        """The kills by what was killed, in which phase, and how."""
        ways = ("kill", "stop", "end")
        rows = [f"{'':16}" + "".join(f"{name:>10}" for name in (*PHASES, "idle", "all", "|", *ways))]
        for part in sorted({part for part, _ in self.kills}):
            cells = [self.kills[part, phase] for phase in (*PHASES, "idle")]
            rows.append(
                f"{part:16}" + "".join(f"{n:>10}" for n in (*cells, sum(cells))) + f"{'|':>10}"
                + "".join(f"{self.ways[part, way]:>10}" for way in ways)
            )  # fmt: skip
        totals = [sum(n for (_, at), n in self.kills.items() if at == phase) for phase in (*PHASES, "idle")]
        rows.append(f"{'all':16}" + "".join(f"{n:>10}" for n in (*totals, sum(totals))))
        return "\n".join(rows)


def run(
    kills: int, seed: int, kind: Kind, *, say: Say = lambda _: None, blocks: int = BLOCKS, only: str = "", logs: Path | None = None
) -> Report:
    """The report of so many kills, drawn by `seed`: which part (`only` that one), in which phase, how, for how long.

    The parts' logs are copied to `logs`, whatever happens.
    """
    rng = random.Random(seed)
    report = Report()
    began = time.monotonic()
    with league(kind, rng=rng) as broken, kept(broken, logs):
        broken.start()
        broken.submit()
        names = harm(broken, plan(broken, kills, rng, only), rng, report, say, seed, blocks)
        for name in names:
            broken.wait_done(name, END_SECONDS)
        found = broken.find(names)
        report.voids = voids(broken)
        found.left_over = broken.end()
        report.noted = broken.noted
    say(f"{len(found.digests)} matches played among {kills} kills; now the same without")
    report.tournaments, report.matches = len(names), len(found.digests)
    report.problems = compare(found, quiet(len(names), seed, blocks))
    report.seconds = time.monotonic() - began
    return report


@cache
def quiet(count: int, seed: int, blocks: int = BLOCKS) -> Findings:
    """What the same tournaments come to when nothing goes wrong: SQLite, embedded broker, bots as plain processes."""
    with league(Kind(sandbox="shipped"), workers=1) as calm:
        calm.start()
        calm.submit()
        names = [f"cup-{number}" for number in range(1, count + 1)]
        for number, name in enumerate(names, start=1):
            calm.play(name, blocks, seed + number)
        for name in names:
            calm.wait_done(name, END_SECONDS)
        found = calm.find(names)
        found.left_over = calm.end()
        return found


def compare(found: Findings, expected: Findings) -> list[str]:
    """Every way in which the two differ, and whatever was wrong with either."""
    problems = [*found.faults, *found.left_over]
    problems += [f"without faults: {problem}" for problem in (*expected.faults, *expected.left_over)]
    for match in sorted(expected.digests.keys() | found.digests.keys()):
        one, other = found.digests.get(match), expected.digests.get(match)
        if one != other:
            problems.append(f"match {match} is {one} among kills and {other} without")
    for name in expected.standings:
        if found.standings.get(name) != expected.standings[name]:
            problems.append(f"standings of {name}: {found.standings.get(name)} among kills, {expected.standings[name]} without")
    return problems


def plan(broken: League, kills: int, rng: random.Random, only: str) -> list[tuple[str, str]]:
    """Which kind of part is hit in which phase, each pair equally often, in an order drawn at random."""
    kinds = sorted({family(part.name) for part in broken.parts if only in ("", family(part.name))})
    pairs = [(kind, phase) for kind in kinds for phase in PHASES]
    drawn: list[tuple[str, str]] = []
    while len(drawn) < kills:
        drawn += rng.sample(pairs, len(pairs))
    return drawn[:kills]


@contextmanager
def kept(broken: League, logs: Path | None) -> Iterator[None]:
    """What the parts said is in that folder afterwards."""
    try:
        yield
    finally:
        if logs is not None:
            shutil.copytree(broken.data / "logs", logs, dirs_exist_ok=True)


def family(name: str) -> str:
    """`worker-2` is a worker."""
    return name.rstrip("-0123456789")


def harm(
    broken: League, planned: list[tuple[str, str]], rng: random.Random, report: Report, say: Say, seed: int, blocks: int
) -> list[str]:
    """Every planned kill is done and healed; the tournaments that were begun so that there always was one to disturb."""
    names: list[str] = []
    mending: list[tuple[float, parts.Part]] = []

    def tend() -> None:
        broken.look()
        for due, part in list(mending):
            if time.monotonic() >= due:
                mending.remove((due, part))
                part.heal()

    def keep_playing() -> None:
        if not any(part.name == "database" for _, part in mending) and _room(broken, names):
            names.append(f"cup-{len(names) + 1}")
            broken.play(names[-1], blocks, seed + len(names))

    for number, (kind, phase) in enumerate(planned, start=1):
        until = time.monotonic() + rng.uniform(0.2, 2.0)
        while time.monotonic() < until:
            tend()
            time.sleep(0.03)
        keep_playing()
        candidates = [part for part in broken.parts if family(part.name) == kind]
        part = rng.choice(candidates)
        while part.how:
            tend()
            time.sleep(0.03)
        how = rng.choices(part.ways, weights=(5, 3, 2)[: len(part.ways)])[0]
        seen = await_phase(broken, phase, tend, keep_playing)
        part.harm(how)
        away = rng.uniform(0.0, 2.0) if how != "stop" else rng.choice((1.0, 3.0, LEASE_SECONDS + 3.0))
        mending.append((time.monotonic() + away, part))
        report.kills[kind, seen] += 1
        report.ways[kind, how] += 1
        say(f"{number:4} {how:5} {part.name:14} {seen:9} for {away:4.1f} s")
    while mending:
        tend()
        time.sleep(0.03)
    return names


def await_phase(broken: League, phase: str, tend: Callable[[], None], keep_playing: Callable[[], None]) -> str:
    """The phase the league is in now: the one that was asked for, unless it did not come for a while."""
    until = time.monotonic() + 20.0
    asked = 0.0
    while True:
        tend()
        seen = broken.phases()
        if phase in seen:
            return phase
        if time.monotonic() > until:
            return next(iter(sorted(seen)), "idle")
        if not seen and time.monotonic() > asked:
            asked = time.monotonic() + 2.0
            keep_playing()
        time.sleep(0.02)


def _room(broken: League, names: list[str]) -> bool:
    """Whether a further tournament should begin, lest the last one end before it is disturbed."""
    from referee.store.queries.tournaments import tournament

    if not names:
        return True
    if not parts.database_answers(broken.url):
        return False
    page = tournament(broken.store, names[-1])
    return page["state"] == "done" or page["done_fixtures"] >= (page["total_fixtures"] or 0) - 2 > 0


def voids(broken: League) -> Counter[str]:
    """How many attempts were void, by cause."""
    from sqlmodel import select

    from referee.store.models import VoidRecord

    return Counter(broken.store.fetch(lambda session: list(session.exec(select(VoidRecord.cause)))))
