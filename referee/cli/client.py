"""Reaching a league: the one of a data folder, or a remote one; every call has a deadline, every error one sentence."""

from __future__ import annotations

import json
import os
import time
import tomllib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc

from protos.ninefold.v1 import league_pb2, league_pb2_grpc
from referee.cli.output import warn
from referee.errors import NinefoldError, Unreachable, UsageError
from referee.settings import Settings, joined, load
from referee.version import VERSION
from referee.wording import unread

CALL_SECONDS = 30.0
STREAM_SECONDS = 24 * 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_USAGE_CODES = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE)
_LOST_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
MAX_MESSAGE = 16 << 20


class Declined(NinefoldError):
    """The league answered no; the sentence is the league's."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a league listens and how to be let in. `token` may be empty; `certificate` is a CA file for TLS."""

    target: str
    token: str = field(repr=False)
    tls: bool
    certificate: Path | None
    origin: str


def credentials_path() -> Path:
    """Where `ninefold login` keeps the address and token of a remote league, mode 0600."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "ninefold" / "credentials.toml"


def find(data_dir: Path | None = None) -> Address:
    """The league to talk to: `NINEFOLD_SERVER`, else the one of the data folder, else where `ninefold login` went.

    `NINEFOLD_TOKEN` says who calls, whichever league it is; without it the owner calls, or who logged in.
    """
    settings, token = load(data_dir), os.environ.get("NINEFOLD_TOKEN", "").strip()
    if server := os.environ.get("NINEFOLD_SERVER"):
        ca = os.environ.get("NINEFOLD_CA")
        return address(server, token, Path(ca) if ca else None, "NINEFOLD_SERVER")
    if data_dir is None and not (settings.data_dir / "league.json").exists() and credentials_path().exists():
        server, known, ca = _kept(credentials_path())
        return address(server, token or known, Path(ca) if ca else None, str(credentials_path()))
    return _local(settings, token)


def address(server: str, token: str, certificate: Path | None, origin: str) -> Address:
    """The parts of an address such as `https://league.example:7009`; plain text is refused beyond this machine."""
    try:
        parts = urlsplit(server if "://" in server else f"//{server}")
        host = parts.hostname
    except ValueError:  # brackets that do not close, or hold no address
        host = None
    if not host or not server.isprintable() or parts.scheme not in ("", "http", "https", "grpc", "grpcs"):
        raise UsageError(f"{origin}: {server!r} is no address; write https://host:port, an IPv6 address in brackets")
    try:
        port = parts.port or 7009
    except ValueError:
        raise UsageError(f"{origin}: {server!r} has no valid port; write https://host:port") from None
    tls = parts.scheme in ("https", "grpcs") or certificate is not None
    if not tls and host not in _LOOPBACK:
        where = parts.netloc.rpartition("@")[2]
        raise UsageError(f"{origin}: {server!r} would send the token in plain text; write https://{where}")
    if certificate is not None and not certificate.is_file():
        raise UsageError(f"the certificate file {str(certificate)!r} does not exist; name the league's CA file")
    return Address(joined(host, port), token, tls, certificate, origin)


def _kept(path: Path) -> tuple[str, str, str]:
    """Server, token and CA file, as `ninefold login` wrote them down."""
    try:
        kept = tomllib.loads(path.read_text(encoding="utf-8"))
        return str(kept["server"]), str(kept["token"]), str(kept.get("ca") or "")
    except KeyError as error:
        why = f"it has no {error.args[0]}"
    except (OSError, ValueError, RecursionError) as error:
        why = unread(error)
    raise UsageError(f"{path} cannot be read ({why}); write it anew with `ninefold login`")


def _local(settings: Settings, token: str) -> Address:
    path = settings.data_dir / "league.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        token = token or Path(document["token_file"]).read_text(encoding="utf-8").strip()
        # with TLS the certificate names the league, not this machine: then in by the door that only this user can open
        where = document["referee"] if document.get("tls") else document["address"]
        return Address(str(where), token, False, None, str(settings.data_dir))
    except FileNotFoundError:
        if _held(settings.data_dir / "lock"):
            raise Unreachable(f"the league in {settings.data_dir} is just starting; try again in a moment") from None
        raise Unreachable(
            f"no league runs in {settings.data_dir}; start one with `ninefold up`, "
            "or name a remote one in NINEFOLD_SERVER"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreachable(f"{path} cannot be read ({error}); restart the league with `ninefold up`") from None


def _held(lock: Path) -> bool:
    """Whether a league holds the lock of its data folder: it is being started, runs, or is ending.

    The lock is looked up, not tried: a try that succeeds would be in the way of a league that starts just now.
    """
    try:
        place = f":{lock.stat().st_ino} "
        return any(place in line and "FLOCK" in line for line in Path("/proc/locks").read_text().splitlines())
    except OSError:
        return False


class League:
    """One connection to a league, for one command. Use it in a `with` block."""

    def __init__(self, where: Address) -> None:
        self.where = where
        options = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.enable_retries", 1)]
        if where.tls:
            root = where.certificate.read_bytes() if where.certificate else None
            self._channel = grpc.secure_channel(where.target, grpc.ssl_channel_credentials(root), options)
        else:
            self._channel = grpc.insecure_channel(where.target, options)
        self.stub = league_pb2_grpc.LeagueStub(self._channel)  # type: ignore[no-untyped-call]

    @classmethod
    def connect(cls, data_dir: Path | None = None, *, patience: float = 0.0) -> League:
        """A connection to the league that `find` names, its version compared with ours.

        A league that does not answer is asked again for `patience` seconds: it may just be starting again.
        """
        league = cls(find(data_dir))
        about = league._about(time.monotonic() + patience)
        if about["api"] != league_pb2.DESCRIPTOR.package:
            league.close()
            raise Unreachable(
                f"the league at {league.where.target} speaks {about['api']}, this client (version {VERSION}) speaks "
                f"{league_pb2.DESCRIPTOR.package}; install version {about['version']}"
            )
        league.version = str(about["version"])
        if league.version != VERSION:
            warn(f"the league runs version {league.version} and this client is {VERSION}; what one of them lacks fails")
        return league

    version: str = ""

    def _about(self, until: float) -> dict[str, Any]:
        while True:
            try:
                about: dict[str, Any] = self.read("About", league_pb2.AboutRequest(client_version=VERSION))
                return about
            except Unreachable:
                if time.monotonic() >= until:
                    self.close()
                    raise
                time.sleep(0.5)

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._channel.close()

    @property
    def metadata(self) -> list[tuple[str, str]]:
        return [("authorization", f"Bearer {self.where.token}")] if self.where.token else []

    def call(self, method: str, request: Any, *, seconds: float = CALL_SECONDS) -> Any:
        """The answer to one call, or the league's sentence as an error."""
        try:
            return getattr(self.stub, method)(request, timeout=seconds, metadata=self.metadata)
        except grpc.RpcError as error:
            raise self.explained(error) from None

    def read(self, method: str, request: Any, *, seconds: float = CALL_SECONDS) -> Any:
        """The document that answers one call."""
        return json.loads(self.call(method, request, seconds=seconds).json)

    def stream(self, method: str, request: Any, *, seconds: float = STREAM_SECONDS) -> Iterator[Any]:
        """The messages that answer one call, as they come."""
        call = getattr(self.stub, method)(request, timeout=seconds, metadata=self.metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise self.explained(error) from None
        finally:
            call.cancel()

    def explained(self, error: grpc.RpcError) -> NinefoldError:
        """The error in one sentence, of the kind that decides the exit code."""
        code, details = error.code(), error.details() or ""
        if code in _LOST_CODES:
            return Unreachable(
                f"the league at {self.where.target} (from {self.where.origin}) does not answer "
                f"({details or code.name}); see that it runs (`ninefold up`) and try again"
            )
        if code is grpc.StatusCode.UNAUTHENTICATED:
            return Declined(f"the league at {self.where.target} does not know this token: {details}")
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return Declined(
                f"the league at {self.where.target} does not know this call: it runs version "
                f"{self.version or 'unknown'}, this client {VERSION}"
            )
        if code in _USAGE_CODES:
            return UsageError(details)
        return Declined(details or f"the league answered {code.name}")


def request_id() -> str:
    """A fresh id for one command: sent again after a lost connection, it is carried out once."""
    return uuid.uuid4().hex
