"""The clocks of one seat: readings in, verdicts out. Nothing here looks at a real clock.

A match gives a seat a bank and an increment per decision. Charged is all processor time that its own container uses
from MatchStart to MatchEnd, so thinking while others think gains nothing. Sleepers are caught by an *idle* clock that
runs only while the seat is asked, and that charges no bot for a busy host: time spent runnable but waiting, or
throttled, is taken off. Where no processor time can be read, the wall time of the seat's decisions is charged instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

GRACE_MS = 10.0
"""Per match: covers the coarseness of reading processor time."""
IDLE_FACTOR, IDLE_BASE_MS = 3.0, 2_000.0
"""A seat may be idle in one decision for three times what it has left, and two seconds."""
START_LIMIT_MS = 20_000.0
"""Of either clock, from the container's start to the bot's Hello; the sandbox's limits may set another."""
STALL_MS = 600_000.0
"""Wall time in one decision, or one start, after which the machine is to blame and not the bot."""
FIRST_LOOK_MS, NEXT_LOOK_MS, SHORTEST_LOOK_MS = 250.0, 1_000.0, 4.0
"""Most answers come before the first look. Processor time of a spinning container moves every 4 ms."""

ChargedAs = Literal["cpu", "wall"]


class Reading(NamedTuple):
    """One look at a seat. All of it only ever grows; only differences between two readings mean anything.

    `cpu_ms` is None where processor time cannot be read. `delayed_ms` is what the seat's threads spent runnable but
    waiting, or throttled; None where nobody looked (it costs more, so only a look by the watchdog has it). A delay is
    known when it is over: `late_ms` is how much of the delays had passed before the look before the one that told them.
    """

    wall_ms: float
    cpu_ms: float | None = None
    delayed_ms: float | None = None
    late_ms: float = 0.0


class Charge(NamedTuple):
    """What one answer took: wall time waited for it, processor time used meanwhile (None if unknown)."""

    ms: float
    cpu_ms: float | None


@dataclass(frozen=True, slots=True)
class Overrun:
    """A clock of the seat ran out. `limit_ms` is what it had; `cpu_ms` (`ms` for `wall` and `idle`) is above it."""

    clock: Literal["cpu", "wall", "idle"]
    ms: float
    cpu_ms: float | None
    limit_ms: float

    def __str__(self) -> str:
        if self.clock == "idle":
            return f"idle for {self.limit_ms:.0f} ms while asked"
        kind, used = ("processor", self.cpu_ms) if self.clock == "cpu" else ("wall", self.ms)
        return f"{kind} time used up: {used or 0.0:.0f} ms used of {self.limit_ms:.0f} ms that were left"


@dataclass(frozen=True, slots=True)
class Stalled:
    """Nothing came within ten minutes of wall time although the seat's clocks have not run out: ours, a void."""

    ms: float

    def __str__(self) -> str:
        return f"no answer in {self.ms / 1000:.0f} s of wall time, of which the bot was given too little to be blamed"


Verdict = Overrun | Stalled | None


class IdleClock:
    """Wall time less processor time, less delays, summed up look by look from its first look on.

    What a span between two looks is credited for delays never exceeds the span, so that many threads waiting at once
    do not buy sleep for later. What a look tells too late is taken off what the looks before it took for idling.
    """

    __slots__ = ("_last", "ms")

    def __init__(self) -> None:
        self.ms = 0.0
        self._last: Reading | None = None

    def look(self, now: Reading) -> float:
        """The idle milliseconds so far, this look's included."""
        last, self._last = self._last, now
        if last is not None:
            busy = (now.cpu_ms or 0.0) - (last.cpu_ms or 0.0) + (now.delayed_ms or 0.0) - (last.delayed_ms or 0.0)
            self.ms += max(0.0, now.wall_ms - last.wall_ms - busy)
            self.ms = max(0.0, self.ms - (now.late_ms - last.late_ms))
        return self.ms


class SeatClock:
    """The clocks of one seat in one match, from MatchStart to MatchEnd."""

    __slots__ = (
        "_asked", "_asked_at", "_base_cpu_ms", "_budget_ms", "_idle", "_increment_ms", "_last_used_ms",
        "_left_at_ask_ms", "_previous_at", "_wall_used_ms", "charged", "charged_as",
    )  # fmt: skip

    def __init__(self, bank_ms: float, increment_ms: float, start: Reading) -> None:
        self.charged_as: ChargedAs = "wall" if start.cpu_ms is None else "cpu"
        self.charged = 0.0
        """What the last answer was charged."""
        self._increment_ms = increment_ms
        self._budget_ms = float(bank_ms)
        self._base_cpu_ms = start.cpu_ms or 0.0
        self._wall_used_ms = 0.0
        self._last_used_ms = 0.0
        self._previous_at = start
        self._asked = False
        self._asked_at = start
        self._left_at_ask_ms = float(bank_ms)
        self._idle: IdleClock | None = None

    def used_ms(self, now: Reading) -> float:
        """All that the match has charged so far."""
        if self.charged_as == "cpu":
            return (now.cpu_ms or 0.0) - self._base_cpu_ms
        return self._wall_used_ms + (now.wall_ms - self._asked_at.wall_ms if self._asked else 0.0)

    @property
    def left_ms(self) -> float:
        """What was left when the seat was last asked, this decision's increment included; never negative."""
        return max(0.0, self._left_at_ask_ms)

    def ask(self, now: Reading) -> Overrun | None:
        """The seat is asked: its increment is added. Overrun if it had used up everything while others were asked."""
        used = self.used_ms(now)
        self._budget_ms += self._increment_ms
        left = self._budget_ms - used
        if left < -GRACE_MS:
            since = self._previous_at
            had = max(0.0, self._budget_ms - self._last_used_ms)
            return Overrun("cpu", now.wall_ms - since.wall_ms, used - self._last_used_ms, had)
        self._left_at_ask_ms = left
        self._asked_at = now
        self._asked = True
        self._last_used_ms = used
        self._idle = None
        return None

    def answer(self, now: Reading) -> Charge | Overrun:
        """The seat has answered, and is asked no more; Overrun if the answer came too late."""
        charge = self.so_far(now)
        if overrun := self._overrun(now, charge):
            return overrun
        if self.charged_as == "wall":
            self._wall_used_ms += charge.ms
        self.charged = charge.ms if charge.cpu_ms is None else charge.cpu_ms
        self._asked = False
        self._last_used_ms = self.used_ms(now)
        self._previous_at = now
        return charge

    def so_far(self, now: Reading) -> Charge:
        """What the open decision has taken until now."""
        waited = now.wall_ms - self._asked_at.wall_ms
        if now.cpu_ms is None or self._asked_at.cpu_ms is None:
            return Charge(waited, None)
        return Charge(waited, now.cpu_ms - self._asked_at.cpu_ms)

    def withdraw(self, now: Reading) -> None:
        """The question is void (the match ended by another seat's fault): nothing is owed, what was used stays used."""
        if self._asked and self.charged_as == "wall":
            self._wall_used_ms += now.wall_ms - self._asked_at.wall_ms
        self._asked = False

    def look(self, now: Reading) -> Verdict:
        """The watchdog looks while the seat is asked; `now` has the delays where they can be read."""
        charge = self.so_far(now)
        if overrun := self._overrun(now, charge):
            return overrun
        if self.charged_as == "cpu":
            if self._idle is None:
                self._idle = IdleClock()
            if self._idle.look(now) > (limit := self._idle_limit_ms):
                return Overrun("idle", charge.ms, charge.cpu_ms, limit)
        return Stalled(charge.ms) if charge.ms >= STALL_MS else None

    def is_due(self, now: Reading) -> bool:
        """Whether a look is worth its cost: the seat has been asked for a while, or has used up what it had."""
        return now.wall_ms - self._asked_at.wall_ms >= FIRST_LOOK_MS or self._grace_left_ms(now) < 0.0

    def next_look_ms(self, now: Reading) -> float:
        """How long nothing can run out: the watchdog need not look earlier (given a container of one processor)."""
        waited = now.wall_ms - self._asked_at.wall_ms
        if waited < FIRST_LOOK_MS:
            first = FIRST_LOOK_MS - waited
            return max(SHORTEST_LOOK_MS, min(first, self._grace_left_ms(now)))
        idle_left = self._idle_limit_ms - self._idle.ms if self._idle is not None else NEXT_LOOK_MS
        return max(SHORTEST_LOOK_MS, min(NEXT_LOOK_MS, self._grace_left_ms(now), idle_left))

    @property
    def _idle_limit_ms(self) -> float:
        return IDLE_FACTOR * self.left_ms + IDLE_BASE_MS

    def _grace_left_ms(self, now: Reading) -> float:
        return self._budget_ms + GRACE_MS - self.used_ms(now)

    def _overrun(self, now: Reading, charge: Charge) -> Overrun | None:
        if self._grace_left_ms(now) >= 0.0:
            return None
        return Overrun(self.charged_as, charge.ms, charge.cpu_ms, self.left_ms)


class StartClock:
    """The two clocks of a start, processor time and idle time, with one limit of their own."""

    __slots__ = ("_idle", "_limit_ms", "_start")

    def __init__(self, start: Reading, limit_ms: float = START_LIMIT_MS) -> None:
        self._start, self._limit_ms = start, limit_ms
        self._idle = IdleClock()
        self._idle.look(start)

    def look(self, now: Reading) -> Verdict:
        """Whether the bot, which has not said Hello, has run out of time."""
        waited = now.wall_ms - self._start.wall_ms
        idle = self._idle.look(now)
        if now.cpu_ms is None or self._start.cpu_ms is None:
            return Overrun("wall", waited, None, self._limit_ms) if waited > self._limit_ms else None
        used = now.cpu_ms - self._start.cpu_ms
        if used > self._limit_ms:
            return Overrun("cpu", waited, used, self._limit_ms)
        if idle > self._limit_ms:
            return Overrun("idle", waited, used, self._limit_ms)
        return Stalled(waited) if waited >= STALL_MS else None
