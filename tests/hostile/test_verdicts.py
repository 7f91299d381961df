"""Every hostile bot plays one match beside a harmless one, in real containers: verdict, opponent, and what is left.

All of them play in this one process, several at once, as fixtures do on a worker; that it plays on is part of the test.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import threading
from collections.abc import Iterator

import pytest

from referee.match.fixture import BOT_CAUSES
from referee.sandbox.engine import Engine
from referee.sandbox.rundir import RunDir
from tests.hostile.arena import Arena, Outcome, names, play
from tests.hostile.verdicts import PLAYED, PLAYED_ELSEWHERE, VERDICTS, Verdict

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1500)]
AT_ONCE = 4
GROWTH_MIB = 300
"""Three bots swell it by up to 94 MiB each, and may do so at once; before read buffers were given back, one did by 515."""
SWELLING = {"unknown_frames", "window_flood", "settings_flood"}
"""What the process would grow by; played even where only its growth is looked at."""


class Season:
    """All fixtures that were asked for, played; one that raised has its error."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome | BaseException] = {}
        self.left: dict[str, list[str]] = {}
        self.growth: dict[str, float] = {}

    def of(self, bot: str) -> Outcome:
        outcome = self.outcomes[bot]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def resident_mib() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def threads_and_files() -> tuple[int, int]:
    gc.collect()
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


@pytest.fixture(scope="session")
def season(request: pytest.FixtureRequest, engine: Engine, league: str, image: str, run_dir: RunDir) -> Iterator[Season]:
    wanted = {item.callspec.params["verdict"].bot for item in request.session.items if hasattr(item, "callspec") and "verdict" in item.callspec.params}
    if any(item.name == test_the_process_that_played_them_all_has_not_grown.__name__ for item in request.session.items):
        wanted |= SWELLING
    todo = [verdict for verdict in VERDICTS if verdict.bot in wanted | {"harmless", "exits_with_0"}]
    season = Season()

    async def one(verdict: Verdict, gate: asyncio.Semaphore) -> None:
        arena = Arena(engine, league, image)
        async with gate:
            try:
                season.outcomes[verdict.bot] = await play(
                    arena, run_dir, [verdict.opponent, verdict.bot], clock=verdict.clock, start_seconds=verdict.start_seconds
                )
            except Exception as error:
                season.outcomes[verdict.bot] = error
            season.left[verdict.bot] = await asyncio.to_thread(arena.leftovers)

    async def all_of_them() -> None:
        gate = asyncio.Semaphore(AT_ONCE)
        await one(todo[0], gate)  # whatever is loaded once is loaded
        before, highest = resident_mib(), 0.0
        work = asyncio.gather(*(one(verdict, gate) for verdict in todo[1:]))
        while not work.done():
            await asyncio.wait([work], timeout=0.2)
            highest = max(highest, resident_mib())
        await work
        season.growth = {"peak": highest - before, "end": resident_mib() - before}

    asyncio.run(all_of_them())
    yield season
    print(f"\nmemory of the match process grew by {season.growth['peak']:.0f} MiB at most, {season.growth['end']:.0f} MiB in the end")


def test_every_bot_has_a_verdict_and_there_are_enough() -> None:
    assert sorted([*(verdict.bot for verdict in VERDICTS), *PLAYED_ELSEWHERE]) == names()
    assert len(names()) >= 40


@pytest.mark.parametrize("verdict", VERDICTS, ids=[verdict.bot for verdict in VERDICTS])
def test_verdict(season: Season, verdict: Verdict) -> None:
    outcome = season.of(verdict.bot)
    (match,) = outcome.result.matches
    (replay,) = outcome.replays
    seat, log = match.seats[1], outcome.log()
    assert season.left[verdict.bot] == []
    assert (seat.cause, match.seats[0].cause) == (verdict.cause, PLAYED)
    assert re.search(verdict.says, log), log[-2000:]
    if verdict.most is not None:
        (reached,) = [int(number) for number in re.findall(r"reached: (\d+)", log)]
        assert verdict.most / 10 <= reached <= verdict.most
    assert len(seat.log) <= 256 * 1024 + 100
    if verdict.cut:
        assert seat.log_cut
        assert "bytes cut here" in log
    usual = season.of("harmless")
    if verdict.cause == PLAYED:
        assert match.canonical_sha256 == usual.result.matches[0].canonical_sha256
        assert replay["faults"] == []
        return
    assert verdict.cause in BOT_CAUSES
    assert re.fullmatch(verdict.detail, seat.detail)
    assert verdict.sent in seat.sent
    (fault,) = replay["faults"]
    assert (fault["seat"], fault["kind"], fault["detail"]) == (1, verdict.cause, seat.detail)
    assert (match.seats[0].points, seat.points) == (1, 0)
    assert (match.seats[0].place, seat.place) == (1, 2)
    if verdict.cause == "timeout":
        assert fault["ms"] >= 1
        assert fault["limit_ms"] > 0 or not verdict.at_once
        spent = fault["cpu_ms"] if seat.detail.startswith("processor") else fault["ms"]
        assert spent >= fault["limit_ms"]
    played, expected = [e for r in outcome.rounds() for e in r], [e for r in usual.rounds() for e in r]
    assert played == expected[: len(played)], "until it failed, it was the harmless bot's match"
    if verdict.cause == "start":
        assert played == []
    elif verdict.at_once:
        assert season.of("exits_with_0").rounds() == outcome.rounds()
        assert len(played) >= 4


def test_the_process_that_played_them_all_has_not_grown(season: Season) -> None:
    assert season.growth["peak"] < GROWTH_MIB


def test_the_same_process_plays_on_and_holds_nothing_of_them(season: Season, engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    before = threads_and_files()
    for _ in range(2):
        arena = Arena(engine, league, image)
        again = asyncio.run(play(arena, run_dir, ["harmless", "harmless"]))
        assert again.result.matches[0].canonical_sha256 == season.of("harmless").result.matches[0].canonical_sha256
        assert arena.leftovers() == []
    after = threads_and_files()
    assert after[0] <= before[0] + 2
    assert after[1] <= before[1] + 8
    assert engine.api.containers(all=True, filters={"label": f"ninefold={league}"}) == []
    assert list(run_dir.path.iterdir()) == []


def test_nothing_is_left_for_the_next_match(engine: Engine, league: str, image: str, run_dir: RunDir) -> None:
    arena = Arena(engine, league, image)
    outcome = asyncio.run(play(arena, run_dir, ["harmless", "temp_files_for_the_next_match"], matches=2))
    assert [match.seats[1].cause for match in outcome.result.matches] == ["exit", PLAYED]
    assert "found: []" in outcome.log(1, 0)
    assert "found: []" in outcome.log(1, 1)
    assert arena.leftovers() == []


AT_A_TABLE_OF_THREE = ("crashes", "sleeps", "memory_bomb_in_a_child", "future_answer", "noise", "fork_bomb", "illegal_verb", "ping_flood")


@pytest.fixture(scope="session")
def tables_of_three(engine: Engine, league: str, image: str, run_dir: RunDir) -> dict[str, Outcome]:
    async def all_of_them() -> dict[str, Outcome]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(bot: str) -> Outcome:
            async with gate:
                return await play(Arena(engine, league, image), run_dir, ["harmless", bot, "harmless"])

        bots = ("exits_with_0", *AT_A_TABLE_OF_THREE)
        return dict(zip(bots, await asyncio.gather(*map(one, bots)), strict=True))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("bot", AT_A_TABLE_OF_THREE)
def test_a_table_of_three_plays_on_the_same_however_a_bot_fails(tables_of_three: dict[str, Outcome], bot: str) -> None:
    outcome, other = tables_of_three[bot], tables_of_three["exits_with_0"]
    expected = next(verdict for verdict in VERDICTS if verdict.bot == bot)
    assert [seat.cause for seat in outcome.result.matches[0].seats] == [PLAYED, expected.cause, PLAYED]
    assert outcome.rounds() == other.rounds()
    assert outcome.replays[0]["result"] == other.replays[0]["result"]
    assert outcome.replays[0]["result"]["places"][1] == 3
