"""A whole league whose every part is a process of ours, so that any of them can be killed, stopped and restarted."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker
import grpc

from protos.ninefold.v1 import referee_pb2, referee_pb2_grpc
from referee.cli.up import prepare
from referee.sandbox.engine import Engine
from referee.sandbox.image import base_tag, ensure_base
from referee.service import client
from referee.settings import load
from referee.store.commands import tournaments
from referee.store.engine import Store, database_url
from referee.store.queries import matches, standings, status
from referee.store.queries.tournaments import tournament
from tests.chaos import parts
from tests.chaos.parts import ROOT, Part, Program
from tests.engines import PrivateEngine, private_engine
from tests.services import Postgres, Redis

BOTS = {"greedy": "nines/greedy", "suit-keeper": "nines/suit-keeper", "random": "both/random"}
"""Deterministic, or seeded by the referee: the same deals give the same records."""
LEASE_SECONDS = 8.0
SLOTS = 2


@dataclass
class Kind:
    """What a league is made of."""

    database: str = "sqlite"
    broker: str = "embedded"
    sandbox: str = "docker"
    engine: str = "machine"
    """`machine`: the engine that is there, which is never touched; `private`: one of its own, killed like the rest."""


@dataclass
class Findings:
    """What a league has come to, and what it left behind."""

    digests: dict[str, str] = field(default_factory=dict)
    standings: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)


class League:
    """The parts by name. `workers` says how many of them play, each `SLOTS` fixtures at once."""

    def __init__(self, folder: Path, kind: Kind, stack: ExitStack, *, rng: random.Random, workers: int = 2) -> None:
        self.folder, self.kind, self.workers = folder, kind, workers
        self.data = folder / "data"
        self.scratch = folder / "t"
        self.scratch.mkdir()
        (self.data / "logs").mkdir(parents=True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("NINEFOLD_")} | {
            "NINEFOLD_DATA": str(self.data),
            "NINEFOLD_GRPC_PORT": "0",
            "NINEFOLD_WORKERS": str(SLOTS),
            "NINEFOLD_MACHINE": "chaos",
            "NINEFOLD_LEASE_SECONDS": str(LEASE_SECONDS),
            "TMPDIR": str(self.scratch),
            "XDG_RUNTIME_DIR": "",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'sample_bots'}",
        }
        servers: list[Part] = []
        if kind.engine == "private":
            engine = self._engine(stack)
            servers.append(parts.Dockerd(engine))
            self.env["DOCKER_HOST"] = engine.host
        if kind.database == "postgres":
            servers.append(parts.PostgresDatabase(self._postgres(stack)))
        else:
            servers.append(parts.SqliteDatabase(self.data / "ninefold.db"))
        if kind.broker == "redis":
            servers.append(parts.RedisBroker(self._redis(stack)))
        else:
            servers.append(parts.FolderBroker(self.data / "queue"))
        data = str(self.data)
        referee = ["-m", "referee.service.server", "--data", data, "--ready", f"{data}/league.json", "--sandbox", kind.sandbox]
        self.referee = self._program("referee", referee, NINEFOLD_WORKERS=str(SLOTS * workers))
        self.programs = [
            self.referee,
            *(self._program(f"worker-{n}", ["-m", "worker", "play", "--name", f"worker-{n}"]) for n in range(1, workers + 1)),
            *(self._program(f"conductor-{n}", ["-m", "worker.conductor", "--name", f"conductor-{n}"]) for n in (1, 2)),
            self._program("builder", ["-m", "worker", "build"]),
        ]
        self.parts: list[Part] = [*self.programs, *servers, parts.MatchProcess(self.referee, rng)]
        self.settings = load(self.data, self._own_flags())
        self.url = database_url(self.settings)
        self.store: Store = None  # type: ignore[assignment]
        self.noted: list[str] = []
        self._seen: dict[str, str] = {}
        self._address, self._channel = "", None  # type: ignore[var-annotated]

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    def start(self) -> None:
        """The league runs, and its bots are admitted."""
        settings = prepare(self.settings, self.kind.sandbox)
        self.store = Store(database_url(settings))
        self.referee.start()
        self.wait(lambda: (self.data / "league.json").exists(), "the referee")
        for program in self.programs[1:]:
            program.start()

    def submit(self) -> None:
        """The bots are admitted; what of the league ends by itself meanwhile is started again."""
        for folder in BOTS.values():
            self.command("bot", "submit", str(ROOT / "sample_bots" / folder))

    def command(self, *arguments: str, code: int | None = 0, seconds: float = 240) -> subprocess.CompletedProcess[str]:
        """One command of the command line; its exit code must be that."""
        done = subprocess.run(
            [sys.executable, "-m", "referee.cli.main", *arguments],
            capture_output=True, text=True, timeout=seconds, env=self.env, cwd=self.folder,
        )  # fmt: skip
        assert code is None or done.returncode == code, (
            f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.logs()}"
        )
        return done

    def play(self, name: str, blocks: int, seed: int, matches_each: int = 1) -> None:
        """A tournament of all bots runs."""
        new = tournaments.NewTournament(
            name=name, game="nines", rules={}, blocks=blocks, matches_per_fixture=matches_each, seed=seed.to_bytes(32, "big")
        )
        tournaments.create_tournament(self.store, new, by="owner", request_id=f"create {name}")
        for bot in BOTS:
            tournaments.enter(self.store, name, bot, by="owner")
        tournaments.start(self.store, name, by="owner")

    def progress(self) -> dict[str, str] | None:
        """The stage of each fixture that the referee has in hand; None while it does not answer."""
        try:
            address = json.loads((self.data / "league.json").read_text())["referee"]
        except (OSError, ValueError, KeyError):
            return None
        if address != self._address:
            self._address, self._channel = address, client.channel(address)
        try:
            reply = referee_pb2_grpc.RefereeStub(self._channel).Running(referee_pb2.RunningRequest(), timeout=0.5)
        except grpc.RpcError:
            return None
        return {f.fixture_id: f.progress.stage for f in reply.fixtures}

    def phases(self) -> set[str]:
        """What the league is doing just now: `starting` and `playing` fixtures, and `ending` the ones that were played."""
        now = self.progress()
        if now is None:
            return set()
        found = {"playing" if stage == "playing" else "starting" for stage in now.values()}
        if any(stage == "playing" and fixture not in now for fixture, stage in self._seen.items()):
            found.add("ending")
        self._seen = now
        return found

    def look(self) -> None:
        """What ended without our doing is started again, as `ninefold up` does, and written down."""
        for part in self.parts:
            if said := part.look():
                self.noted.append(said)

    def wait(self, ready: Callable[[], Any], what: str, seconds: float = 240) -> None:
        """`ready()` has been true; the league is looked after meanwhile."""
        until = time.monotonic() + seconds
        while not ready():
            self.look()
            assert time.monotonic() < until, f"{what} did not come within {seconds:.0f} s\n{self.explain()}"
            time.sleep(0.1)

    def wait_done(self, name: str, seconds: float) -> None:
        """The tournament has ended and its last ratings are fitted."""

        def rated() -> bool:
            rated = standings.ratings(self.store, name)
            return rated is not None and rated["watermark"] == rated["matches"]

        self.wait(lambda: tournament(self.store, name)["state"] == "done", f"the end of {name}", seconds)
        self.wait(rated, f"the last ratings of {name}")

    def find(self, names: list[str]) -> Findings:
        """What the store holds of these tournaments, and whether its sums agree with its records."""
        found = Findings()
        for name in names:
            page = tournament(self.store, name)
            for what in ("cancelled_fixtures", "dropped_fixtures"):
                if page[what]:
                    found.faults.append(f"{name}: {page[what]} {what}")
            if page["done_fixtures"] != page["total_fixtures"]:
                found.faults.append(f"{name}: {page['done_fixtures']} of {page['total_fixtures']} fixtures done")
            before, rows = 0, []
            while some := matches.matches(self.store, matches.MatchFilter(tournament=name), before=before):
                rows += some
                before = some[-1]["key"]
            if len(rows) != len({row["match_id"] for row in rows}):
                found.faults.append(f"{name}: a match is there twice")
            found.faults += [f"{row['match_id']}: {row['state']} {row['cause']}" for row in rows if row["cause"] != "completed"]
            found.digests |= {row["match_id"]: row["canonical_sha256"] for row in rows}
            found.standings[name] = standings.standings(self.store, name)
        found.faults += status.deep(self.store)
        return found

    def end(self) -> list[str]:
        """Everything was asked to end and has; what did not end well, and what is left over."""
        found: list[str] = []
        for group in (self.programs[1:], [self.referee]):
            for program in group:
                program.send(signal.SIGTERM)
            for program in group:
                if program.process is not None and (code := program.wait(20)) != 0:
                    found.append(f"{program.name} ended with {code}\n{program.tail()}")
        return found + self.left_over()

    def left_over(self) -> list[str]:
        """Containers, processes, sockets and temporary folders of this league that are still there."""
        found = [f"process {pid}: {parts.command(pid)}" for pid in self.processes()]
        found += [f"temporary {path.relative_to(self.folder)}" for path in sorted(self.scratch.iterdir())]
        found += [f"upload folder {path.name}" for path in (self.data / "builds").glob("*")]
        found += [f"socket {path}" for path in self.data.rglob("*.sock")]
        if self.kind.sandbox == "docker":
            api = docker.APIClient(base_url=self.env.get("DOCKER_HOST"))
            label = (self.data / "installation").read_text()
            found += [f"container {row['Names']}" for row in api.containers(all=True, filters={"label": f"ninefold={label}"})]
            api.close()
        return found

    def processes(self) -> list[int]:
        """Every process that was started for this league's data folder, however detached."""
        mine, found = f"NINEFOLD_DATA={self.data}".encode(), []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mine in path.read_bytes().split(b"\0") and parts.command(int(path.parent.name)):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found

    def close(self) -> None:
        """No process of this league runs, whatever happened."""
        for part in self.parts:
            if part.how == "stop":
                part.heal()
        for program in self.programs:
            if program.alive:
                program.kill()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        if self.store is not None:
            self.store.close()
        if self.kind.sandbox == "docker" and (self.data / "installation").exists():
            self._remove_containers()

    def logs(self, lines: int = 25) -> str:
        return "\n".join(f"== {program.name}\n{program.tail(lines)}" for program in self.programs)

    def explain(self) -> str:
        """Why nothing goes on: what `status` says, and the logs."""
        try:
            found = json.dumps(status.status(self.store), default=str, indent=1)
        except Exception as error:
            found = repr(error)
        return f"{found}\n{self.noted[-10:]}\n{self.logs()}"

    def _program(self, name: str, arguments: list[str], **env: str) -> Program:
        return Program(name, arguments, {**self.env, **env}, self.data / "logs" / f"{name}.log")

    def _own_flags(self) -> dict[str, str]:
        keys = ("database_url", "broker_url", "machine")
        return {key: self.env[f"NINEFOLD_{key.upper()}"] for key in keys if f"NINEFOLD_{key.upper()}" in self.env}

    def _engine(self, stack: ExitStack) -> PrivateEngine:
        own = Engine()
        ensure_base(own)
        own.api.close()
        engine = stack.enter_context(private_engine())
        engine.load(base_tag())
        return engine

    def _postgres(self, stack: ExitStack) -> Postgres:
        folder = self.folder / "pg"
        folder.mkdir()
        server = Postgres(folder)
        server.start()
        stack.callback(server.stop)
        self.env["NINEFOLD_DATABASE_URL"] = server.database()
        return server

    def _redis(self, stack: ExitStack) -> Redis:
        folder = self.folder / "redis"
        folder.mkdir()
        server = Redis(folder)
        server.start()
        stack.callback(server.stop, signal.SIGKILL)
        self.env["NINEFOLD_BROKER_URL"] = server.url
        return server

    def _remove_containers(self) -> None:
        api = docker.APIClient(base_url=self.env.get("DOCKER_HOST"))
        label = (self.data / "installation").read_text()
        for row in api.containers(all=True, filters={"label": f"ninefold={label}"}):
            with suppress(docker.errors.NotFound):
                api.remove_container(row["Id"], force=True)
        for image in api.images(name=f"ninefold-bot-{label}"):
            for tag in image["RepoTags"] or []:
                api.remove_image(tag, force=True)
        api.close()


def private_engine_possible() -> bool:
    """Whether this user and machine can have a Docker engine of their own."""
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("dockerd", "containerd"))


@contextmanager
def league(kind: Kind, *, rng: random.Random | None = None, workers: int = 2) -> Iterator[League]:
    """A league in a folder of its own, for as long as the block lasts; nothing of it runs afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="nfc-", dir="/tmp"))
    folder.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        made = League(folder, kind, stack, rng=rng or random.Random(0), workers=workers)
        stack.callback(made.close)
        yield made
