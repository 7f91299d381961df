"""A bot's stdout and stderr, kept up to a hard limit: the beginning and the end, with the cut visible."""

from __future__ import annotations

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

    __slots__ = ("_header", "_left", "stream")

    def __init__(self) -> None:
        self._header = bytearray()
        self._left = 0
        self.stream = 0

    def feed(self, data: bytes) -> list[tuple[int, memoryview]]:
        """The pieces of payload in `data`, each with its stream (1 stdout, 2 stderr); a frame may span many calls."""
        pieces: list[tuple[int, memoryview]] = []
        view = memoryview(data)
        at, end = 0, len(data)
        while at < end:
            if self._left:
                size = min(self._left, end - at)
                pieces.append((self.stream, view[at : at + size]))
                self._left -= size
                at += size
                continue
            size = min(8 - len(self._header), end - at)
            self._header += view[at : at + size]
            at += size
            if len(self._header) == 8:
                self.stream = self._header[0]
                self._left = int.from_bytes(self._header[4:], "big")
                self._header.clear()
        return pieces
