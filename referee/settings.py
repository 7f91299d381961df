"""One frozen `Settings`, read once: flags win over `NINEFOLD_*` in the environment, which win over `ninefold.toml`."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from referee.errors import UsageError
from referee.wording import masked, meant, unread


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
    database_url: str = field(default="", repr=False)
    broker_url: str = field(default="", repr=False)
    blob_url: str = field(default="", repr=False)
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
    def outer(self) -> str:
        """Where the command line's calls arrive, as asked for: port 0 is any free one."""
        return joined(self.host, self.grpc_port)

    @property
    def page(self) -> str:
        """The dashboard's address."""
        return f"http://{joined(self.host, self.port)}"

    @property
    def pull_base(self) -> bool:
        """Whether the base image starts from a pulled one."""
        return self.base_image == "pull"

    def limits_changed(self) -> dict[str, Any]:
        """The changed limits, as plain data for another process."""
        return dict(self.limits)


def joined(host: str, port: int) -> str:
    """`host:port` as URLs and gRPC read it: an IPv6 address stands in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def load(data_dir: Path | None = None, flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings of the league in `data_dir`; `UsageError` names a key or value that cannot be used.

    The folder's path is absolute from here on: other programs and later commands start in other folders.
    """
    folder = data_dir or Path(os.environ.get("NINEFOLD_DATA") or default_data_dir())
    try:
        folder = folder.absolute()
    except OSError as error:
        raise UsageError(f"{folder} is relative to a folder that is gone ({error.strerror}); name it in full") from None
    known = {f.name: str(f.type) for f in fields(Settings) if f.name not in ("data_dir", "limits")}
    path = folder / "ninefold.toml"
    values = _written(path)
    for key in values:
        if key not in known and not key.startswith(_LIMIT):
            names = sorted(known)
            raise UsageError(f"{path}: unknown setting {key!r}{meant(key, names)}; known are {', '.join(names)}")
    for key in known:
        if (text := os.environ.get(f"NINEFOLD_{key.upper()}")) is not None:
            values[key] = text
    prefix = f"NINEFOLD_{_LIMIT.upper()}"
    values |= {k.removeprefix("NINEFOLD_").lower(): text for k, text in os.environ.items() if k.startswith(prefix)}
    values |= {key: value for key, value in (flags or {}).items() if value is not None}
    limits = {key.removeprefix(_LIMIT): _number(key, values.pop(key)) for key in list(values) if key.startswith(_LIMIT)}
    plain = {key: _checked(key, value, known[key]) for key, value in values.items()}
    settings = Settings(folder, limits=limits, **plain)
    _demand_agreement(settings)
    return settings


_DAYS = "0 is for ever"
RANGES: dict[str, tuple[float, float, str]] = {
    # Upper bounds catch a wrong unit, and keep every date that is computed from them within the calendar.
    "port": (0, 65535, "0 is any free one"),
    "grpc_port": (0, 65535, "0 is any free one"),
    "workers": (1, 1024, ""),
    "calls_at_once": (1, 1_000_000, ""),
    "wrong_tokens": (1, 1_000_000, ""),
    "metrics_port": (0, 65535, "0 is nowhere"),
    "lease_seconds": (1, 86_400, ""),
    "window": (1, 1000, ""),
    "keep_logs_days": (0, 36_500, _DAYS),
    "keep_replays_days": (0, 36_500, _DAYS),
    "keep_builds_days": (0, 36_500, _DAYS),
    "keep_images": (0, 100_000, ""),
    "blob_grace_hours": (0.0002, 876_000, ""),
    "tidy_seconds": (1, 2_592_000, ""),
    "log_mib": (0.01, 102_400, ""),
}
_HOST = r"\[[0-9a-fA-F:.]+(%[\w.-]+)?\]|[0-9a-fA-F]*:[0-9a-fA-F:.]+(%[\w.-]+)?|[^\s:/\[\]@]+"
_ADDRESS = r"(\[[^\s\[\]]+\]|[^\s:/\[\]@]+):\d{1,5}"
_NO_HOST = "it must be a host name or an address, without a port"
_NO_ADDRESS = "it must be host:port, an IPv6 address in brackets"
_SHAPES: dict[str, tuple[str, str]] = {
    # What a text must look like if it is not the default, and how to say so.
    "host": (_HOST, _NO_HOST),
    "metrics_host": (_HOST, _NO_HOST),
    "database_url": (r"postgresql\+psycopg://.+|sqlite:///.+", "it must be postgresql+psycopg://… or sqlite:///…"),
    "broker_url": (
        r"(rediss?|redis\+socket|sentinel|amqps?|pyamqp)://.+",
        "it must be redis://…, rediss://…, amqp://… or amqps://…",
    ),
    "base_image": ("debian|pull", "it is 'debian' or 'pull'"),
    "public_address": (_ADDRESS, _NO_ADDRESS),
    "referee_address": (rf"{_ADDRESS}|unix:.+", _NO_ADDRESS),
}


_HOSTS = ("host", "metrics_host")
_URLS = ("database_url", "broker_url", "blob_url")
"""What may hold a password, and is shown without."""


def _written(path: Path) -> dict[str, Any]:
    """What the file says; nothing if there is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); correct it or remove it") from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of thousands of digits
        raise UsageError(f"{path} is not valid TOML ({unread(error)}); correct it or remove it") from None
    except RecursionError:
        raise UsageError(f"{path} is not valid TOML (nested too deeply); correct it or remove it") from None


def _demand_agreement(settings: Settings) -> None:
    """Settings that make sense each by itself make sense together."""
    if settings.port == settings.grpc_port != 0:
        raise UsageError(
            f"settings 'port' and 'grpc_port' cannot both be {settings.port}: the dashboard and the command line's "
            "calls need a port each"
        )
    for one, other in (("tls_cert", "tls_key"), ("tls_key", "tls_cert")):
        if getattr(settings, one) and not getattr(settings, other):
            raise UsageError(
                f"setting {one!r} is {getattr(settings, one)!r} but {other!r} is not set: TLS needs both files; set "
                f"{other!r} too, or neither"
            )


def _number(key: str, value: Any) -> float:
    number = float(_convert(key, value, "float"))
    return int(number) if number.is_integer() else number


def _checked(key: str, value: Any, kind: str) -> Any:
    """The value as what the setting is made of, if it is one of those allowed."""
    made = _convert(key, value, kind)
    if key in RANGES:
        low, high, note = RANGES[key]
        if not low <= made <= high:
            said = f"it must lie in {low}–{high}" + (f", where {note}" if note else "")
            raise UsageError(f"setting {key!r} cannot be {_shown(value)}: {said}")
    if key in _SHAPES and made != Settings.__dataclass_fields__[key].default:
        shape, said = _SHAPES[key]
        if not re.fullmatch(shape, made):
            shown = _url_shown(value) if key in _URLS else _shown(value)
            raise UsageError(f"setting {key!r} cannot be {shown}; {said}")
    if key in _URLS:
        _demand_url(key, made)
    if key in _HOSTS:  # brackets are for where a port follows
        return made.removeprefix("[").removesuffix("]")
    return made


def _demand_url(key: str, url: str) -> None:
    """The address of a server says where its password ends and which port is meant: libraries would guess, and tell."""
    known, at, place = url.partition("://")[2].partition("?")[0].rpartition("@")
    if at and re.search("[/@#]", known):
        how = "in a user's name and password '@' is written %40, '/' %2F and '#' %23"
        raise UsageError(f"setting {key!r} cannot be {_url_shown(url)}: {how}")
    port = re.fullmatch(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::(\d*))?", place.partition("/")[0])
    if at and (port is None or int(port[1] or 0) > 65535):
        raise UsageError(f"setting {key!r} cannot be {_url_shown(url)}: there is no such host or port")


def _url_shown(value: Any) -> str:
    """An address that may not even be one, without anything before an @."""
    shown = _shown(value)
    return shown if "://" in shown else re.sub(r"[^\s'\"]*@", "…@", shown)


def _convert(key: str, value: Any, kind: str) -> Any:
    """The value as an `int`, a finite `float` or a `str`; numbers may be written as texts, as in the environment."""
    try:
        if kind == "str" and isinstance(value, str) and value.isprintable():
            return value
        if kind == "int" and isinstance(value, (int, str)) and not isinstance(value, bool):
            return int(value)
        if kind == "float" and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    wanted = {"int": "a whole number", "float": "a finite number", "str": "a text on one line"}[kind]
    raise UsageError(f"setting {key!r} cannot be {_shown(value)}: {wanted} is needed")


def _shown(value: Any) -> str:
    """The value for a message: short, and without the password of an address."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return "a number that long"
    text = masked(text)
    return text if len(text) <= 80 else f"{text[:79]}…"
