"""What a bot may use, as one frozen policy object, and the list of system calls it may make."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from referee.errors import UsageError
from referee.settings import Settings
from referee.wording import meant

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit of the sandbox; the defaults are those that the README states.

    A field `x` is set by the setting `limit_x` (`NINEFOLD_LIMIT_X`, or `limit_x` in ninefold.toml).
    """

    cpus: float = 1.0
    """Processors a container may use at once, as a quota per 100 ms."""
    memory_mib: int = 256
    """Memory of all processes of a container together, /tmp and /dev/shm included; there is no swap on top."""
    pids: int = 64
    """Processes and threads alive at once in a container."""
    files: int = 256
    """Open files of each process."""
    tmp_mib: int = 64
    """Size of /tmp, the only folder a bot can write to; nothing in it can be executed."""
    tmp_inodes: int = 4096
    """Files and folders that fit into /tmp."""
    shm_mib: int = 1
    """Size of /dev/shm."""
    log_kib: int = 256
    """What is kept of a bot's stdout and stderr in one match: the first and the last half of it."""
    start_seconds: float = 20.0
    """Processor time a bot may use to start, and idle time it may take for it: either alone ends the start."""
    archive_mib: int = 20
    """Size of an uploaded archive."""
    unpacked_mib: int = 100
    """Size of what is really unpacked from it."""
    unpacked_files: int = 2000
    """Files and folders in it."""
    dependencies_mib: int = 200
    """Size of a bot's dependencies, fetched and again installed."""
    build_seconds: float = 300.0
    """Wall time of a whole build: fetching, installing, compiling."""
    build_memory_mib: int = 1024
    """Memory of a container that fetches or installs dependencies, its scratch space included."""
    build_log_kib: int = 256
    """What is kept of a build's output."""

    def __post_init__(self) -> None:
        for name, low, high in RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(f"setting 'limit_{name}' cannot be {value!r}: it must lie in {low}–{high}")
        if self.tmp_mib + self.shm_mib > self.memory_mib:
            raise UsageError(
                f"settings 'limit_tmp_mib' and 'limit_shm_mib' ({self.tmp_mib} + {self.shm_mib}) exceed "
                f"'limit_memory_mib' ({self.memory_mib}), which they are part of; lower them or raise it"
            )

    @property
    def memory_bytes(self) -> int:
        return self.memory_mib * MIB

    @property
    def log_bytes(self) -> int:
        return self.log_kib * 1024

    @property
    def build_log_bytes(self) -> int:
        return self.build_log_kib * 1024

    @property
    def dependencies_bytes(self) -> int:
        return self.dependencies_mib * MIB

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits that `settings` ask for; `UsageError` names a limit there is none of."""
        known = {f.name for f in fields(cls)}
        for name in settings.limits:
            if name not in known:
                near = meant(f"limit_{name}", [f"limit_{limit}" for limit in known])
                raise UsageError(f"setting 'limit_{name}' is unknown{near}; limits are {', '.join(sorted(known))}")
        return cls(**dict(settings.limits))  # type: ignore[arg-type]


RANGES: tuple[tuple[str, float, float], ...] = (
    # Lower bounds are what the launcher, gRPC and numpy need to start at all; upper ones catch a wrong unit.
    ("cpus", 0.05, 64),
    ("memory_mib", 64, 65536),
    ("pids", 16, 4096),
    ("files", 64, 65536),
    ("tmp_mib", 1, 16384),
    ("tmp_inodes", 16, 1_000_000),
    ("shm_mib", 1, 1024),
    ("log_kib", 1, 65536),
    ("start_seconds", 0.5, 600),
    ("archive_mib", 1, 1024),
    ("unpacked_mib", 1, 10240),
    ("unpacked_files", 1, 100_000),
    ("dependencies_mib", 1, 10240),
    ("build_seconds", 1, 7200),
    ("build_memory_mib", 256, 65536),
    ("build_log_kib", 1, 65536),
)


@cache
def seccomp_profile() -> str:
    """The system calls a container may make, as the JSON text that Docker's `seccomp=` option takes.

    An allow-list that is a subset of Docker's default without any capability, less ptrace, io_uring, keyrings, POSIX
    queues and 32-bit system calls; sockets only of the families unix, inet and inet6; no new namespaces of any kind.
    """
    return resources.files("referee.sandbox").joinpath("seccomp.json").read_text(encoding="utf-8")
