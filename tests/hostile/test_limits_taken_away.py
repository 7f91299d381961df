"""Each limit is what stops the bot that is about it: with that one limit taken away, the bot gets further.

Only what cannot hurt the machine is taken away, and only as far as it takes to see it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from referee.match import clock as clocks
from referee.match.fixture import Clock
from referee.sandbox.engine import Engine
from referee.sandbox.limits import Limits
from referee.sandbox.rundir import RunDir
from referee.service import seat
from tests.hostile.arena import CLOCK, Arena, Outcome, play
from tests.hostile.verdicts import NOTHING, VERDICTS

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
UNCONFINED = {"SecurityOpt": ["no-new-privileges:true", "seccomp=unconfined"]}


def reached(outcome: Outcome) -> int:
    return int(re.findall(r"reached: (\d+)", outcome.log())[0])


def found(outcome: Outcome) -> str:
    return re.findall(r"found: (.*)", outcome.log())[0]


@dataclass(frozen=True)
class TakenAway:
    what: str
    bot: str
    shows: Callable[[Outcome], bool]
    limits: dict[str, Any] = field(default_factory=dict)
    host: dict[str, Any] = field(default_factory=dict)
    clock: Clock = CLOCK
    patch: tuple[Any, str, Any] | None = None


def completed(outcome: Outcome) -> bool:
    return outcome.result.matches[0].seats[1].cause == "completed"


def _sees(text: str) -> Callable[[Outcome], bool]:
    return lambda outcome: text in found(outcome)


TAKEN_AWAY = [
    TakenAway("processes", "thread_bomb", lambda o: reached(o) > 64, limits={"pids": 128}),
    TakenAway("memory", "memory_bomb_in_tmp", completed, limits={"memory_mib": 512}),
    TakenAway("open files", "files_by_the_thousand", lambda o: reached(o) > 256, limits={"files": 512}),
    TakenAway("size of /tmp", "disk_flood", lambda o: reached(o) > 64, limits={"tmp_mib": 96}),
    TakenAway("files in /tmp", "inode_flood", lambda o: reached(o) > 4096, limits={"tmp_inodes": 6000}),
    TakenAway("size of /dev/shm", "shared_memory_flood", lambda o: reached(o) > 1, limits={"shm_mib": 8}),
    TakenAway("log size", "log_flood_without_newline", lambda o: not o.result.matches[0].seats[1].log_cut, limits={"log_kib": 2048}),
    TakenAway("noexec", "executes_from_scratch", _sees("/tmp/program"), host={"Tmpfs": {"/tmp": "rw,exec,nosuid,nodev,size=64m,mode=1777"}}),
    TakenAway("no network", "reaches_for_the_network", _sees("eth0"), host={"NetworkMode": "internal"}, clock=Clock(60_000, 10)),
    TakenAway("read-only root", "writes_everywhere", _sees("not mounted read-only"), host={"ReadonlyRootfs": False}),
    TakenAway("no capabilities", "becomes_another_user", _sees("CapBnd"), host={"CapDrop": []}),
    TakenAway("seccomp", "makes_namespaces", _sees("user"), host=UNCONFINED),
    TakenAway("seccomp", "traces_processes", _sees("traceme"), host=UNCONFINED),
    TakenAway("seccomp", "calls_the_kernel", lambda o: found(o) != "[]", host=UNCONFINED),
    TakenAway("its own processes", "sees_other_processes", lambda o: found(o) != "[]", host={"PidMode": "host"}),
    TakenAway("masked paths", "reads_sys", _sees("/sys/class"), host={"MaskedPaths": []}),
    TakenAway("the clock", "works_before_its_turn", completed, clock=Clock(8000, 10)),
    TakenAway("old answers", "two_hundred_old_answers", completed, patch=(seat, "MAX_STALE_ANSWERS", 1000)),
    TakenAway("message size", "note_just_over_the_limit", completed, patch=(seat, "MAX_MESSAGE_BYTES", 100_000)),
]


@pytest.fixture(scope="session")
def internal_network(engine: Engine, league: str) -> Iterator[str]:
    """A network that leads nowhere but to the machine's own end of it."""
    name = f"nf-{league}"
    made = engine.api.create_network(name, driver="bridge", internal=True, labels={"ninefold": league})
    yield name
    engine.api.remove_network(made["Id"])


@pytest.mark.parametrize("case", TAKEN_AWAY, ids=[f"{case.what}: {case.bot}" for case in TAKEN_AWAY])
def test_without_it_the_bot_gets_further(
    case: TakenAway, request: pytest.FixtureRequest, engine: Engine, league: str, image: str, run_dir: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = dict(case.host)
    if host.get("NetworkMode") == "internal":
        host["NetworkMode"] = request.getfixturevalue("internal_network")
    if case.patch is not None:
        monkeypatch.setattr(*case.patch)
    arena = Arena(engine, league, image, Limits(**case.limits), **host)
    outcome = asyncio.run(play(arena, run_dir, ["harmless", case.bot], clock=case.clock))
    assert case.shows(outcome), (outcome.result.matches[0].seats[1].cause, outcome.log()[-2000:])
    assert arena.leftovers() == []


def test_each_of_them_is_stopped_where_nothing_is_taken_away() -> None:
    """That is `test_verdicts`: here only that its verdict is another one than what is shown above."""
    for case in TAKEN_AWAY:
        verdict = next(verdict for verdict in VERDICTS if verdict.bot == case.bot)
        assert verdict.cause != "completed" or verdict.most is not None or verdict.cut or verdict.says == NOTHING


def test_without_the_idle_clock_a_sleeper_would_be_waited_for(
    engine: Engine, league: str, image: str, run_dir: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "IDLE_BASE_MS", 3_600_000.0)
    arena = Arena(engine, league, image)
    with pytest.raises(TimeoutError):
        asyncio.run(play(arena, run_dir, ["harmless", "sleeps"], within=25))
    assert arena.leftovers() == []
