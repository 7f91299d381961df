"""The moment in which a bot ends: what was answered counts, and how it ended is waited for (F1)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from referee.errors import BotFault
from referee.games import registry
from referee.games.match import Match
from referee.match.driver import MatchRecord, play_match
from referee.match.fixture import Clock
from referee.match.scripted import ScriptedSeat
from referee.match.seat import Answer, Turn
from referee.sandbox.handle import ExitReport
from referee.sandbox.limits import Limits
from referee.service import seat as seats

RULES = {"match_end": "rounds", "rounds": 1}


class Leaving(ScriptedSeat):
    """Its end is noticed a moment before the answer that it gave before ending."""

    at = 0
    asked = 0

    def _play(self, turn: Turn, decision: int) -> None:
        self.asked += 1
        if self.asked != self.at:
            super()._play(turn, decision)
            return
        self.fail(BotFault(self.seat, "exit", "exited with code 0"))
        asyncio.get_running_loop().call_later(0.01, self._late)

    def _late(self) -> None:
        self.answer = Answer(0, "", self.reading())
        self._news()


def played(client: ScriptedSeat) -> MatchRecord:
    async def run() -> MatchRecord:
        game = registry.get("nines")
        match = Match(game, game.complete(RULES, 2), 2, bytes(32), pausing=True)
        return await play_match(match, [ScriptedSeat(0), client], seed=bytes(32), clock=Clock())

    return asyncio.run(run())


def events(record: MatchRecord) -> list[Any]:
    return [{k: v for k, v in event.items() if k not in {"ms", "cpu_ms"}} for document in record.match.document()["rounds"] for event in document["events"]]


def test_an_answer_on_its_way_counts_though_its_bot_has_ended() -> None:
    usual = played(counting := Counting(1))
    assert usual.match.totals[1] == 0, "seat 1 goes out, by an answer of its own"
    leaving = Leaving(1)
    leaving.at = counting.asked
    record = played(leaving)
    assert record.match.faults == []
    assert events(record) == events(usual)


def test_a_bot_that_ends_before_its_last_answer_has_forfeited_after_it() -> None:
    leaving = Leaving(1)
    leaving.at = 2
    record = played(leaving)
    assert [(fault["seat"], fault["kind"]) for fault in record.match.faults] == [(1, "exit")]
    assert leaving.asked == 2
    assert record.seats[1].decisions == 2


class Counting(ScriptedSeat):
    asked = 0

    def _play(self, turn: Turn, decision: int) -> None:
        self.asked += 1
        super()._play(turn, decision)


def test_a_bot_that_ends_while_another_is_asked_does_not_profit_from_that_answer() -> None:
    other = ScriptedSeat(1)
    watched = Counting(0)
    usual_turns = played_by(watched, ScriptedSeat(1)).match and watched.asked

    class Ending(Counting):
        def _play(self, turn: Turn, decision: int) -> None:
            if self.asked + 1 == usual_turns:
                other.fail(BotFault(1, "exit", "exited with code 0"))
            super()._play(turn, decision)

    record = played_by(Ending(0), other)
    assert [fault["seat"] for fault in record.match.faults] == [1]


def played_by(*clients: ScriptedSeat) -> MatchRecord:
    async def run() -> MatchRecord:
        game = registry.get("nines")
        match = Match(game, game.complete(RULES, 2), 2, bytes(32), pausing=True)
        return await play_match(match, list(clients), seed=bytes(32), clock=Clock())

    return asyncio.run(run())


class SlowReport:
    """A container that has ended, and an engine that takes its time to say how."""

    name, pid, out_of_memory = "slow", 0, False

    def __init__(self, running: bool, after: float) -> None:
        self.running, self.after = running, after

    def cpu_ns(self) -> int:
        return 0

    def stalled_ns(self) -> int:
        return 0

    def late_ns(self) -> int:
        return 0

    async def wait(self) -> ExitReport:
        await asyncio.sleep(self.after)
        return ExitReport(code=7)

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(("running", "kind"), [(False, "crash"), (True, "protocol")])
def test_how_a_bot_ended_is_waited_for_only_if_it_has_ended(running: bool, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "EVIDENCE_S", 0.1)

    class Sandbox:
        async def launch(self, launch: Any) -> SlowReport:
            return SlowReport(running, 1.0)

    async def run() -> BotFault:
        client = seats.open_seat(Sandbox(), Limits(), lambda: tmp_path, "f", [("image", "python")])(0)  # type: ignore[arg-type]
        client._handle = await Sandbox().launch(None)  # type: ignore[assignment]
        client._exit = asyncio.ensure_future(client._handle.wait())  # type: ignore[union-attr]
        client.lost()
        try:
            return await client.verdict()
        finally:
            client._exit.cancel()

    assert asyncio.run(run()).kind == kind


