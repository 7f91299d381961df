"""The table over an ordinary gRPC client, which keeps to HTTP/2 whatever it is given to send."""

from __future__ import annotations

import os
import queue

import grpc

from protos.ninefold.v1 import table_pb2


def at_third_decision(deed) -> None:
    """Plays as the harmless bot does; `deed(send)` at the third decision, where `send` takes the bytes of a message."""
    out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    channel = grpc.insecure_channel("unix:" + os.environ["NINEFOLD_SOCKET"])
    play = channel.stream_stream("/ninefold.v1.Table/Play", response_deserializer=table_pb2.ToBot.FromString)
    out.put(table_pb2.FromBot(hello=table_pb2.Hello(client="ordinary")).SerializeToString())
    for message in play(iter(out.get, None), wait_for_ready=True):
        if message.HasField("turn"):
            if message.turn.decision == 3:
                deed(out.put)
            out.put(table_pb2.FromBot(choice=table_pb2.Choice(decision=message.turn.decision, index=0)).SerializeToString())
        elif message.HasField("goodbye"):
            return
