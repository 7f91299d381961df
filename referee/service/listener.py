"""The public listener of a league, `host:grpc_port`: what may be called, by how many at once, with which certificate.

It answers the command line (League) and lets spectators follow a fixture (Watch). Whoever reaches the port may try it,
so everything here is bounded before a token is looked at: the size of a message and of its headers, the calls of one
connection, the streams of one address, and all calls together.
"""

from __future__ import annotations

from typing import Any

import grpc

from protos.ninefold.v1 import league_pb2, referee_pb2
from referee.errors import UsageError
from referee.service import referee
from referee.service.certificate import key_and_chain
from referee.service.crowd import CALLS_AT_ONCE, Crowd
from referee.service.league import about, accounts, bots, challenges, results, tournaments, uploads
from referee.service.league.calls import Border, League
from referee.service.league.rates import RateLimit
from referee.service.referee import RefereeServicer
from referee.settings import Settings

LEAGUE = "ninefold.v1.League"
MAX_REQUEST = 1 << 20
MAX_HEADERS = 16 * 1024
CALLS_OF_A_CONNECTION = 64
CALLS = {
    **about.CALLS,
    **accounts.CALLS,
    **bots.CALLS,
    **challenges.CALLS,
    **results.CALLS,
    **tournaments.CALLS,
    **uploads.CALLS,
}
"""Every call of the League service but `Submit`, with who may make it."""


def border_of(league: League) -> Border:
    """What authenticates, bounds and answers the calls of that league, with the rates its settings allow."""
    most = league.settings.calls_at_once
    return Border(league, CALLS, RateLimit(most, most / 4, league.settings.wrong_tokens))


def outer(border: Border, servicer: RefereeServicer) -> grpc.aio.Server:
    """A server with what is public: the League service, and of the Referee's own calls `Watch` alone."""
    options = [
        ("grpc.max_receive_message_length", MAX_REQUEST),
        ("grpc.max_concurrent_streams", CALLS_OF_A_CONNECTION),
        ("grpc.so_reuseport", 0),
        ("grpc.max_metadata_size", MAX_HEADERS),
    ]
    server = grpc.aio.server(options=options, interceptors=(Crowd(),), maximum_concurrent_rpcs=CALLS_AT_ONCE)
    spectators = {
        "Watch": grpc.unary_stream_rpc_method_handler(
            servicer.Watch,
            request_deserializer=referee_pb2.WatchRequest.FromString,
            response_serializer=referee_pb2.WatchUpdate.SerializeToString,
        )
    }
    server.add_generic_rpc_handlers((
        league_calls(border),
        grpc.method_handlers_generic_handler(referee.SERVICE, spectators),
    ))  # fmt: skip
    describe(server, [LEAGUE])
    return server


def league_calls(border: Border) -> Any:
    """The League service, the same behind both doors."""

    async def submit(parts: Any, context: Any) -> Any:
        return await uploads.submit(border, parts, context)

    by_hand = {
        "Submit": grpc.stream_unary_rpc_method_handler(
            submit,
            request_deserializer=league_pb2.SubmitPart.FromString,
            response_serializer=league_pb2.Submitted.SerializeToString,
        )
    }
    return border.handlers(LEAGUE, by_hand)


def listen(server: grpc.aio.Server, settings: Settings) -> int:
    """The server listens where the settings say, under TLS if they name a certificate; the port it got."""
    where = settings.outer
    try:
        if settings.tls_cert:
            files = key_and_chain(settings.tls_key, settings.tls_cert)
            return server.add_secure_port(where, grpc.ssl_server_credentials([files]))
        return server.add_insecure_port(where)
    except RuntimeError:  # gRPC's own words are of no use
        raise UsageError(
            f"{where} cannot be listened on: another program has it, or it is no address of this machine; "
            "choose another port or host"
        ) from None


def describe(server: grpc.aio.Server, names: list[str]) -> None:
    """Health checking and reflection for these services."""
    from grpc_health.v1 import _async as health_aio
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection

    servicer = health_aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    reflection.enable_server_reflection((*names, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    serving = health_pb2.HealthCheckResponse.SERVING
    for name in ("", *names):
        servicer._server_status[name] = serving  # set() is a coroutine, and nothing serves yet
