"""A long league in a short time: challenges, uploads, refusals and viewers without end, everything kept for seconds only.
Between batches the league rests and is measured: memory, files, sockets, threads, containers, connections and disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlmodel import Session, func, select

from protos.ninefold.v1 import league_pb2 as pb
from referee.cli.bots import _follow, _upload, archive_of
from referee.cli.client import Address, League
from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.engine import Store, database_url
from referee.store.models import Match, MatchLog, Replay
from referee.store.queries import status
from referee.store.queries.tournaments import tournament
from tests.league.flat import TOLERANCES, Record, of_folders, of_process
from tests.league.running import SAMPLES, Ninefold, wait_for
from tests.services import Postgres

SECONDS = 2.0
"""So long things are kept that are kept for months in a real league."""
DAYS = str(SECONDS / 86_400)
KEPT_SHORT = {
    "NINEFOLD_KEEP_LOGS_DAYS": DAYS, "NINEFOLD_KEEP_REPLAYS_DAYS": DAYS, "NINEFOLD_KEEP_BUILDS_DAYS": DAYS,
    "NINEFOLD_BLOB_GRACE_HOURS": str(1 / 3600), "NINEFOLD_TIDY_SECONDS": "1", "NINEFOLD_LOG_MIB": "0.02", "NINEFOLD_WORKERS": "2",
}  # fmt: skip
PARTS = {
    "referee": b"referee.service.server", "worker": b"-m worker play", "builder": b"-m worker build",
    "conductor": b"worker.conductor", "dashboard": b"streamlit", "supervisor": b"referee.cli.main up",
}  # fmt: skip
ROW_KIB = 6.0
"""What a match may leave in the database for good: its rows, those of its tournament, and their indexes."""
WARM_UP = 3
pytestmark = pytest.mark.timeout(6_000)


class Long:
    """The league, and what of it can be measured."""

    def __init__(self, folder: Path, sandbox: str, postgres: Postgres | None) -> None:
        self.postgres, self.sandbox = postgres, sandbox
        more = {"NINEFOLD_DATABASE_URL": postgres.database()} if postgres else {}
        self.line = Ninefold(folder / "data", **KEPT_SHORT, **more)
        self.line.up("--sandbox", sandbox)
        settings = Settings(self.line.data, database_url=more.get("NINEFOLD_DATABASE_URL", ""))
        self.store, self.blobs = Store(database_url(settings)), Blobs(settings)
        self.address = str(json.loads((self.line.data / "league.json").read_text())["address"])
        self.token = (self.line.data / "owner.token").read_text().strip()
        self.pids = {name: self._pid(words) for name, words in PARTS.items()}
        self.played = 0

    def _pid(self, words: bytes) -> int:
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().replace(b"\0", b" ")
                environment = (path.parent / "environ").read_bytes()
            except OSError:
                continue
            if words in line and f"NINEFOLD_DATA={self.line.data}".encode() in environment:
                found.append(int(path.parent.name))
        assert found, words
        return min(found)

    def connect(self) -> League:
        return League(Address(self.address, self.token, False, None, "test"))

    def batch(self, challenges: int = 4) -> None:
        """Everything that users do, and the league at rest again."""
        with self.connect() as league:
            unlimited = ("submissions_per_hour", "submissions_per_day", "challenges_per_hour", "challenges_at_once")
            league.read("SetQuota", pb.QuotaRequest(user="owner", quota=dict.fromkeys(unlimited, 10**6)))
            names = [
                league.read("Challenge", pb.ChallengeRequest(bot="greedy", opponent="suit-keeper", matches=2, request_id=os.urandom(8).hex()))["name"]
                for _ in range(challenges)
            ]  # fmt: skip
            self.played += 2 * challenges
            verdict = _follow(league, _upload(league, os.urandom(60_000), "", quiet=True).submission, quiet=True)
            assert (verdict["state"], verdict["stage"]) == ("refused", "unpack")
            verdict = _follow(league, _upload(league, archive_of(SAMPLES / "nines/greedy"), "", quiet=True).submission, quiet=True)
            assert verdict["state"] == "admitted"
            for path in (f"/data/standings/{names[0]}.json", f"/data/matches/{names[0]}.json", "/"):
                urllib.request.urlopen(self.line.page + path, timeout=60).read()
            list(zip(range(3), league.stream("WatchTournament", pb.TournamentKey(name=names[-1])), strict=False))
        for name in names:
            wait_for(lambda name=name: tournament(self.store, name)["state"] == "done", 300, every=0.1)
        wait_for(self._at_rest, 120, every=0.2)

    def _at_rest(self) -> bool:
        """Retention is done with everything, and nothing is being played."""

        def left(session: Session) -> int:
            return sum(int(session.exec(select(func.count()).select_from(model)).one()) for model in (Replay, MatchLog))

        return self.store.fetch(left) == 0 and self.blobs.aside() == [] and len(self.blobs.sizes()) <= self.blobs_in_use

    @property
    def blobs_in_use(self) -> int:
        """One archive and one build log of each of two bots; in containers an image's description and layers too."""
        return 4 if self.sandbox == "shipped" else 20

    def sample(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, pid in self.pids.items():
            assert Path(f"/proc/{pid}").exists(), f"{name} was restarted\n{self.line.logs()}"
            found |= of_process(pid, name)
        data = self.line.data
        found |= of_folders(data / name for name in ("blobs", "builds", "logs", "queue", "uploads"))
        logs = {path.name.partition(".")[0] for path in (data / "logs").iterdir()}
        found["folder logs files count"] = len(logs)  # each may have its predecessor beside it
        found["processes count"] = len(self.line.processes())
        found["database beyond its rows KiB"] = status.status(self.store)["disk"]["database_bytes"] / 1024 - ROW_KIB * self.played
        found["temporary files count"] = len(list(Path("/tmp").glob("nf-upload-*")))
        if self.sandbox == "docker":
            label = f"label=ninefold={(data / 'installation').read_text().strip()}"
            listed = subprocess.run(["docker", "ps", "-aq", "--filter", label], capture_output=True, text=True, check=True)
            found["containers count"] = len(listed.stdout.split())
        if self.postgres is not None:
            with psycopg.connect(self.postgres._url("postgres", "postgresql")) as connection:
                row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ninefold'").fetchone()
            assert row is not None
            found["database connections"] = row[0]
        return found


@pytest.fixture
def league(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Long]:
    sandbox, database = request.param
    made = Long(tmp_path, sandbox, request.getfixturevalue("postgres_server") if database == "postgres" else None)
    try:
        yield made
    except BaseException:
        print(made.line.logs())
        raise
    finally:
        made.store.close()
        assert made.line.league is not None
        if made.line.league.poll() is None:
            made.line.down()


@pytest.mark.parametrize(
    ("league", "batches"),
    [
        pytest.param(("shipped", "sqlite"), 6, id="a minute"),
        pytest.param(
            ("docker", "postgres"), 60, id="in containers",
            marks=[pytest.mark.long, pytest.mark.docker, pytest.mark.postgres],
        ),
    ],
    indirect=["league"],
)  # fmt: skip
def test_a_long_league_stays_as_it_is(league: Long, batches: int) -> None:
    with league.connect() as owner:
        for bot in ("nines/greedy", "nines/suit-keeper"):
            number = _upload(owner, archive_of(SAMPLES / bot), "", quiet=True).submission
            assert _follow(owner, number, quiet=True)["state"] == "admitted"
    record = Record()
    for number in range(WARM_UP + batches):
        league.batch()
        if number >= WARM_UP:
            record.samples.append(league.sample())
    assert record.rises() == [], json.dumps(record.samples, indent=1)
    assert status.deep(league.store) == []
    assert [line for line in status.status(league.store)["problems"] if "silent" not in line] == []

    def matches(session: Session) -> int:
        return int(session.exec(select(func.count()).select_from(Match)).one())

    assert league.store.fetch(matches) == league.played, "no result is ever removed"


LEAK = """
import os, sys, threading, time
kept, folder = [], sys.argv[1]
print("ready", flush=True)
for number in range(10_000):
    kept.append(bytearray(os.urandom(1 << 20)))
    kept.append(open("/dev/null"))
    kept.append(__import__("socket").socket())
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    open(f"{folder}/{number}", "wb").write(bytes(100_000))
    sys.stdin.readline()
"""


def test_a_planted_leak_is_seen(tmp_path: Path) -> None:
    """Of each kind, in a real process, with as many samples as the league gives; and what is flat is not accused."""
    folder = tmp_path / "disk"
    folder.mkdir()
    leaking: Any = subprocess.Popen([sys.executable, "-c", LEAK, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert leaking.stdout.readline() == "ready\n"
        record = Record()
        for number in range(1, 10):
            for _ in range(2):
                leaking.stdin.write("\n")
                leaking.stdin.flush()
            wait_for(lambda number=number: (folder / str(2 * number)).exists(), 60, every=0.01)
            time.sleep(0.05)
            record.samples.append({**of_process(leaking.pid, "leak"), **of_folders([folder]), **of_process(os.getpid(), "own")})
        accused = record.rises()
    finally:
        leaking.kill()
        leaking.wait(20)
        leaking.stdin.close()
        leaking.stdout.close()
    expected = ("folder disk KiB", "folder disk files count", "leak handles", "leak memory MiB", "leak sockets", "leak threads")
    assert [line.partition(" rose")[0] for line in accused] == sorted(expected)


@pytest.mark.parametrize("kind", sorted(TOLERANCES))
def test_a_slow_rise_is_a_rise_and_noise_is_none(kind: str) -> None:
    edge = TOLERANCES[kind]
    slow = Record([{f"x {kind}": 100 + number * edge / 5} for number in range(9)])
    noise = Record([{f"x {kind}": 100 + (number % 3) * edge / 2} for number in range(9)])
    assert (len(slow.rises()), noise.rises()) == (1, [])
