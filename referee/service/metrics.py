"""What a monitoring system may scrape from a machine, at `http://127.0.0.1:<metrics_port>/metrics`: off unless set.

Counters grow as fixtures end here; what lies in the store is read when it is asked for. No label carries a bot's name:
names come and go, and each would be a series for ever.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import NinefoldError
from referee.service.hosts import HostPool
from referee.store.engine import Store
from referee.store.queries import status as queries

log = structlog.get_logger(__name__)
DECISION_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """The counters of one referee and the registry that is scraped."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.matches = Counter("ninefold_matches", "Matches played here.", registry=self.registry)
        self.decisions = Counter("ninefold_decisions", "Decisions that bots made here.", registry=self.registry)
        self.forfeits = Counter("ninefold_forfeits", "Matches forfeited here.", ["cause"], registry=self.registry)
        self.voids = Counter("ninefold_voids", "Fixtures voided here.", ["cause"], registry=self.registry)
        self.bot_cpu = Counter(
            "ninefold_bot_cpu_seconds", "Processor time that bots were charged.", registry=self.registry
        )
        self.latency = Histogram(
            "ninefold_decision_seconds",
            "Mean wall time of a decision of one bot in one match.",
            buckets=DECISION_BUCKETS,
            registry=self.registry,
        )

    def observe(self, update: pb.FixtureUpdate) -> None:
        """One update of a fixture has been counted."""
        if update.HasField("void"):
            self.voids.labels(update.void.cause).inc()
        if not update.HasField("match"):
            return
        self.matches.inc()
        for seat in update.match.seats:
            self.decisions.inc(seat.decisions)
            self.bot_cpu.inc(max(seat.cpu_ms, 0.0) / 1000)
            if seat.cause != "completed":
                self.forfeits.labels(seat.cause).inc()
            if seat.decisions and seat.HasField("wall_ms"):
                self.latency.observe(seat.wall_ms / seat.decisions / 1000)

    def serve(self, host: str, port: int, store: Store, data_dir: Path, pool: HostPool) -> Any:
        """The metrics are served in a thread of their own; what stops that."""
        self.registry.register(_State(store, data_dir, pool))
        server, _thread = start_http_server(port, host, self.registry)
        log.info("metrics", host=host, port=server.server_port)
        return server


class _State(Collector):
    """What is true now: the queue, the parts, the disk, what is in play."""

    def __init__(self, store: Store, data_dir: Path, pool: HostPool) -> None:
        self._store, self._data_dir, self._pool = store, data_dir, pool

    def describe(self) -> Iterator[Any]:
        return iter(())

    def collect(self) -> Iterator[Any]:
        yield GaugeMetricFamily("ninefold_fixtures_in_play", "Fixtures in play here.", len(self._pool.running))
        yield GaugeMetricFamily("ninefold_capacity", "Fixtures played at once here.", self._pool.capacity)
        yield GaugeMetricFamily("ninefold_disk_free_bytes", "Free disk space.", shutil.disk_usage(self._data_dir).free)
        try:
            status = queries.status(self._store)
        except NinefoldError as error:
            log.warning("metrics without the store", error=str(error))
            yield GaugeMetricFamily("ninefold_store_up", "Whether the store answers.", 0)
            return
        yield GaugeMetricFamily("ninefold_store_up", "Whether the store answers.", 1)
        yield GaugeMetricFamily("ninefold_problems", "Problems that `ninefold status` names.", len(status["problems"]))
        queue = GaugeMetricFamily("ninefold_queue", "What waits, by kind and state.", labels=["what"])
        for what, count in status["queue"].items():
            queue.add_metric([what], count)
        yield queue
        for what in ("database_bytes", "blob_bytes"):
            if (size := status["disk"][what]) is not None:
                yield GaugeMetricFamily(f"ninefold_{what}", f"Size of what the league keeps: {what}.", size)
        parts = GaugeMetricFamily("ninefold_part_up", "Parts that are alive.", labels=["kind", "name"])
        for service in status["services"]:
            parts.add_metric([service["kind"], service["name"]], 1.0 if service["state"] != "silent" else 0.0)
        yield parts
