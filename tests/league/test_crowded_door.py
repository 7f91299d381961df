"""Streams that nobody pays for: whoever opens them without end finds the door shut to more of them, and nobody else does."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from protos.ninefold.v1 import league_pb2 as pb
from referee.service.crowd import STREAMS_AT_ONCE
from tests.league.running import wait_for


def test_open_streams_do_not_shut_the_door(served: Any) -> None:
    channels = [grpc.insecure_channel(served.address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(8)]
    try:
        health = [health_pb2_grpc.HealthStub(channel) for channel in channels]
        asked = [health[number % 8].Watch(health_pb2.HealthCheckRequest()) for number in range(STREAMS_AT_ONCE + 100)]
        came = Counter(_code(call) for call in asked)  # whichever connection was the quicker
        assert came == {grpc.StatusCode.OK: STREAMS_AT_ONCE, grpc.StatusCode.RESOURCE_EXHAUSTED: 100}
        with served.as_("anna") as anna:  # from the same address, and yet
            assert anna.read("ListBots", pb.ListBotsRequest())
        for call in asked:
            call.cancel()
        wait_for(lambda: _opens(health[0]), 20)
    finally:
        for channel in channels:
            channel.close()


def _opens(health: Any) -> bool:
    call = health.Watch(health_pb2.HealthCheckRequest())
    try:
        return bool(next(call).status)
    except grpc.RpcError:
        time.sleep(0.1)
        return False
    finally:
        call.cancel()


def _code(call: Any) -> grpc.StatusCode:
    try:
        assert next(call).status == health_pb2.HealthCheckResponse.SERVING
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
