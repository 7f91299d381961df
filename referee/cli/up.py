"""`ninefold up`: referee, worker, builder, conductor and dashboard of one league under one supervisor."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EADDRINUSE
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.output import INTERRUPTED, NEGATIVE, command, say, told, warn
from referee.errors import PlatformFault, UsageError
from referee.settings import Settings, load

if TYPE_CHECKING:
    from referee.store.engine import Store

app = typer.Typer(add_completion=False)

STOP_SECONDS = 9.0
"""Everything has ended this long after Ctrl-C; what has not by then is killed."""
START_SECONDS = 60.0
CALM_SECONDS = 60.0
"""A part that ran this long is restarted at once; one that keeps failing waits longer each time."""
_PR_SET_PDEATHSIG = 1


@app.command()
@command
def up(
    data: Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")] = None,
    port: Annotated[int | None, typer.Option(help="Of the dashboard (8501).")] = None,
    grpc_port: Annotated[int | None, typer.Option(help="Of the command line's calls (7009).")] = None,
    workers: Annotated[int | None, typer.Option(help="Fixtures played at once.")] = None,
    sandbox: Annotated[
        str, typer.Option(help="docker; `shipped` plays the sample bots only, without containers.")
    ] = "docker",
) -> None:
    """Run a league on this machine until Ctrl-C."""
    from referee import logs  # `serve` needs none

    logs.configure()
    settings = load(data, {"port": port, "grpc_port": grpc_port, "workers": workers})
    if sandbox not in ("docker", "shipped"):
        raise UsageError(f"--sandbox {sandbox!r} is unknown; use docker or shipped")
    with locked(settings.data_dir):
        close_to_others(settings.data_dir)
        demand_ports(settings)
        os.umask(0o077)  # for all that this process and the parts write; what a bot must reach is opened to it there
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)  # before anything runs they are as good as Ctrl-C
        settings = prepare(settings, sandbox)
        league = Supervisor(settings, sandbox)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: league.stop())
        code = league.run()
    if code:
        raise typer.Exit(code)


@contextmanager
def locked(folder: Path) -> Iterator[int]:
    """This process alone runs the league of that data folder; the descriptor that says so."""
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise UsageError(
            f"the data folder {folder} cannot be used ({error.strerror}); name another with --data"
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            raise UsageError(
                f"a league already runs in {folder} (pid {pid or 'unknown'}); stop it first, or name another folder"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def close_to_others(folder: Path) -> None:
    """Nobody else can look into a data folder of this user: in it are the seeds of matches to come.

    A folder that plainly serves more than a league (`/`, a home, one for everybody's temporary files) stays as it is.
    """
    found = folder.stat()
    shared = found.st_mode & stat.S_ISVTX or folder.resolve() in (Path("/"), Path.home().resolve())
    if found.st_uid == os.geteuid() and not shared:
        folder.chmod(0o700)


def demand_ports(settings: Settings) -> None:
    """Nobody listens yet where the league is going to; `UsageError` names the port, before anything is built."""
    for port, whose, option in (
        (settings.port, "the dashboard", "--port"),
        (settings.grpc_port, "the command line", "--grpc-port"),
    ):
        try:
            family, kind, _, _, where = socket.getaddrinfo(settings.host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(where)
        except OSError as error:
            taken = error.errno == EADDRINUSE
            why = "is taken by another program" if taken else f"cannot be used ({error.strerror})"
            raise UsageError(
                f"port {port} on {settings.host}, for {whose}, {why}; choose another with {option}"
            ) from None


def prepare(settings: Settings, sandbox: str) -> Settings:
    """The store is open to all parts, the owner has a token, the base image is there."""
    from referee.store.commands import accounts
    from referee.store.queries import accounts as account_queries
    from referee.store.schema import open_store

    store = open_store(settings)
    try:
        token = settings.data_dir / "owner.token"
        if not any(user["name"] == "owner" for user in account_queries.users(store)):
            accounts.add_user(store, "owner", "organiser", by="up")
        if _opens_nothing(store, token):  # revoked, or of another database: whoever has the folder must get in
            token.unlink(missing_ok=True)
            accounts.set_banned(store, "owner", False, reason="the league was started from its folder", by="up")
            text = accounts.create_token(store, "owner", label="of the data folder", by="up")
            with os.fdopen(os.open(token, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(text + "\n")
    finally:
        store.close()
    (settings.data_dir / "logs").mkdir(exist_ok=True)
    (settings.data_dir / "league.json").unlink(missing_ok=True)
    if sandbox == "docker":
        _base_image(settings)
    else:
        warn(
            "NO CONTAINERS: only the sample bots that Ninefold ships are played, as plain processes; "
            "submissions of other bots are refused"
        )
    return settings


def _opens_nothing(store: Store, token: Path) -> bool:
    """Whether there is no token in that file, or none of an organiser's that the league would accept."""
    from referee.store.commands import accounts

    try:
        account = accounts.authenticate(store, token.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return True
    return account is None or not account.organiser


def _base_image(settings: Settings) -> None:
    """The base image is there, made with progress if not; without an engine the league runs but plays nothing."""
    from referee.sandbox.engine import Engine
    from referee.sandbox.image import ensure_base

    try:
        engine = Engine()
    except PlatformFault as fault:
        warn(f"{fault.reason}: the league runs, but nothing is built or played until an engine answers")
        return
    try:
        with told("base image") as tell:
            ensure_base(engine, tell, settings.pull_base)
    finally:
        engine.api.close()


@dataclass
class Part:
    """One program of the league: how it is started, and how it has fared."""

    name: str
    argv: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    again_at: float = 0.0


class Supervisor:
    """Keeps the parts of a league running until it is told to stop, then ends them all."""

    def __init__(self, settings: Settings, sandbox: str = "docker") -> None:
        self.settings, self._stopping = settings, False
        python, data = sys.executable, str(settings.data_dir)
        where = {
            "NINEFOLD_GRPC_PORT": str(settings.grpc_port),
            "NINEFOLD_PORT": str(settings.port),
            "NINEFOLD_WORKERS": str(settings.workers),
            "NINEFOLD_DATA": data,
        }
        from dashboard import launch

        ready = str(settings.data_dir / "league.json")
        self.referee = Part(
            "referee",
            [python, "-m", "referee.service.server", "--data", data, "--ready", ready, "--sandbox", sandbox],
            where,
        )
        self.others = [
            Part("worker", [python, "-m", "worker", "play", "--data", data], where),
            Part("builder", [python, "-m", "worker", "build", "--data", data], where),
            Part("conductor", [python, "-m", "worker.conductor", "--data", data], where),
            Part("dashboard", launch.command(settings), where | launch.environment(settings)),
        ]

    @property
    def parts(self) -> list[Part]:
        return [self.referee, *self.others]

    def stop(self) -> None:
        """The league is to end; safe in a signal handler."""
        self._stopping = True

    def run(self) -> int:
        """Starts everything, keeps it running, ends everything; the exit code: 0 if it has run until it was stopped."""
        try:
            self._start(self.referee)
            if not self._announced():
                return INTERRUPTED if self._stopping else NEGATIVE
            for part in self.others:
                self._start(part)
            say(f"the league runs: dashboard {self.settings.page}, data in {self.settings.data_dir}; Ctrl-C ends it")
            sys.stdout.flush()
            while not self._stopping:
                with suppress(OSError):  # a full disk takes neither logs nor words: the next look tries again
                    self._look()
                time.sleep(0.2)
        finally:
            self._end()
        return 0

    def _announced(self) -> bool:
        """The referee has written down where it listens."""
        ready, until = self.settings.data_dir / "league.json", time.monotonic() + START_SECONDS
        while not ready.exists():
            if self._stopping:
                return False
            process = self.referee.process
            if (process is not None and process.poll() is not None) or time.monotonic() > until:
                warn(f"the referee did not start: {self._last_line(self.referee)}")
                return False
            time.sleep(0.05)
        return True

    def _start(self, part: Part) -> None:
        with self._log(part).open("ab") as out:
            part.process = subprocess.Popen(
                part.argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={**os.environ, **part.environment},
                start_new_session=True,  # Ctrl-C is for the supervisor to act on
                preexec_fn=_end_with_parent,  # nothing here holds a channel, server or connection
            )
        part.started = time.monotonic()

    def _look(self) -> None:
        """A part that has ended is started again, later each time if it keeps failing."""
        now = time.monotonic()
        for part in self.parts:
            process = part.process
            _bound(self._log(part), self.settings.log_mib)
            if process is not None and process.poll() is not None:
                part.failures = 1 if now - part.started > CALM_SECONDS else part.failures + 1
                part.again_at = now + min(2 ** (part.failures - 1) - 1, 60)
                part.process = None
                warn(f"{part.name} ended (code {process.returncode}): {self._last_line(part)}; it is started again")
            if part.process is None and now >= part.again_at:
                self._start(part)

    def _log(self, part: Part) -> Path:
        return self.settings.data_dir / "logs" / f"{part.name}.log"

    def _last_line(self, part: Part) -> str:
        try:
            lines = self._log(part).read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it said nothing")

    def _end(self) -> None:
        """Every part has ended: those that ask first, then the referee, which ends what is in play."""
        until = time.monotonic() + STOP_SECONDS
        for group in (self.others, [self.referee]):
            for part in group:
                if part.process is not None and part.process.poll() is None:
                    part.process.terminate()
            share = until - (3.0 if group is self.others else 0.0)
            while time.monotonic() < share and any(p.process is not None and p.process.poll() is None for p in group):
                time.sleep(0.05)
        for part in self.parts:
            if part.process is not None and part.process.poll() is None:
                warn(f"{part.name} did not end in time and is killed")
                os.killpg(part.process.pid, signal.SIGKILL)
                part.process.wait()
        (self.settings.data_dir / "league.json").unlink(missing_ok=True)


def _bound(log: Path, mib: float) -> None:
    """A log of that size is put away beside itself and goes on empty; its program, which only appends, notices nothing.

    What is written in the moment between is lost; a league's log is for reading, not for keeping accounts.
    """
    with suppress(OSError):
        if log.stat().st_size > mib * 2**20:
            shutil.copyfile(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)


def _end_with_parent() -> None:
    """In the child: it gets SIGTERM when the supervisor dies, however that comes about."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
