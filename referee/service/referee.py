"""The referee service: fixtures are played on request, followed, and stopped; nothing is stored here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from protos.ninefold.v1 import referee_pb2 as pb
from protos.ninefold.v1 import referee_pb2_grpc
from referee.errors import PlatformFault, UsageError
from referee.sandbox.engine import LABEL, Engine
from referee.service import fixture_codec
from referee.service.hosts import Cleanup, HostPool
from referee.wording import abridged

SERVICE = "ninefold.v1.Referee"


class RefereeServicer(referee_pb2_grpc.RefereeServicer):
    """`ninefold.v1.Referee` over a pool of match processes."""

    def __init__(
        self,
        pool: HostPool,
        trouble: Callable[[], str] = lambda: "",
        refusal: Callable[[pb.FixtureSpec], str] = lambda spec: "",
        observe: Callable[[pb.FixtureUpdate], None] = lambda update: None,
        engine_gone: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        """`trouble` says why this machine can play nothing, `refusal` why not this fixture; empty while all is well.

        `observe` is told every update of every fixture played here. `engine_gone` finds out now why containers failed.
        """
        self.pool, self.trouble, self.refusal, self.observe = pool, trouble, refusal, observe
        self._engine_gone = engine_gone

    async def RunFixture(  # noqa: N802
        self, request: pb.FixtureSpec, context: Any
    ) -> AsyncIterator[pb.FixtureUpdate]:
        try:
            fixture_codec.decode_spec(request)
        except UsageError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        if why := self.trouble() or self.refusal(request):
            yield fixture_codec.void(PlatformFault("guarantee", why))
            return
        while (old := self.pool.running.get(request.fixture_id)) is not None:
            if old.spec.attempt >= request.attempt:
                await context.abort(grpc.StatusCode.ALREADY_EXISTS, f"{request.fixture_id!r} is being played here")
            await self.pool.stop(request.fixture_id, "lease_lost")  # its worker was killed, or is stuck
        updates = self.pool.run(request)
        try:
            async for update in updates:
                if update.HasField("void"):
                    update = await self._blamed(update)
                self.observe(update)
                yield update
        finally:
            await updates.aclose()  # type: ignore[attr-defined]

    async def _blamed(self, update: pb.FixtureUpdate) -> pb.FixtureUpdate:
        """An engine that is gone says nothing against the fixture: the machine is at fault, until it is back."""
        if update.void.cause == "docker" and self._engine_gone is not None and (why := await self._engine_gone()):
            return fixture_codec.void(PlatformFault("guarantee", f"{why}: {update.void.reason}"))
        return update

    async def Watch(self, request: pb.WatchRequest, context: Any) -> AsyncIterator[pb.WatchUpdate]:  # noqa: N802
        running = self.pool.running.get(request.fixture_id)
        if running is None:
            name = abridged(request.fixture_id, 100)
            await context.abort(grpc.StatusCode.NOT_FOUND, f"fixture {name!r} is not being played here")
            return
        queue = running.follow()
        try:
            while (update := await queue.get()) is not None:
                yield update
        finally:
            running.unfollow(queue)

    async def Stop(self, request: pb.StopRequest, context: Any) -> pb.StopReply:  # noqa: N802
        return pb.StopReply(was_running=await self.pool.stop(request.fixture_id, request.cause or "cancelled"))

    async def Running(self, request: pb.RunningRequest, context: Any) -> pb.RunningReply:  # noqa: N802
        if self.pool.closing:  # or workers would bring fixture after fixture, each to be void at once
            await context.abort(grpc.StatusCode.UNAVAILABLE, "this referee is being stopped")
        now = time.monotonic()
        return pb.RunningReply(
            fixtures=[
                pb.RunningFixture(
                    fixture_id=fixture_id,
                    attempt=running.spec.attempt,
                    progress=running.progress,
                    seconds=now - running.since,
                    silent_seconds=now - running.heard,
                )
                for fixture_id, running in self.pool.running.items()
            ],
            capacity=self.pool.capacity,
            machine=self.pool.config.machine,
            trouble=self.trouble(),
        )


def remove_containers(engine: Engine, league: str) -> Cleanup:
    """How the containers of a fixture are removed whose match process died."""

    def remove(label: str) -> None:
        filters = {"label": [f"{LABEL}={league}", f"{LABEL}.fixture={label}"]}
        for container in engine.api.containers(all=True, filters=filters):
            engine.remove_container(container["Id"])

    async def cleanup(label: str) -> None:
        await engine.call(remove, label)

    return cleanup


class RefereeServer:
    """The service on an address (`127.0.0.1:7010`, `unix:/…`), with health checking and reflection."""

    def __init__(self, pool: HostPool, address: str) -> None:
        from grpc_health.v1 import _async as health_aio
        from grpc_health.v1 import health, health_pb2, health_pb2_grpc
        from grpc_reflection.v1alpha import reflection

        self.pool = pool
        self._health, self._serving = health_aio.HealthServicer(), health_pb2.HealthCheckResponse
        options = [("grpc.max_send_message_length", fixture_codec.MAX_MESSAGE), ("grpc.so_reuseport", 0)]
        self._server = grpc.aio.server(options=options)
        referee_pb2_grpc.add_RefereeServicer_to_server(RefereeServicer(pool), self._server)  # type: ignore[no-untyped-call]
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        try:
            self.port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise PlatformFault("internal", f"cannot listen on {address}: {error}") from None

    async def start(self) -> None:
        await self._server.start()
        for name in ("", SERVICE):
            await self._health.set(name, self._serving.SERVING)

    async def stop(self, grace: float = 20.0) -> None:
        """Fixtures have been stopped and their callers told (`shutdown`), match processes have ended."""
        await self._health.enter_graceful_shutdown()
        await self.pool.close()
        await self._server.stop(grace)

    async def serve(self, until: asyncio.Event) -> None:
        """Serves until the event is set, then stops within the grace."""
        await self.start()
        try:
            await until.wait()
        finally:
            await self.stop()
