"""The table as one seat sees it: a gRPC server on a Unix socket of its own, and the one stream its bot may open.

The socket is the bot's identity: it lies in a folder that only this seat's container can see. What a bot sends is read
at once and never kept, but for the one answer to the open decision; whoever sends what the protocol does not allow is
read no further. What is sent waits in a bounded queue while the bot does not read.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import grpc

from referee.sandbox.handle import SOCKET_NAME

MAX_QUEUED_BYTES = 4 * 1024 * 1024
"""What may wait to be read by one bot; more than the longest rounds take."""
JUDGED_BYTES = 1024 * 1024
"""Above the limit of a message, so that we see how long one was; gRPC refuses longer ones without reading them."""
PLAY = "/ninefold.v1.Table/Play"

OPTIONS: tuple[tuple[str, int], ...] = (
    # Two, not one, so that a second stream or connection is noticed as the fault it is; the rest is closed by gRPC.
    ("grpc.max_concurrent_streams", 2),
    ("grpc.max_allowed_incoming_connections", 4),
    ("grpc.max_receive_message_length", JUDGED_BYTES),
    ("grpc.max_send_message_length", MAX_QUEUED_BYTES),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    # Small reads: under a flood of frames gRPC holds on to many of the buffers that it reads into.
    ("grpc.experimental.tcp_read_chunk_size", 8 * 1024),
    ("grpc.experimental.tcp_min_read_chunk_size", 8 * 1024),
    ("grpc.experimental.tcp_max_read_chunk_size", 8 * 1024),
    ("grpc.http2.max_ping_strikes", 2),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.server_handshake_timeout_ms", 20_000),
    ("grpc.so_reuseport", 0),
    ("grpc.http2.bdp_probe", 0),  # bandwidth probing would ping the bot in mid-decision
)


class StreamUser(Protocol):
    """Who sits behind the stream. All three are called from the loop and must not block."""

    def received(self, data: bytes) -> bool:
        """A message came; False: read no further."""

    def violated(self, detail: str) -> None:
        """The bot broke the protocol below the level of messages."""

    def lost(self) -> None:
        """The stream has ended from the bot's side."""


class TableServer:
    """One seat's socket and stream, from `open` to `close`."""

    def __init__(self, folder: Path, user: StreamUser) -> None:
        self.folder = folder
        self._user = user
        self._server: Any = None
        self._context: Any = None
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._writing = False
        self._closed = self._broken = False

    async def open(self) -> None:
        """The socket lies in the folder, listening, and the container's user may dial it."""
        self._server = grpc.aio.server(options=OPTIONS)
        handler = grpc.stream_stream_rpc_method_handler(self._play)
        service, method = PLAY[1:].split("/")
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
        path = self.folder / SOCKET_NAME
        self._server.add_insecure_port(f"unix:{path}")
        await self._server.start()
        path.chmod(0o666)

    def send(self, message: bytes) -> None:
        """The message is on its way, after those before it."""
        if self._closed or self._broken:
            return
        self._queue.append(message)
        self._queued += len(message)
        if not self._writing and self._context is not None:
            self._write()
        elif self._queued > MAX_QUEUED_BYTES:
            self._queue.clear()
            self._queued = 0
            self._user.violated(f"does not read: over {MAX_QUEUED_BYTES} bytes wait for it")

    async def close(self) -> None:
        """Nothing listens any more and the folder is gone. Repeats harmlessly."""
        self._closed = True
        self._queue.clear()
        server, self._server = self._server, None
        if server is not None:
            await server.stop(None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self) -> None:
        """Writes are under way as far as the stream takes them.

        gRPC's coroutine is stepped by hand: a task for each message would cost a turn of the loop before the message
        even leaves (eager tasks come with Python 3.12).
        """
        self._writing = True
        while self._queue and not self._closed:
            message = self._queue.popleft()
            self._queued -= len(message)
            if not self._step(self._context.write(message)):
                return
        self._writing = False

    def _step(self, write: Any) -> bool:
        """Whether the write is done; else it goes on, and the next follows it."""
        try:
            waiting = write.send(None)
        except StopIteration:
            return True
        except (Exception, asyncio.CancelledError):
            self._broken = True  # the reading side notices and tells
            self._queue.clear()
            return False
        if waiting is None:  # a bare yield
            asyncio.get_running_loop().call_soon(self._written, write)
        else:
            waiting._asyncio_future_blocking = False
            waiting.add_done_callback(lambda _: self._written(write))
        return False

    def _written(self, write: Any) -> None:
        if self._step(write):
            self._write()

    async def _play(self, requests: AsyncIterator[bytes], context: Any) -> None:
        """Serves one stream. The first is the bot's; a second is a fault."""
        if self._context is not None:
            self._user.violated("a second stream")
            return
        self._context = context
        self._write()
        try:
            while (data := await context.read()) is not grpc.aio.EOF:  # type: ignore[attr-defined]
                if not self._user.received(data):
                    return
        except (asyncio.CancelledError, grpc.RpcError, asyncio.InvalidStateError):
            pass
        finally:
            if not self._closed:
                self._closed = True
                self._user.lost()


__all__ = ["OPTIONS", "PLAY", "StreamUser", "TableServer"]
