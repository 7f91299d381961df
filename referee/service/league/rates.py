"""How often one caller may ask: a bucket that refills, and a smaller one for wrong tokens."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.errors import QuotaExceeded

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
        """`QuotaExceeded` when `who` has nothing left; a call is taken off, a failure only by `failed`."""
        if failures:
            left = self._left(f"failures {who}", self.failures, 1.0, 0.0)
            if left < 1:
                raise QuotaExceeded("wrong tokens from this address", self.failures, "within a second")
        elif self._left(who, self.calls, self.per_second, 1.0) < 0:
            raise QuotaExceeded("calls at once", self.calls, "within a second")

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
