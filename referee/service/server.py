"""The referee's process: `python -m referee.service.server --data DIR` serves one machine and its league.

Two doors. The inner one is a Unix socket that only this user can open: the worker plays and builds through it, and the
command line on this machine comes in by it where the outer one speaks TLS under another name. The outer one, on
`host:grpc_port`, is `listener.py`'s; nothing behind it starts a container for a caller.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import structlog

from protos.ninefold.v1 import build_pb2_grpc, referee_pb2_grpc
from referee import logs
from referee.errors import NinefoldError, PlatformFault, UsageError
from referee.sandbox.container import ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.probe import demand, probe
from referee.sandbox.reaper import reap, reap_folders, reap_images
from referee.sandbox.rundir import RunDir
from referee.service import builder, fixture_codec, leftovers, listener, orphans, referee, shipped
from referee.service.builder import BuilderServicer
from referee.service.host import HostConfig
from referee.service.hosts import HostPool
from referee.service.images import Images
from referee.service.judge import Judge
from referee.service.league.calls import League
from referee.service.machine import LOCAL, identify
from referee.service.metrics import Metrics
from referee.service.referee import RefereeServicer, remove_containers
from referee.settings import Settings, joined, load
from referee.store.blobs import Blobs
from referee.store.engine import Store
from referee.store.queries.bots import images_in_use
from referee.store.schema import open_store

log = structlog.get_logger(__name__)
GRACE = 8.0
HOUSE_SECONDS = 300.0
RETRY_SECONDS = 20.0
CHECK_SECONDS = 3600.0
LOOK_SECONDS = 2.0
SILENT_SECONDS = 10.0
"""An engine that has not answered for so long is taken for gone."""
NO_ENGINE = "no Docker engine answers; start one, or set DOCKER_HOST"


@dataclass(frozen=True, slots=True)
class Doors:
    """Where the referee listens, as written to `league.json` when it does."""

    outer: str
    inner: str


class Server:
    """Both doors over one pool of match processes."""

    def __init__(self, settings: Settings, store: Store, *, sandbox: str = "docker") -> None:
        self.settings, self.store, self.sandbox = settings, store, sandbox
        machine = identify(settings)
        self.rundir = RunDir(machine.league)
        self.engine = _engine() if sandbox == "docker" else None
        self.trouble, self._gone = "", False
        if sandbox == "docker":
            self.trouble = NO_ENGINE if self.engine is None else "the sandbox has not been checked yet"
        self.limits, self.machine = Limits.of(settings), machine
        kind = "docker" if sandbox == "docker" else "process"
        changed = dict(settings.limits)
        config = HostConfig(machine.league, kind, settings.runtime, machine.name, machine.speed, changed)
        blobs = Blobs(settings)
        self.images: Images | None = None
        cleanup, prepare = None, None
        if self.engine is not None:
            orphans.remember(machine.league, settings.data_dir)
            self.images = Images(self.engine, machine.league, settings, blobs)
            cleanup, prepare = remove_containers(self.engine, machine.league), self.images.bring
        self.pool = HostPool(config, settings.workers, cleanup, prepare)
        self.metrics = Metrics()
        closed = f"nothing can be built here: {NO_ENGINE}" if self.trouble == NO_ENGINE else ""
        self.league = League(store, blobs, settings, settings.data_dir / "uploads", closed)
        self.border = listener.border_of(self.league)

    async def serve(self, ready: Path | None, until: asyncio.Event) -> None:
        """Listens, says so in `ready`, and serves until the event; then everything of it has ended."""
        inner, outer = self._inner(), listener.outer(self.border, RefereeServicer(self.pool))
        path = self.rundir.path / "referee.sock"
        inner.add_insecure_port(f"unix:{path}")
        port = listener.listen(outer, self.settings)
        await inner.start()
        os.chmod(path, 0o600)
        await outer.start()
        doors = Doors(joined(self.settings.host, port), f"unix:{path}")
        if ready is not None:
            _write(ready, self._announcement(doors))
        log.info("listening", outer=doors.outer, inner=doors.inner, sandbox=self.sandbox)
        keeping = asyncio.ensure_future(self._keep_house(until))
        clearing = asyncio.ensure_future(self._clear_scratch())
        minding = asyncio.ensure_future(self._mind_door(path, until))
        scraped = self._serve_metrics()
        try:
            await until.wait()
        finally:
            log.info("stopping")
            keeping.cancel()
            clearing.cancel()
            minding.cancel()
            if scraped is not None:
                await asyncio.to_thread(scraped.shutdown)
            if ready is not None:
                ready.unlink(missing_ok=True)
            await _ended("matches and the outer door", asyncio.gather(outer.stop(1.0), self.pool.close()))
            await _ended("the inner door", inner.stop(1.0))
            await _ended("what is left in the sandbox", self._leave_nothing())
            if self.engine is not None:
                await _ended("the engine's threads", self.engine.close())
            self.rundir.remove()

    def _serve_metrics(self) -> Any:
        """What stops the metrics; None where none are asked for."""
        settings = self.settings
        if not settings.metrics_port:
            return None
        try:
            return self.metrics.serve(
                settings.metrics_host, settings.metrics_port, self.store, settings.data_dir, self.pool
            )
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"metrics cannot be served on port {settings.metrics_port}: {why}") from None

    def _announcement(self, doors: Doors) -> dict[str, Any]:
        token = self.settings.data_dir / "owner.token"
        return {
            "address": doors.outer,
            "referee": doors.inner,
            "pid": os.getpid(),
            "tls": bool(self.settings.tls_cert),
            "token_file": str(token),
        }

    async def _keep_house(self, until: asyncio.Event) -> None:
        """Leftovers go, at once and every few minutes; the sandbox is checked until it holds, and then once an hour.

        An engine that appears later ends this process: the supervisor starts it again, with the engine.
        """
        checked = 0.0
        if self.sandbox != "docker":
            await asyncio.to_thread(reap_folders, self.machine.league)
        while self.sandbox == "docker":
            try:
                if self.engine is None:
                    (await asyncio.to_thread(Engine)).api.close()
                    log.warning("an engine answers now; starting again with it")
                    until.set()
                    return
                reaped = await self.engine.call(reap, self.engine, self.machine.league)
                images = await self.engine.call(self._reap_images, self.engine)
                log.info("reaped", containers=len(reaped.containers), folders=len(reaped.folders), images=len(images))
                if self.trouble or time.monotonic() - checked > CHECK_SECONDS:
                    base = await self.engine.call(ensure_base, self.engine, pull=self.settings.pull_base)
                    sandbox = ContainerSandbox(self.engine, self.machine.league, self.limits, self.settings.runtime)
                    demand(await self.engine.call(probe, sandbox, base))
                    self.trouble, checked = "", time.monotonic()
                    log.info("the sandbox holds")
            except NinefoldError as error:
                self.trouble = str(error) if self.engine is not None else NO_ENGINE
                log.error("the sandbox does not hold", reason=str(error))
            await self._watch_engine(RETRY_SECONDS if self.trouble else HOUSE_SECONDS)

    async def _mind_door(self, path: Path, until: asyncio.Event) -> None:
        """A socket that was taken away ends this process: nobody reaches it, and the supervisor starts it anew."""
        ours = path.stat().st_ino
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                taken = path.stat().st_ino != ours
            except FileNotFoundError:
                taken = True
            except OSError:  # not to be told just now
                taken = False
            if taken:
                log.error("door_gone", path=str(path), reason="the socket was removed; starting again with a new one")
                until.set()
                return

    async def _clear_scratch(self) -> None:
        """What uploads and builds that were broken off left in folders is gone after a day."""
        while True:
            try:
                await asyncio.to_thread(leftovers.clear, self.settings.data_dir)
            except OSError as error:
                log.warning("scratch_not_cleared", error=str(error))
            await asyncio.sleep(HOUSE_SECONDS)

    async def _watch_engine(self, seconds: float) -> None:
        """So much time has passed; or the engine was gone, which was `trouble` at once, and has come back."""
        until = time.monotonic() + seconds
        while self._gone or time.monotonic() < until:
            await asyncio.sleep(LOOK_SECONDS)
            if not await self._engine_gone() and self._gone:
                self._gone = False
                return

    async def _engine_gone(self) -> str:
        """Why the engine cannot be used just now; that is `trouble` from now on."""
        if self.engine is None:
            return ""
        try:
            await asyncio.to_thread(_greet)
        except PlatformFault as fault:
            if not self._gone:
                log.error("engine_gone", reason=fault.reason)
            self.trouble, self._gone = fault.reason, True
            return self.trouble
        return ""

    async def _leave_nothing(self) -> None:
        """What match processes that were killed left behind is gone, as far as the engine answers."""
        with suppress(PlatformFault):
            if self.engine is not None:
                await self.engine.call(reap, self.engine, self.machine.league)
            else:
                await asyncio.to_thread(reap_folders, self.machine.league)

    def _reap_images(self, engine: Engine) -> tuple[str, ...]:
        """Images that nothing refers to are gone, but for the newest, which save a build or a transfer."""
        wanted = images_in_use(self.store)
        newest = self.settings.keep_images
        ours = reap_images(engine, self.machine.league, wanted, newest)
        return (*ours, *reap_images(engine, LOCAL, (), newest))

    def _inner(self) -> grpc.aio.Server:
        options = [("grpc.max_send_message_length", fixture_codec.MAX_MESSAGE), ("grpc.so_reuseport", 0)]
        server = grpc.aio.server(options=options)
        only = shipped.refusal if self.sandbox == "shipped" else lambda spec: ""
        servicer = RefereeServicer(self.pool, lambda: self.trouble, only, self.metrics.observe, self._engine_gone)
        referee_pb2_grpc.add_RefereeServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
        builds = BuilderServicer(self._judge(), lambda: self.trouble, self.images)
        build_pb2_grpc.add_BuilderServicer_to_server(builds, server)  # type: ignore[no-untyped-call]
        server.add_generic_rpc_handlers((listener.league_calls(self.border),))
        listener.describe(server, [referee.SERVICE, builder.SERVICE, listener.LEAGUE])
        return server

    def _judge(self) -> Judge:
        if self.engine is None:  # where an engine is wanted and missing, `trouble` answers before the judge is asked
            return shipped.ShippedJudge()
        settings = self.settings
        how = (settings.runtime, settings.fetch_network, settings.pull_base)
        return Judge(self.engine, self.machine.league, self.limits, *how)


def _greet() -> None:
    """The engine answers somebody new; one that is being stopped still answers those it knows."""
    Engine(timeout=SILENT_SECONDS).api.close()


def _engine() -> Engine | None:
    try:
        return Engine()
    except PlatformFault as fault:
        log.error("no engine", reason=fault.reason)
        return None


def _write(path: Path, document: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


async def _ended(what: str, ending: Awaitable[Any]) -> None:
    """`ending` has had its time; whatever came of it, the rest is ended too. The reaper removes what is left."""
    try:
        await asyncio.wait_for(ending, GRACE * 2)
    except Exception:
        log.exception("did not end well", what=what)


async def run(settings: Settings, sandbox: str, ready: Path | None) -> None:
    """Serves until SIGTERM or SIGINT."""
    until = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, until.set)
    store = open_store(settings)
    server = Server(settings, store, sandbox=sandbox)
    try:
        await server.serve(ready, until)
    finally:
        with suppress(Exception):
            store.close()


def main() -> int:
    logs.configure()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--ready", type=Path, help="file to write the addresses to")
    parser.add_argument("--sandbox", default="docker", choices=("docker", "shipped"))
    arguments = parser.parse_args()
    try:
        asyncio.run(run(load(arguments.data), arguments.sandbox, arguments.ready))
    except NinefoldError as error:
        print(f"ninefold: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # all has been ended; gRPC's own threads, which outlive its servers, can crash a closing interpreter
