"""The table protocol by hand, down to HTTP/2 frames, so that every one of them can be wrong."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress

from protos.ninefold.v1 import table_pb2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PATH = "/ninefold.v1.Table/Play"


def text(value: str) -> bytes:
    assert len(value) < 127
    return bytes([len(value)]) + value.encode()


def headers(path: str = PATH, **more: str) -> bytes:
    """A header block without compression, as a gRPC call needs it."""
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost", "te": "trailers", "content-type": "application/grpc"}
    fields |= {name.replace("_", "-"): value for name, value in more.items()}
    return b"".join(b"\0" + text(name) + text(value) for name, value in fields.items())


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def grpc(body: bytes, compressed: int = 0, length: int | None = None) -> bytes:
    """A message with gRPC's prefix; `length` may lie."""
    return bytes([compressed]) + struct.pack(">I", len(body) if length is None else length) + body


class Table:
    """One connection with one stream (number 1), greeted. Frames from the referee are answered as HTTP/2 asks."""

    def __init__(self, window: int = 65535, hello: bool = True, **metadata: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["NINEFOLD_SOCKET"])
        self.stream = self.socket.makefile("rb")
        self.raw(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, window)))
        self.raw(frame(HEADERS, END_HEADERS, 1, headers(**metadata)))
        self.body = bytearray()
        if hello:
            self.say(table_pb2.FromBot(hello=table_pb2.Hello(client="by hand")))

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def send(self, body: bytes, stream: int = 1) -> None:
        """One message of any size, in DATA frames."""
        data = grpc(body)
        for at in range(0, len(data), 16384):
            self.raw(frame(DATA, 0, stream, data[at : at + 16384]))

    def say(self, message: table_pb2.FromBot) -> None:
        self.send(message.SerializeToString())

    def choose(self, decision: int, **choice) -> None:
        self.say(table_pb2.FromBot(choice=table_pb2.Choice(decision=decision, **choice)))

    def messages(self) -> Iterator[table_pb2.ToBot]:
        """What the referee says, until the connection ends."""
        while len(head := self.stream.read(9)) == 9:
            kind, flags = head[3], head[4]
            payload = self.stream.read(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & ACK:
                self.raw(frame(SETTINGS, ACK, 0))
            elif kind == PING and not flags & ACK:
                self.raw(frame(PING, ACK, 0, payload))
            elif kind == DATA and payload:
                size = struct.pack(">I", len(payload))
                self.raw(frame(WINDOW_UPDATE, 0, 0, size) + frame(WINDOW_UPDATE, 0, 1, size))
                self.body += payload
                while len(self.body) >= 5 and len(self.body) >= 5 + (length := int.from_bytes(self.body[1:5], "big")):
                    message = table_pb2.ToBot.FromString(bytes(self.body[5 : 5 + length]))
                    del self.body[: 5 + length]
                    yield message

    def turns(self) -> Iterator[table_pb2.Turn]:
        """The decisions this seat is asked for, until Goodbye."""
        for message in self.messages():
            if message.HasField("turn"):
                yield message.turn
            elif message.HasField("goodbye"):
                return


def at_third_decision(deed, table: Table | None = None) -> None:
    """Plays as the harmless bot does; `deed(table, turn)` at the third decision, and the game goes on if it returns."""
    table = table or Table()
    try:
        for turn in table.turns():
            if turn.decision == 3:
                deed(table, turn)
            table.choose(turn.decision, index=0)
    except OSError as error:
        print("the referee hung up:", error, flush=True)
        time.sleep(1000)


def for_ever(table: Table) -> None:
    """Reads what comes, answers nothing more, and stays when the connection is gone."""
    with suppress(OSError):
        for _ in table.messages():
            pass
    time.sleep(1000)
