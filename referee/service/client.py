"""What a worker calls: one fixture played by the referee of its machine, as frozen data or as our fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from protos.ninefold.v1 import referee_pb2 as pb
from protos.ninefold.v1 import referee_pb2_grpc
from referee.errors import PlatformFault, Unreachable, UsageError
from referee.match.fixture import FixtureResult, FixtureSpec, MatchResult
from referee.service import fixture_codec
from referee.service.fixture_codec import MAX_MESSAGE

Keep = Callable[[pb.Progress], None]
"""Called with every sign of life, every few seconds at least: the place to renew a lease. What it raises stops the
fixture and goes on to the caller."""


def channel(target: str) -> grpc.Channel:
    """A channel to a referee; make it in the process that uses it, never before a fork."""
    options = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.enable_http_proxy", 0)]
    return grpc.insecure_channel(target, options=options)


def run_fixture(over: grpc.Channel, spec: FixtureSpec, keep: Keep | None = None) -> FixtureResult:
    """The fixture has been played to its end.

    Raises `PlatformFault` with the cause when it is void (`cancelled` when it was stopped), `Unreachable` when the
    referee cannot be reached or went away, `UsageError` when the spec cannot be played.
    """
    call: Any = referee_pb2_grpc.RefereeStub(over).RunFixture(fixture_codec.encode_spec(spec))  # type: ignore[no-untyped-call]
    matches: list[MatchResult] = []
    progress = pb.Progress()
    try:
        for update in call:
            which = update.WhichOneof("update")
            if which == "match":
                matches.append(fixture_codec.decode_match(update.match))
            elif which == "finished":
                return fixture_codec.finished(spec, update.finished, matches)
            elif which == "void":
                raise PlatformFault(update.void.cause, update.void.reason)
            elif which == "progress":
                progress = update.progress
            if keep is not None:
                keep(progress)
    except grpc.RpcError as error:
        raise _told(error) from None
    finally:
        call.cancel()
    raise Unreachable(f"the referee ended the stream of fixture {spec.fixture_id} without a result; it is played again")


def _told(error: Any) -> Exception:
    code, details = error.code(), error.details()
    if code in {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ALREADY_EXISTS}:
        return UsageError(details)
    return Unreachable(f"the referee cannot be reached ({code.name}: {details}); is `ninefold up` running?")
