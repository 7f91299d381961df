"""The idle clock on a busy host, told of waits only when they are over: no honest bot is idle, no sleeper buys time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from referee.match.clock import IdleClock, Reading
from referee.sandbox.cgroup import Waits

MS = 1_000_000
LOOK_MS = 250


class Thread:
    """What the kernel tells of one thread that runs for `runs()` and then waits for `waits()` milliseconds, in turns."""

    def __init__(self, runs: Callable[[], float], waits: Callable[[], float], runnable: bool = True) -> None:
        self.ran = self.waited = 0.0
        self._part = self._parts(runs, waits) if runnable else iter(())
        self._left, self._running = 0.0, False
        self._wait = 0.0

    def _parts(self, runs: Callable[[], float], waits: Callable[[], float]) -> Iterator[tuple[bool, float]]:
        while True:
            yield False, waits()
            yield True, runs()

    def step(self) -> None:
        """One millisecond goes by."""
        if self._left <= 0:
            if not self._running:
                self.waited += self._wait  # told now that it is over
                self._wait = 0.0
            following = next(self._part, None)
            if following is None:
                return
            self._running, self._left = following
        self._left -= 1
        if self._running:
            self.ran += 1
        else:
            self._wait += 1


def idle_after(seconds: float, *threads: Thread) -> tuple[float, float]:
    """Idle milliseconds by the clock after so long, and the processor time that the threads used."""
    waits, clock = Waits(), IdleClock()
    waits._at = 0
    for now in range(int(seconds * 1000) + 1):
        if now % LOOK_MS == 0:
            seen = {b"%d" % n: (int(t.waited * MS), int((t.waited + t.ran) * MS)) for n, t in enumerate(threads)}
            delayed = waits._take(seen, now * MS, now * MS) / MS
            clock.look(Reading(now, sum(t.ran for t in threads), delayed, waits.late_ns / MS))
        for thread in threads:
            thread.step()
    return clock.ms, sum(thread.ran for thread in threads)


def test_a_bot_that_always_wants_to_run_is_never_idle_however_long_it_waits() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        for longest in (20, 100, 300, 900, 3000):
            idle, ran = idle_after(60, Thread(lambda: chance.uniform(1, 20), lambda: chance.uniform(1, longest)))  # noqa: B023
            assert ran < 40_000
            assert idle <= 2 * longest + 2 * LOOK_MS, (seed, longest)  # at most the waits that are not over yet


def test_a_sleeper_is_idle_all_the_time() -> None:
    assert idle_after(20, Thread(float, float, runnable=False)) == (20_000, 0)


def test_threads_that_wait_for_each_other_buy_a_sleeper_no_time() -> None:
    """Every two seconds, 64 threads fight for one processor for 64 ms: each waits nearly all of it, 4 s in sum."""

    class Burst(Thread):
        now = 0

        def __init__(self, number: int) -> None:
            super().__init__(float, float, runnable=False)
            self.number = number

        def step(self) -> None:
            at = self.now % 2000
            self.now += 1
            if at == self.number:
                self.ran += 1
                self.waited += self.number
            elif at == 64:
                self.waited += 63 - self.number

    idle, ran = idle_after(40, *(Burst(number) for number in range(64)))
    assert ran < 2_000
    assert idle > 40_000 * 0.8
