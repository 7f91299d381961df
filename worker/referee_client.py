"""The referee of this machine, as a worker sees it: plays a fixture, judges an upload, says whether it is well."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import grpc

from protos.ninefold.v1 import build_pb2, build_pb2_grpc, referee_pb2, referee_pb2_grpc
from referee.errors import PlatformFault, Unreachable
from referee.match.fixture import FixtureResult, FixtureSpec
from referee.service import client

SILENT_SECONDS = 60.0
"""A referee that says nothing about a fixture for so long is stuck; it promises a sign every few seconds."""
Keep = Callable[[str], bool]
"""Told what is being played, at every sign of life; False: stop, the fixture is no longer ours."""


@dataclass(frozen=True, slots=True)
class Health:
    """`trouble` is empty if all is well; a referee that is `reachable` says itself which guarantee it cannot give."""

    reachable: bool = True
    trouble: str = ""


class Lost(Exception):
    """The fixture is no longer this worker's: there is nothing to record and nothing to void."""


class RefereeClient(Protocol):
    """What a worker asks of its referee."""

    def run_fixture(self, spec: FixtureSpec, keep: Keep, stopping: threading.Event) -> FixtureResult:
        """The fixture played to its end. Raises `PlatformFault`, or `Lost` once `keep` was False."""
        ...

    def build(self, archive: str, name: str, job: str, stopping: threading.Event) -> Iterator[Any]:
        """The `BuildUpdate`s of an upload, the verdict last; `PlatformFault` if there is none."""
        ...

    def health(self) -> Health:
        """Whether anything can be played just now, and why not."""
        ...


class GrpcReferee:
    """The referee at an address. One channel for all threads; made in the process that uses it.

    `find` says where it has announced itself: one that was started again listens elsewhere.
    """

    def __init__(self, address: str, find: Callable[[], str] | None = None) -> None:
        self.address, self._find = address, find
        self._channel = client.channel(address)

    def run_fixture(self, spec: FixtureSpec, keep: Keep, stopping: threading.Event) -> FixtureResult:
        watch = _Watch(stopping)

        def sign(progress: referee_pb2.Progress) -> None:
            watch.heard()
            if not keep(_stage(progress)):
                raise Lost(spec.fixture_id)

        with watch.over(lambda: self._stop(spec.fixture_id)):
            try:
                return client.run_fixture(self._channel, spec, keep=sign)
            except Unreachable as error:
                raise _our_fault(watch, str(error)) from error

    def build(self, archive: str, name: str, job: str, stopping: threading.Event) -> Iterator[Any]:
        stub: Any = build_pb2_grpc.BuilderStub(self._channel)  # type: ignore[no-untyped-call]
        request = build_pb2.BuildRequest(archive=archive, name=name, job=job, keep_image=True)
        call = stub.Build(request, wait_for_ready=False)
        watch = _Watch(stopping, silent_seconds=900.0)  # a build may be silent for all of its own limit
        with watch.over(call.cancel):
            try:
                for update in call:
                    watch.heard()
                    yield update
            except grpc.RpcError as error:
                raise _our_fault(watch, f"the referee ended the build ({_code(error)})") from error
            finally:
                call.cancel()

    def health(self) -> Health:
        stub: Any = referee_pb2_grpc.RefereeStub(self._channel)  # type: ignore[no-untyped-call]
        try:
            return Health(trouble=stub.Running(referee_pb2.RunningRequest(), timeout=4.0).trouble)
        except grpc.RpcError as error:
            trouble = f"the referee at {self.address} cannot be reached ({_code(error)})"
            self._look_again()
            return Health(False, trouble)

    def _look_again(self) -> None:
        with contextlib.suppress(Unreachable):
            address = self._find() if self._find is not None else self.address
            if address != self.address:
                old, self._channel, self.address = self._channel, client.channel(address), address
                old.close()

    def _stop(self, fixture_id: str) -> None:
        """The blocked call ends: the referee stops the fixture, or else its channel is given up."""
        stub: Any = referee_pb2_grpc.RefereeStub(self._channel)  # type: ignore[no-untyped-call]
        try:
            stub.Stop(referee_pb2.StopRequest(fixture_id=fixture_id, cause="shutdown"), timeout=5.0)
        except grpc.RpcError:
            old, self._channel = self._channel, client.channel(self.address)
            old.close()


class _Watch:
    """Ends a blocked call when the worker is to stop or the referee has fallen silent."""

    def __init__(self, stopping: threading.Event, silent_seconds: float = SILENT_SECONDS) -> None:
        self._stopping, self._silent_seconds = stopping, silent_seconds
        self._last = time.monotonic()
        self._done = threading.Event()
        self.silent = False
        self._end: Callable[[], None] = lambda: None

    def heard(self) -> None:
        self._last = time.monotonic()

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    def over(self, end: Callable[[], None]) -> _Watch:
        self._end = end
        return self

    def __enter__(self) -> None:
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _watch(self) -> None:
        while not self._done.wait(0.25):
            self.silent = time.monotonic() - self._last > self._silent_seconds
            if self.stopped or self.silent:
                self._end()
                return


def _our_fault(watch: _Watch, why: str) -> PlatformFault:
    """A stopped or restarted service never counts against a fixture; a silent one has lost its lease."""
    if watch.stopped:
        return PlatformFault("shutdown", "the worker was stopped")
    if watch.silent:
        return PlatformFault("lease_lost", f"the referee was silent for {SILENT_SECONDS:.0f} s")
    return PlatformFault("shutdown", why)


def _stage(progress: referee_pb2.Progress) -> str:
    if progress.stage != "playing":
        return progress.stage or "starting"
    return f"match {progress.match}, round {progress.round}"


def _code(error: Any) -> str:
    return f"{error.code().name}: {error.details()}"
