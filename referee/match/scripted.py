"""A seat played by a function in this process: for tests, benches and measuring, with every way to fail at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from referee.errors import BotFault, PlatformFault
from referee.games.base import Action
from referee.match.clock import Reading
from referee.match.seat import Answer, MatchEnd, MatchStart, RoundEnd, RoundStart, SeatLog, Turn


class Silence:
    """What a policy returns to give no answer."""


Policy = Callable[[Turn], "int | Action | Exception | Silence"]
"""Index, action, no answer, or the `BotFault` or `PlatformFault` that this seat shall fail with."""


def first(turn: Turn) -> int:
    """The first legal action, always."""
    return 0


class ScriptedSeat:
    """Plays by `policy`; its clock is told: `cpu_per_turn_ms` goes by in each decision, wall time is the loop's.

    Everything that it is sent lies in `received`, in order.
    """

    def __init__(
        self,
        seat: int,
        policy: Policy = first,
        *,
        start: Exception | None = None,
        cpu_per_turn_ms: float | None = 0.0,
        note: str = "",
    ) -> None:
        self.seat, self.policy, self._start, self.note = seat, policy, start, note
        self.answer: Answer | None = None
        self.failing = False
        self.cpu_per_turn_ms = cpu_per_turn_ms
        self.cpu_ms = 0.0
        self.received: list[Any] = []
        self.stopped = ""
        self.paused = 0
        self._fault: Exception | None = None
        self._news: Callable[[], None] = lambda: None
        self._open = 0

    def listen(self, news: Callable[[], None]) -> None:
        self._news = news

    async def start(self) -> None:
        if self._start is not None:
            raise self._start

    def reading(self) -> Reading:
        wall_ms = asyncio.get_running_loop().time() * 1000
        return Reading(wall_ms, None if self.cpu_per_turn_ms is None else self.cpu_ms)

    def look(self) -> Reading:
        return self.reading()._replace(delayed_ms=0.0)

    def match_start(self, message: MatchStart) -> None:
        self.received.append(message)

    def round_start(self, message: RoundStart) -> None:
        self.received.append(message)

    def ask(self, turn: Turn) -> None:
        self.received.append(turn)
        self._open += 1
        asyncio.get_running_loop().call_soon(self._play, turn, self._open)

    def _play(self, turn: Turn, decision: int) -> None:
        pick = self.policy(turn)
        if isinstance(pick, Silence):
            return
        if isinstance(pick, Exception):
            self.fail(pick)
        elif decision == self._open and not self.stopped:
            self.cpu_ms += self.cpu_per_turn_ms or 0.0
            self.answer = Answer(pick, self.note, self.reading())
            self._news()

    def fail(self, fault: Exception) -> None:
        """From now on the seat is failing with `fault`."""
        self._fault, self.failing = fault, True
        self._news()

    def withdraw(self) -> None:
        self._open += 1
        self.answer = None

    def round_end(self, message: RoundEnd) -> None:
        self.received.append(message)

    def match_end(self, message: MatchEnd) -> None:
        self.received.append(message)

    async def verdict(self) -> BotFault:
        if isinstance(self._fault, BotFault):
            return self._fault
        raise self._fault or PlatformFault("internal", "a scripted seat fails without a reason")

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.paused -= 1

    def log(self) -> SeatLog:
        return SeatLog()

    async def stop(self, reason: str) -> None:
        self.stopped = reason
