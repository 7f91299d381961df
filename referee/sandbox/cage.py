"""A locked container that runs one command: bytes in on stdin, bytes out on stdout, its stderr as log. Blocking.

Builds and probes use it. Everything travels through the three streams, so nothing of the host is mounted, nothing is
written to the host but what the caller keeps, and the root file system stays read-only.
"""

from __future__ import annotations

import contextlib
import secrets
import select
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

from docker.errors import NotFound

from referee.errors import NinefoldError, PlatformFault
from referee.sandbox.container import FIRST_UID, UIDS, attached_socket
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.limits import MIB, Limits
from referee.sandbox.lockdown import host_config
from referee.sandbox.logs import CappedLog, FrameReader
from referee.sandbox.owner import owned


class CageTimeout(NinefoldError):
    """The command did not end in time; its container is gone."""


class CageFlood(NinefoldError):
    """The command wrote more to stdout than it may; its container is gone."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How the command ended: its exit code, and whether the kernel killed something of it at its memory limit."""

    code: int
    out_of_memory: bool


def build_limits(limits: Limits) -> Limits:
    """What a container that fetches, installs or compiles may use: more memory, most of it as scratch space."""
    memory = limits.build_memory_mib
    return replace(limits, memory_mib=memory, tmp_mib=max(64, memory - 256), tmp_inodes=200_000, files=1024, pids=128)


@dataclass(frozen=True, slots=True)
class Room:
    """Where one build or probe takes place: on which engine, over which image, for which league, under which limits.

    `deadline` in `time.monotonic()` seconds ends whatever runs then; `log` keeps what was printed, whatever happens.
    """

    engine: Engine
    image: str
    league: str
    limits: Limits
    log: CappedLog
    deadline: float
    runtime: str = "runc"

    @classmethod
    def new(cls, engine: Engine, image: str, league: str, limits: Limits, runtime: str = "runc") -> Room:
        """A room with an empty log that closes after `build_seconds`."""
        log = CappedLog(limits.build_log_bytes)
        return cls(engine, image, league, limits, log, time.monotonic() + limits.build_seconds, runtime)

    def run(
        self,
        command: Sequence[str],
        out: IO[bytes],
        log: CappedLog,
        *,
        host: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        out_limit: int = 64 * MIB,
        purpose: str = "cage",
    ) -> Finished:
        """`command` has run to its end in a container of its own, which is gone again, however this is left.

        `host` is a HostConfig (default: a seat's own). Raises `CageTimeout`, `CageFlood`, or `PlatformFault("docker")`.
        """
        name = f"nf-{self.league}-{purpose}-{secrets.token_hex(6)}"
        uid = FIRST_UID + secrets.randbelow(UIDS)
        config: dict[str, Any] = {
            "Image": self.image,
            "Cmd": list(command),
            "User": f"{uid}:{uid}",
            "Hostname": "seat",
            "AttachStdin": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "OpenStdin": True,
            "StdinOnce": True,
            "Labels": owned(self.league) | {f"{LABEL}.purpose": purpose},
            "HostConfig": dict(host or host_config(self.limits, self.runtime)),
        }
        if env:
            config["Env"] = [f"{key}={value}" for key, value in env.items()]
        engine = self.engine
        try:
            engine.blocking(engine.api.create_container_from_config, config, name)
            with contextlib.closing(attached_socket(engine, name, stdin=True)) as stream:
                engine.blocking(engine.api.start, name)
                _exchange(stream, stdin, out, out_limit, log, self.deadline)
            return engine.blocking(_finished, engine, name, self.deadline)
        finally:
            with contextlib.suppress(PlatformFault):  # the first error counts; the reaper removes what is left
                engine.blocking(engine.remove_container, name)


def _exchange(
    stream: socket.socket, stdin: bytes, out: IO[bytes], out_limit: int, log: CappedLog, deadline: float
) -> None:
    frames, rest, written = FrameReader(), memoryview(stdin), 0
    stream.setblocking(False)
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise CageTimeout
        readable, writable, _ = select.select([stream], [stream] if rest else [], [], min(left, 1.0))
        if writable:
            try:
                rest = rest[stream.send(rest[: 256 * 1024]) :]
            except OSError:  # it ended without reading all
                rest = rest[:0]
        if readable:
            try:
                data = stream.recv(256 * 1024)
            except BlockingIOError:
                continue
            except OSError:
                return
            if not data:
                return
            for number, piece in frames.feed(data):
                if number == 1:
                    written += len(piece)
                    if written > out_limit:
                        raise CageFlood
                    out.write(piece)
                else:
                    log.add(piece)


def _finished(engine: Engine, name: str, deadline: float) -> Finished:
    while True:
        try:
            state = engine.api.inspect_container(name)["State"]
        except NotFound:
            raise PlatformFault("docker", f"container {name} was removed from outside") from None
        if not state["Running"]:
            return Finished(int(state["ExitCode"]), bool(state["OOMKilled"]))
        if time.monotonic() > deadline:  # its streams are closed and it goes on
            raise CageTimeout
        time.sleep(0.01)
