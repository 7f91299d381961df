"""A bot's stdout and stderr, kept up to a hard limit: the beginning and the end, with the cut visible."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections import deque


class CappedLog:
    """Keeps the first and the last half of `limit` bytes of what is added; tracebacks stand at the end, so both count.

    Memory stays under about twice the limit whatever is added, in whatever pieces.
    """

    __slots__ = ("_head", "_head_room", "_tail", "_tail_limit", "_tail_size", "dropped")

    def __init__(self, limit: int) -> None:
        self._tail_limit = limit // 2
        self._head_room = limit - self._tail_limit
        self._head = bytearray()
        self._tail: deque[bytearray] = deque()
        self._tail_size = 0
        self.dropped = 0

    @property
    def full(self) -> bool:
        """True once something had to be cut."""
        return self.dropped > 0

    def add(self, data: bytes | bytearray | memoryview) -> None:
        if self._head_room:
            taken = data[: self._head_room]
            self._head += taken
            self._head_room -= len(taken)
            data = data[len(taken) :]
        if not data:
            return
        if len(data) > self._tail_limit:
            self.dropped += len(data) - self._tail_limit
            data = data[len(data) - self._tail_limit :]
        if self._tail and len(self._tail[-1]) < 4096:  # few pieces, however small each write was
            self._tail[-1] += data
        else:
            self._tail.append(bytearray(data))
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= self._tail_limit:
            gone = len(self._tail.popleft())
            self._tail_size -= gone
            self.dropped += gone
        if (excess := self._tail_size - self._tail_limit) > 0:
            del self._tail[0][:excess]
            self._tail_size -= excess
            self.dropped += excess

    def text(self) -> bytes:
        """What is kept; a cut stands on a line of its own with the number of bytes that are missing."""
        head, tail = bytes(self._head), b"".join(self._tail)
        if not self.dropped:
            return head + tail
        return head + b"\n[... %d bytes cut here ...]\n" % self.dropped + tail


class FrameReader:
    """Takes apart Docker's attach stream: frames of an 8-byte header (stream, 3 zeros, length) and that many bytes."""

    __slots__ = ("_header", "_left", "_stream")

    def __init__(self) -> None:
        self._header = bytearray()
        self._left = self._stream = 0

    def feed(self, data: bytes) -> list[tuple[int, memoryview]]:
        """The pieces of payload in `data`, each with its stream (1 stdout, 2 stderr); a frame may span many calls."""
        pieces: list[tuple[int, memoryview]] = []
        view = memoryview(data)
        at, end = 0, len(data)
        while at < end:
            if self._left:
                size = min(self._left, end - at)
                pieces.append((self._stream, view[at : at + size]))
                self._left -= size
                at += size
                continue
            size = min(8 - len(self._header), end - at)
            self._header += view[at : at + size]
            at += size
            if len(self._header) == 8:
                self._stream = self._header[0]
                self._left = int.from_bytes(self._header[4:], "big")
                self._header.clear()
        return pieces


class LogPump:
    """Reads one bot's output from a socket into capped logs, one after the other as they are taken.

    Once a log is full the rest is still read, but slowly: a bot that floods is held back by its own pipe, costs the
    engine and us next to nothing, and fills no disk. A bot that prints within the limit is never held back.
    """

    CHUNK = 16 * 1024
    FULL_PAUSE = 0.02

    def __init__(self, loop: asyncio.AbstractEventLoop, stream: socket.socket, limit: int, framed: bool) -> None:
        self._loop, self._stream, self._limit = loop, stream, limit
        self._frames = FrameReader() if framed else None
        self._log = CappedLog(limit)
        self.read = 0
        """Bytes that have come in so far, of all logs."""
        self._ended = asyncio.Event()
        self._pause: asyncio.TimerHandle | None = None
        stream.setblocking(False)
        loop.add_reader(stream, self._readable)

    def take(self) -> tuple[bytes, bool]:
        """The log so far and whether it was cut; a new one begins."""
        log, self._log = self._log, CappedLog(self._limit)
        return log.text(), log.full

    async def drained(self, seconds: float) -> None:
        """Everything has arrived, or `seconds` have passed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)

    def close(self) -> None:
        """What has already arrived is read, up to the limit; then the stream is closed."""
        if self._stream.fileno() < 0:
            return
        with contextlib.suppress(OSError):
            for _ in range(4 + self._limit // self.CHUNK):
                if self._ended.is_set() or not self._take_in(self._stream.recv(self.CHUNK)):
                    break
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._stream)
        self._stream.close()
        self._ended.set()

    def _readable(self) -> None:
        began = time.perf_counter()
        try:
            data = self._stream.recv(self.CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not self._take_in(data):
            self._loop.remove_reader(self._stream)
            self._ended.set()
            return
        took = time.perf_counter() - began
        if self._log.full or took > 0.0001:  # frames of one byte each cost most: never more than a tenth of our time
            self._loop.remove_reader(self._stream)
            pause = max(self.FULL_PAUSE, 20 * took) if self._log.full else 10 * took
            self._pause = self._loop.call_later(pause, self._resume)

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._stream, self._readable)

    def _take_in(self, data: bytes) -> bool:
        self.read += len(data)
        if self._frames is None:
            self._log.add(data)
        else:
            for _, piece in self._frames.feed(data):
                self._log.add(piece)
        return bool(data)
