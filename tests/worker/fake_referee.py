"""A referee that plays by a fixed rule: the real service's contract, without games and containers.

`python -m tests.worker.fake_referee ADDRESS [--seconds S]` serves it as a process of its own, to be killed at will.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc

from protos.ninefold.v1 import build_pb2, build_pb2_grpc, referee_pb2, referee_pb2_grpc
from referee.service import fixture_codec
from tests.store import league as small


class FakeReferee(referee_pb2_grpc.RefereeServicer, build_pb2_grpc.BuilderServicer):
    """Takes `seconds` for a fixture; fixtures in `voids` end with that cause, as often as it is listed.

    With `always` every fixture is void by that cause; while the file `trouble` exists, its text is why nothing is played.
    """

    def __init__(self, seconds: float = 0.0, always: str = "", trouble: Path | None = None) -> None:
        self.seconds, self.always, self.trouble = seconds, always, trouble
        self.voids: dict[str, list[str]] = {}
        self.played: list[str] = []
        self.stopped: dict[str, threading.Event] = {}
        self.silent = False

    def RunFixture(self, request: Any, context: Any) -> Iterator[Any]:
        spec = fixture_codec.decode_spec(request)
        stop = self.stopped[spec.fixture_id] = threading.Event()
        try:
            until = time.monotonic() + self.seconds
            while True:
                if not self.silent:
                    yield referee_pb2.FixtureUpdate(progress=referee_pb2.Progress(stage="playing", match=1, round=1))
                if stop.wait(min(0.2, max(until - time.monotonic(), 0))):
                    yield referee_pb2.FixtureUpdate(void=referee_pb2.Void(cause="shutdown", reason="stopped"))
                    return
                if not context.is_active():
                    return
                if time.monotonic() >= until:
                    break
            if self.always:
                yield referee_pb2.FixtureUpdate(void=referee_pb2.Void(cause=self.always, reason="this machine is broken"))
                return
            if self.voids.get(spec.fixture_id):
                cause = self.voids[spec.fixture_id].pop()
                yield referee_pb2.FixtureUpdate(void=referee_pb2.Void(cause=cause, reason="as told"))
                return
            result = small.play(spec)
            self.played.append(spec.fixture_id)
            for match in result.matches:
                yield fixture_codec.encode_match(match)
            yield referee_pb2.FixtureUpdate(finished=referee_pb2.Finished(machine="m", speed=1.0))
        finally:
            self.stopped.pop(spec.fixture_id, None)

    def Stop(self, request: Any, context: Any) -> Any:
        found = self.stopped.get(request.fixture_id)
        if found is not None:
            found.set()
        return referee_pb2.StopReply(was_running=found is not None)

    def Running(self, request: Any, context: Any) -> Any:
        why = self.trouble.read_text() if self.trouble is not None and self.trouble.exists() else ""
        return referee_pb2.RunningReply(capacity=4, machine="m", trouble=why)

    def Build(self, request: Any, context: Any) -> Iterator[Any]:
        text = Path(request.archive).read_text(encoding="utf-8")
        yield build_pb2.BuildUpdate(stage=build_pb2.Stage(stage="manifest", text="reading bot.toml"))
        if text == "bad":
            yield build_pb2.BuildUpdate(
                rejected=build_pb2.Rejected(stage="manifest", reason="no bot.toml", fix="add one", log=b"log of bad")
            )
            return
        named = build_pb2.Named(name=text, games=["nines"], runtime="python", digest="1" * 64)
        yield build_pb2.BuildUpdate(named=named)
        yield build_pb2.BuildUpdate(stage=build_pb2.Stage(stage="build", text="building"))
        yield build_pb2.BuildUpdate(admitted=build_pb2.Admitted(image="sha256:1", digest="2" * 64, log=b"log of good"))


def serve(address: str, referee: FakeReferee) -> grpc.Server:
    """The referee listens on `address`."""
    server = grpc.server(futures.ThreadPoolExecutor(16))
    referee_pb2_grpc.add_RefereeServicer_to_server(referee, server)
    build_pb2_grpc.add_BuilderServicer_to_server(referee, server)
    server.add_insecure_port(address)
    server.start()
    return server


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--always", default="")
    parser.add_argument("--trouble", type=Path)
    arguments = parser.parse_args()
    fake = FakeReferee(arguments.seconds, arguments.always, arguments.trouble)
    serve(arguments.address, fake).wait_for_termination()
