"""How often one caller may ask: a bucket that refills, and a smaller one for wrong tokens."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.errors import NinefoldError


class TooOften(NinefoldError):
    """A caller asks more often than the league allows."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(what, limit)
        self.what, self.limit = what, limit

    def __str__(self) -> str:
        return f"{self.limit} {self.what} are the limit; wait a second and go on more slowly"


KEPT = 10_000
"""Buckets remembered; the ones unused for longest are forgotten first, so memory is bounded whoever calls."""


@dataclass
class RateLimit:
    """`calls` at once, refilled at `per_second`; `failures` wrong tokens from one machine, refilled one a second."""

    calls: int = 200
    per_second: float = 50.0
    failures: int = 20
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, who: str, *, failures: bool = False) -> None:
        """`TooOften` when `who` has nothing left; a call is taken off, a failure only by `failed`."""
        if failures:
            left = self._left(f"failures {who}", self.failures, 1.0, 0.0)
            if left < 1:
                raise TooOften("wrong tokens from one address", self.failures)
        elif self._left(who, self.calls, self.per_second, 1.0) < 0:
            raise TooOften("calls at once", self.calls)

    def failed(self, who: str) -> None:
        """A wrong token came from `who`."""
        self._left(f"failures {who}", self.failures, 1.0, 1.0)

    def _left(self, key: str, size: float, refill: float, take: float) -> float:
        with self._lock:
            now = self.clock()
            left, at = self._buckets.pop(key, (size, now))
            left = min(size, left + (now - at) * refill) - take
            self._buckets[key] = (max(left, -1.0), now)
            while len(self._buckets) > KEPT:
                self._buckets.popitem(last=False)
            return left
