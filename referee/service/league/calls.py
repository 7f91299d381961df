"""The border of a league: every call is authenticated, allowed, bounded in time, and answered with a sentence.

Each call stands in one table with who may make it. What a caller may not know of is answered exactly as if it did not
exist; what went wrong inside is logged here with an id, and the caller learns the id only.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import grpc
import structlog

from protos.ninefold.v1 import league_pb2
from referee.errors import Conflict, NinefoldError, NotFound, QuotaExceeded, StoreBusy, StoreFault, UsageError
from referee.service.crowd import host_of
from referee.service.league.bounds import demand_measure
from referee.service.league.rates import RateLimit, TooOften
from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.commands import accounts
from referee.store.commands.accounts import Account
from referee.store.engine import Store
from referee.wording import abridged

log = structlog.get_logger(__name__)

THREADS = 16
DEADLINE_SECONDS = 30.0
MOST_SAID = 600
"""Characters of an error; gRPC sends it as a header, of which 8 KiB get through in any alphabet."""
STREAM_SECONDS = 24 * 3600.0
_END = object()


class Needs(StrEnum):
    """Who may make a call. Ownership of the thing itself is checked where the thing is looked up."""

    NOBODY = "anyone, without a token"
    ACCOUNT = "any account"
    ORGANISER = "an organiser"


class Denied(NinefoldError):
    """The caller is known and may not do this."""


class Unknown(NinefoldError):
    """No account goes with this token."""


@dataclass(frozen=True, slots=True)
class League:
    """What every answer may use: the store, the blobs, the settings of this machine's league."""

    store: Store
    blobs: Blobs
    settings: Settings
    uploads: Path
    closed: str = ""
    """Why no upload is taken; empty while they are."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling, and which request ids are theirs: one author's ids never meet another's."""

    account: Account

    @property
    def name(self) -> str:
        return self.account.name

    @property
    def organiser(self) -> bool:
        return self.account.organiser

    def request(self, request_id: str) -> str:
        if len(request_id) > 64:
            raise UsageError("a request id has at most 64 characters; send a shorter one")
        return f"{self.account.user_id}/{request_id}" if request_id else ""


Answer = Callable[[League, Caller, Any], Any]
Stream = Callable[[League, Caller, Any], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Call:
    """One call: who may make it and what answers it, with a document, or with a stream of messages."""

    needs: Needs
    answer: Answer | Stream
    streams: bool = False


@dataclass
class Border:
    """Runs calls for the gRPC server: off the event loop, in a bounded pool of threads."""

    league: League
    calls: Mapping[str, Call]
    rates: RateLimit = field(default_factory=RateLimit)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="league"))

    def handlers(self, service: str, methods: Mapping[str, Any]) -> Any:
        """The table as a gRPC service; `methods` adds those that are written by hand."""
        made: dict[str, Any] = dict(methods)
        descriptor = league_pb2.DESCRIPTOR.services_by_name["League"]
        for name, call in self.calls.items():
            method = descriptor.methods_by_name[name]
            request = getattr(league_pb2, method.input_type.name)
            reply = getattr(league_pb2, method.output_type.name)
            make = grpc.unary_stream_rpc_method_handler if call.streams else grpc.unary_unary_rpc_method_handler
            serve = self._stream(name, call) if call.streams else self._unary(name, call)
            made[name] = make(
                serve, request_deserializer=request.FromString, response_serializer=reply.SerializeToString
            )
        missing = {m.name for m in descriptor.methods} - set(made)
        if missing:
            raise NotImplementedError(f"calls without an answer: {', '.join(sorted(missing))}")
        return grpc.method_handlers_generic_handler(service, made)

    async def caller(self, context: Any, needs: Needs) -> Caller:
        """Who is calling, or `Unknown` or `Denied`."""
        if needs is Needs.NOBODY:
            return Caller(Account(0, "", "", 0))
        token = ""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
                token = value.removeprefix("Bearer ").strip()
        if not token or len(token) > 200:
            raise Unknown("no token was sent; run `ninefold login` or set NINEFOLD_TOKEN")
        self.rates.check(f"peer {host_of(context.peer())}", failures=True)
        account = await self.run(accounts.authenticate, self.league.store, token)
        if account is None:
            self.rates.failed(f"peer {host_of(context.peer())}")
            raise Unknown("this token is unknown or was revoked; ask an organiser for another")
        self.rates.check(f"user {account.user_id}")
        if needs is Needs.ORGANISER and not account.organiser:
            raise Denied("only an organiser may do this")
        return Caller(account)

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """The function's result, computed in a thread of the pool."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, function, *args)

    def _unary(self, name: str, call: Call) -> Callable[[Any, Any], Any]:
        async def serve(request: Any, context: Any) -> Any:
            async with self.errors(name, context):
                caller = await self.caller(context, call.needs)
                demand_measure(request)
                answer = await asyncio.wait_for(self.run(call.answer, self.league, caller, request), DEADLINE_SECONDS)
                return answer if hasattr(answer, "SerializeToString") else document(answer)

        return serve

    def _stream(self, name: str, call: Call) -> Callable[[Any, Any], AsyncIterator[Any]]:
        async def serve(request: Any, context: Any) -> AsyncIterator[Any]:
            async with self.errors(name, context):
                caller = await self.caller(context, call.needs)
                demand_measure(request)
                iterator = iter(call.answer(self.league, caller, request))
                ends = time.monotonic() + STREAM_SECONDS
                try:
                    while time.monotonic() < ends and (item := await self.run(next, iterator, _END)) is not _END:
                        if isinstance(item, Pause):
                            await asyncio.sleep(item.seconds)
                        else:
                            yield item if hasattr(item, "SerializeToString") else document(item)
                finally:
                    if close := getattr(iterator, "close", None):
                        await self.run(close)

        return serve

    def errors(self, name: str, context: Any) -> _Errors:
        return _Errors(name, context)


@dataclass(frozen=True, slots=True)
class Pause:
    """Yielded by a stream that waits: no thread is held meanwhile."""

    seconds: float


class _Errors:
    """Turns an exception into a gRPC status whose text is safe for the caller."""

    def __init__(self, name: str, context: Any) -> None:
        self._name, self._context = name, context

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: Any) -> bool:
        if error is None or isinstance(error, asyncio.CancelledError | GeneratorExit | grpc.aio.AbortError):
            return False
        code, text = status(error)
        text = abridged(text, MOST_SAID)
        if isinstance(error, StoreBusy):
            log.warning("store busy", call=self._name, reason=str(error))
        if code is grpc.StatusCode.INTERNAL:
            incident = secrets.token_hex(4)
            log.error("call failed", call=self._name, incident=incident, exc_info=error)
            text = f"the league failed at this; its log has the details under incident {incident}"
        await self._context.abort(code, text)
        return True


def status(error: BaseException) -> tuple[grpc.StatusCode, str]:
    """The status and the sentence for an error; INTERNAL's sentence must not reach a caller.

    Where the database is, and what it says, is for the league's log alone.
    """
    if isinstance(error, StoreBusy):
        return grpc.StatusCode.ABORTED, "the league's database is busy or away; try again a little later"
    if isinstance(error, StoreFault):
        return grpc.StatusCode.INTERNAL, str(error)
    kinds: tuple[tuple[type[BaseException], grpc.StatusCode], ...] = (
        (UsageError, grpc.StatusCode.INVALID_ARGUMENT),
        (Unknown, grpc.StatusCode.UNAUTHENTICATED),
        (Denied, grpc.StatusCode.PERMISSION_DENIED),
        (NotFound, grpc.StatusCode.NOT_FOUND),
        (Conflict, grpc.StatusCode.FAILED_PRECONDITION),
        (QuotaExceeded, grpc.StatusCode.RESOURCE_EXHAUSTED),
        (TooOften, grpc.StatusCode.RESOURCE_EXHAUSTED),
        (NinefoldError, grpc.StatusCode.FAILED_PRECONDITION),
        (TimeoutError, grpc.StatusCode.ABORTED),
    )
    for kind, code in kinds:
        if isinstance(error, kind):
            return code, str(error) or "this took too long; try again a little later"
    return grpc.StatusCode.INTERNAL, str(error)


def document(value: Any) -> league_pb2.Document:
    """The value as the JSON that the command line prints; not-a-number cannot be in it."""
    return league_pb2.Document(json=json.dumps(value, ensure_ascii=False, allow_nan=False, default=str))
