"""Streams stay open as long as the caller likes: one address has only so many, or it would shut the door for all."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc

STREAMS_AT_ONCE = 200
"""Open streams of one address; a dashboard needs one for each match that somebody follows there."""
CALLS_AT_ONCE = 2_000
"""Of all addresses together, streams and others."""


class Crowd(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]
    """Counts the open streams of each address, and refuses one more than `most`, whatever service it is for."""

    def __init__(self, most: int = STREAMS_AT_ONCE) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or not handler.response_streaming:
            return handler
        kind = "stream_stream" if handler.request_streaming else "unary_stream"
        return handler._replace(**{kind: self._counted(getattr(handler, kind))})

    def _counted(self, serve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        async def items(request: Any, context: Any) -> AsyncIterator[Any]:
            host = await self._enter(context)
            try:
                async with aclosing(serve(request, context)) as served:
                    async for item in served:
                        yield item
            finally:
                self._leave(host)

        async def writes(request: Any, context: Any) -> None:
            host = await self._enter(context)
            try:
                await serve(request, context)
            finally:
                self._leave(host)

        return items if inspect.isasyncgenfunction(serve) else writes

    async def _enter(self, context: Any) -> str:
        host = host_of(context.peer())
        if self._open[host] >= self._most:
            said = f"{self._most} streams are open from your address already; close some, or try again later"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, said)
        self._open[host] += 1
        return host

    def _leave(self, host: str) -> None:
        self._open[host] -= 1
        if not self._open[host]:
            del self._open[host]


def host_of(peer: str) -> str:
    """The peer without its port: one machine counts as one, however many connections it opens."""
    return peer.rsplit(":", 1)[0]
