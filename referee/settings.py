"""One frozen `Settings`, read once: flags win over `NINEFOLD_*` in the environment, which win over `ninefold.toml`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from referee.errors import UsageError


def default_data_dir() -> Path:
    """Where a league lives unless told otherwise: `$XDG_DATA_HOME/ninefold`."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "ninefold"


_LIMIT = "limit_"


@dataclass(frozen=True, slots=True)
class Settings:
    """How one league runs on this machine. Empty URLs mean the embedded default inside the data folder."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8501
    """Of the dashboard."""
    grpc_port: int = 7009
    workers: int = 1
    """Fixtures played at once on this machine."""
    database_url: str = ""
    broker_url: str = ""
    blob_url: str = ""
    """Where archives, build logs and bots' images are kept, as fsspec addresses it; the same for every machine."""
    registry: str = ""
    """A Docker registry, with a path if it wants one, that bots' images are pushed to instead of `blob_url`."""
    runtime: str = "runc"
    """Container runtime: runc, or runsc for gVisor."""
    base_image: str = "debian"
    """What bots' images stand on: `debian`, packages fetched by mmdebstrap, or `pull`, the usual Python image where the
    engine can reach a registry. Both have the same Python minor."""
    fetch_network: str = "bridge"
    """Docker network of the containers that fetch dependencies; no other container has one."""
    public_address: str = ""
    """`host:port` at which dashboards elsewhere reach this machine's referee to follow its matches."""
    machine: str = ""
    """This machine's name in records; its host name otherwise."""
    tls_cert: str = ""
    """Certificate chain and key (PEM files) of a league that is reached over a network."""
    tls_key: str = ""
    tls_ca: str = ""
    """Certificates (PEM) that a dashboard trusts when it follows matches over TLS; `system`: the machine's own."""
    referee_address: str = ""
    """`host:port` at which this dashboard reaches the referee, where it is not the one that the machine announced."""
    calls_at_once: int = 200
    """Calls one account may make in a burst; a quarter as many a second after that."""
    wrong_tokens: int = 20
    """Wrong tokens one address may send in a burst; one a second after that."""
    metrics_port: int = 0
    """Where Prometheus metrics are served; 0: nowhere."""
    metrics_host: str = "127.0.0.1"
    lease_seconds: float = 60.0
    window: int = 4
    """Fixtures kept queued per worker slot."""
    keep_logs_days: float = 90.0
    """What bots printed in a match is kept so long after the match; 0: for ever, as for the next two."""
    keep_replays_days: float = 0.0
    """Replays are kept so long after their tournament has ended; results, standings and ratings always."""
    keep_builds_days: float = 90.0
    """Archives, build logs and images that nothing may start any more are kept so long."""
    keep_images: int = 50
    """Images of bots that stay on a machine though nothing refers to them any more: the newest."""
    blob_grace_hours: float = 24.0
    """A blob that nothing refers to is set aside so long before it is gone."""
    tidy_seconds: float = 3600.0
    """How often the conductor removes what is kept no longer."""
    log_mib: float = 10.0
    """A part's own log is put away and begun anew at this size; one old log of each part is kept."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """What differs from the sandbox's default limits: `limit_memory_mib = 512` sets `memory_mib`."""

    @property
    def pull_base(self) -> bool:
        """Whether the base image starts from a pulled one."""
        return self.base_image == "pull"

    def limits_changed(self) -> dict[str, Any]:
        """The changed limits, as plain data for another process."""
        return dict(self.limits)


def load(data_dir: Path | None = None, flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of the league in `data_dir`; `UsageError` names a key or value that cannot be used."""
    folder = data_dir or Path(os.environ.get("NINEFOLD_DATA") or default_data_dir())
    values: dict[str, Any] = {}
    known = {f.name: f.type for f in fields(Settings) if f.name not in ("data_dir", "limits")}
    path = folder / "ninefold.toml"
    if path.exists():
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML ({error}); correct it or remove it") from None
        for key, value in document.items():
            if key not in known and not key.startswith(_LIMIT):
                raise UsageError(f"{path}: unknown setting {key!r}; known are {', '.join(sorted(known))}")
            values[key] = value
    for key in known:
        if (text := os.environ.get(f"NINEFOLD_{key.upper()}")) is not None:
            values[key] = text
    prefix = f"NINEFOLD_{_LIMIT.upper()}"
    values |= {k.removeprefix("NINEFOLD_").lower(): text for k, text in os.environ.items() if k.startswith(prefix)}
    values |= {key: value for key, value in (flags or {}).items() if value is not None}
    limits = {key.removeprefix(_LIMIT): _number(key, values.pop(key)) for key in list(values) if key.startswith(_LIMIT)}
    plain = {key: _convert(key, value, str(known[key])) for key, value in values.items()}
    if plain.get("base_image", "debian") not in ("debian", "pull"):
        raise UsageError(f"setting 'base_image' cannot be {plain['base_image']!r}; it is 'debian' or 'pull'")
    return Settings(folder, limits=limits, **plain)


def _number(key: str, value: Any) -> float:
    number = float(_convert(key, value, "float"))
    return int(number) if number.is_integer() else number


def _convert(key: str, value: Any, kind: str) -> Any:
    converters = {"int": int, "float": float, "str": str}
    try:
        return converters[kind](value)
    except ValueError:
        raise UsageError(f"setting {key!r} cannot be {value!r}: a value of type {kind} is needed") from None
