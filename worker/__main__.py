"""`python -m worker play|build --data DIR`: a Celery worker, on threads.

`play` has fixtures played by the referee of this machine; `build` has uploads judged, and fits ratings.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import structlog
from celery.exceptions import SecurityWarning

from referee import logs
from referee.errors import NinefoldError
from referee.settings import Settings, load
from referee.store.commands import fixtures
from worker import app, context
from worker.pulse import Pulse

log = structlog.get_logger(__name__)
KINDS = {"play": "worker", "build": "builder"}
BUILDERS = 2
"""One upload is judged while ratings are fitted."""
STOP_SECONDS = 10.0
"""How long a stop may take. What is cut off then is given back by its lease, as if the process had been killed."""


def run(settings: Settings, role: str, *, referee: str = "", name: str = "") -> int:
    """Works until SIGTERM or SIGINT: then what is being played is given back, and the process ends within seconds."""
    slots = settings.workers if role == "play" else BUILDERS
    here = context.make(settings, KINDS[role], slots=slots, referee=referee, name=name)
    celery = app.configure(settings)
    warnings.simplefilter("ignore", SecurityWarning)  # of running as root with pickle; messages here are JSON
    queue = app.fixture_queue(here.machine) if role == "play" else app.BUILDS
    if role == "play":  # what the last process of this name held when it was killed need not wait for its lease
        fixtures.release_worker(here.store, here.name, reason=f"worker {here.name} was restarted")
    pulse = Pulse(here, KINDS[role])
    pulse.start()
    worker: Any = celery.Worker(
        pool="threads",
        concurrency=slots,
        queues=[queue],
        hostname=here.name,
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
        loglevel=logging.WARNING,
        quiet=True,
    )
    _stop_play_on_signals(here)
    try:
        worker.start()
    finally:
        here.stopping.set()
        pulse.stop("stopped by a signal")
        here.store.close()
    return int(worker.exitcode or 0)


def _stop_play_on_signals(here: context.Context) -> None:
    """A signal first ends the fixtures in play, so that Celery's own warm shutdown has nothing to wait for."""
    from celery.signals import worker_shutting_down

    def stop(**_: Any) -> None:
        log.info("stopping", playing=sorted(here.playing))
        here.stopping.set()
        end = threading.Timer(STOP_SECONDS, _leave)  # a broker or database that went silent can hold Celery for ever
        end.daemon = True
        end.start()

    worker_shutting_down.connect(stop, weak=False)


def _leave() -> None:
    log.warning("not stopped in time, and ended all the same; where each thread was follows", seconds=STOP_SECONDS)
    faulthandler.dump_traceback(all_threads=True)
    os._exit(0)


def main() -> int:
    logs.configure()
    parser = argparse.ArgumentParser(prog="python -m worker", description=__doc__)
    parser.add_argument("role", choices=sorted(KINDS))
    parser.add_argument("--data", type=Path, help="data folder of the league")
    parser.add_argument("--referee", default="", help="address of the referee; default: as it announced itself")
    parser.add_argument("--name", default="", help="name of this worker in records and status")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run(load(arguments.data), arguments.role, referee=arguments.referee, name=arguments.name)
    except NinefoldError as error:
        print(f"ninefold: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
