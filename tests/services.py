"""Servers for tests: started on free ports in temporary folders when first asked for, ended by process id.

`store` and `store_url` come once for each database; `postgres_server`, `redis_url` and `rabbitmq_url` are the servers.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from referee.store import schema
from referee.store.engine import Store

START_SECONDS = 60.0


def free_port() -> int:
    """A port on 127.0.0.1 that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> None:
    """`ready()` has been true; fails the test if it is not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not come within {seconds:.0f} s")
        time.sleep(0.05)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key), "-out", str(cert),
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key


class Server:
    """A program that can be started again on the same port and folder after it was stopped or killed."""

    def __init__(self, folder: Path, command: list[str], env: dict[str, str] | None = None) -> None:
        self.folder, self.command = folder, command
        self.env = {**os.environ, **(env or {})}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.env, stdout=log, stderr=log, start_new_session=True
            )

    def stop(self, how: int = signal.SIGTERM) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
        self.process = None

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")[-2000:]


def _reachable(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Postgres(Server):
    """A PostgreSQL cluster of its own; as root it runs as user postgres, because it refuses root."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        programs = _postgres_programs()
        lower: list[str] = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            lower = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
        data = folder / "data"
        subprocess.run(
            [*lower, str(programs / "initdb"), "-D", str(data), "-U", "ninefold", "-A", "trust", "-N", "-E", "UTF8"],
            check=True,
            cwd=folder,
            capture_output=True,
        )
        options = ["fsync=off", "full_page_writes=off", "max_connections=200", "listen_addresses=127.0.0.1"]
        command = [str(programs / "postgres"), "-D", str(data), "-p", str(self.port), "-k", str(folder)]
        super().__init__(folder, [*lower, *command, *(word for option in options for word in ("-c", option))])
        self._made = 0

    def start(self) -> None:
        super().start()
        wait_until(self._answers, "PostgreSQL")

    def stop(self, how: int = signal.SIGINT) -> None:
        super().stop(how)  # SIGINT is PostgreSQL's fast shutdown

    def _answers(self) -> bool:
        try:
            psycopg.connect(self._url("postgres", "postgresql"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def database(self, template: str = "") -> str:
        """The address of a fresh database, a copy of `template` if one is given."""
        self._made += 1
        name = f"test_{os.getpid()}_{self._made}"
        # copying files is three times as quick as writing the copy to the log, which nobody reads here
        copy = f" TEMPLATE {template} STRATEGY FILE_COPY" if template else ""
        self.execute(f"CREATE DATABASE {name}{copy}")
        return self._url(name)

    def execute(self, statement: str) -> None:
        with psycopg.connect(self._url("postgres", "postgresql"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _url(self, database: str, scheme: str = "postgresql+psycopg") -> str:
        return f"{scheme}://ninefold@127.0.0.1:{self.port}/{database}"


def _postgres_programs() -> Path:
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


@pytest.fixture(scope="session")
def short_tmp() -> Iterator[Path]:
    """A temporary folder with a short path, readable by other users: sockets and servers need that."""
    folder = Path(tempfile.mkdtemp(prefix="nf-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server(short_tmp: Path) -> Iterator[Postgres]:
    """One PostgreSQL for all tests; stop and start it only in tests that start their own."""
    folder = short_tmp / "pg"
    folder.mkdir()
    server = Postgres(folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_template(postgres_server: Postgres) -> str:
    url = postgres_server.database()
    store = Store(url)
    schema.prepare(store)
    store.close()
    return url.rpartition("/")[2]


@pytest.fixture
def postgres_url(postgres_server: Postgres, postgres_template: str) -> Iterator[str]:
    """A fresh, empty league's database on PostgreSQL."""
    url = postgres_server.database(postgres_template)
    yield url
    postgres_server.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")


@pytest.fixture(scope="session")
def sqlite_template(short_tmp: Path) -> Path:
    path = short_tmp / "template.db"
    store = Store(f"sqlite:///{path}")
    schema.prepare(store)
    store.close()
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A fresh, empty league's database in a file."""
    shutil.copy(sqlite_template, tmp_path / "ninefold.db")
    return f"sqlite:///{tmp_path / 'ninefold.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest) -> str:
    """A fresh, empty league's database, once for each kind."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A fresh, empty store, once for each kind of database."""
    opened = Store(store_url)
    yield opened
    opened.close()


class Redis(Server):
    """A Redis without persistence: what it held is gone when it is restarted."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        super().__init__(folder, ["redis-server", *options, "--dir", str(folder)])
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        super().start()
        wait_until(lambda: _reachable(self.port), "Redis")


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[Redis]:
    """A Redis of this test's own, which may stop and start it."""
    server = Redis(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def redis_url(redis_server: Redis) -> str:
    """The address of a fresh Redis."""
    return redis_server.url


class RabbitMQ(Server):
    """A RabbitMQ node with its own port mapper, so that nothing of it outlives it."""

    def __init__(self, folder: Path) -> None:
        self.port, distribution, mapper = free_port(), free_port(), free_port()
        self.mapper = Server(folder, ["epmd", "-port", str(mapper), "-address", "127.0.0.1"])
        env = {
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(mapper),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"nf{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_BASE": str(folder),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }
        (folder / "enabled_plugins").write_text("[].\n")
        (folder / "rabbitmq.conf").write_text("")
        if os.geteuid() == 0:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, "rabbitmq", "rabbitmq")
        super().__init__(folder, ["rabbitmq-server"], env)
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        if self.mapper.process is None:
            self.mapper.start()
        super().start()
        wait_until(lambda: _reachable(self.port), "RabbitMQ", 120)

    def stop(self, how: int = signal.SIGTERM) -> None:
        pid_file = self.folder / "pid"
        node = int(pid_file.read_text()) if pid_file.exists() else None
        if node is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(node, how)
        super().stop(how)
        if node is not None:
            wait_until(lambda: not Path(f"/proc/{node}").exists(), "the end of RabbitMQ")
            pid_file.unlink(missing_ok=True)

    def close(self) -> None:
        self.stop()
        self.mapper.stop()


@pytest.fixture
def rabbitmq_server() -> Iterator[RabbitMQ]:
    """A RabbitMQ of this test's own, which may stop and start it."""
    folder = Path(tempfile.mkdtemp(prefix="nf-rabbit-"))
    folder.chmod(0o755)
    server = RabbitMQ(folder)
    try:
        server.start()
        yield server
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def rabbitmq_url(rabbitmq_server: RabbitMQ) -> str:
    """The address of a fresh RabbitMQ."""
    return rabbitmq_server.url
