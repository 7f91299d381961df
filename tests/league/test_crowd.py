"""Twenty authors submit at once over TLS while a tournament runs and viewers watch, and the referee and the database are
restarted: nothing is lost or doubled, and nobody sees another's anything."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from sqlmodel import Session, select

from protos.ninefold.v1 import league_pb2 as pb
from protos.ninefold.v1 import referee_pb2
from referee.cli.bots import _follow, _upload, archive_of
from referee.cli.client import Address, Declined, League
from referee.errors import NinefoldError, Unreachable, UsageError
from referee.store.commands import accounts
from referee.store.engine import Store
from referee.store.models import Bot, Match, Submission, User, Version
from referee.store.queries import status
from referee.store.queries.tournaments import fixtures as playing
from referee.store.queries.tournaments import tournament
from tests.league.running import SAMPLES, Ninefold, wait_for
from tests.services import Postgres, certificate

AUTHORS = 20
BY_COMMAND_LINE = 3
"""So many of them use the command line as a process each, the others its functions: processes cost a second each."""
pytestmark = [pytest.mark.postgres, pytest.mark.timeout(600)]


class Crowd:
    """A league on PostgreSQL under `ninefold up`, reached over TLS, with an account for everybody."""

    def __init__(self, folder: Path, postgres: Postgres, sandbox: str) -> None:
        self.folder, self.postgres, self.sandbox = folder, postgres, sandbox
        self.cert, key = certificate(folder)
        self.line = Ninefold(
            folder / "data",
            NINEFOLD_DATABASE_URL=postgres.database(),
            NINEFOLD_TLS_CERT=str(self.cert), NINEFOLD_TLS_KEY=str(key), NINEFOLD_WORKERS="2",
        )  # fmt: skip
        self.line.up("--sandbox", sandbox)
        self.store = Store(self.line.env["NINEFOLD_DATABASE_URL"])
        self.names = [f"author{number:02}" for number in range(AUTHORS)]
        self.tokens = {}
        for name in ("olga", *self.names):
            accounts.add_user(self.store, name, "organiser" if name == "olga" else "author", by="test")
            self.tokens[name] = accounts.create_token(self.store, name, by="test")

    @property
    def address(self) -> str:
        return str(json.loads((self.line.data / "league.json").read_text())["address"])

    def as_(self, who: str) -> League:
        return League(Address(self.address, self.tokens[who], True, self.cert, "test"))

    def environment(self, who: str) -> dict[str, str]:
        return {
            "NINEFOLD_SERVER": f"https://{self.address}", "NINEFOLD_CA": str(self.cert), "NINEFOLD_TOKEN": self.tokens[who],
        }  # fmt: skip

    def close(self) -> None:
        self.store.close()
        code = self.line.down()
        assert code == 0
        assert wait_for(lambda: not self.line.processes(), 20), self.line.processes()


@pytest.fixture
def crowd(request: pytest.FixtureRequest, short_tmp: Path, tmp_path: Path) -> Iterator[Crowd]:
    folder = short_tmp / "crowdpg"
    folder.mkdir(exist_ok=True)
    postgres = Postgres(folder)
    postgres.start()
    made = None
    try:
        made = Crowd(tmp_path, postgres, request.param)
        yield made
        made.close()
    finally:
        if made is not None and made.line.league is not None:
            print(made.line.logs())
            if made.line.league.poll() is None:
                made.line.down()
        postgres.stop()


class Viewers:
    """Somebody who follows whatever is played, and somebody who reads the dashboard's data, until told to stop."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd, self.stopping = crowd, threading.Event()
        self.updates = self.read = 0
        self.odd: list[str] = []
        self.threads = [threading.Thread(target=self._loop, args=(look,)) for look in (self._follow, self._read)]
        for thread in self.threads:
            thread.start()

    def _loop(self, look: Callable[[], None]) -> None:
        while not self.stopping.is_set():
            with suppress(OSError, grpc.RpcError, NinefoldError, ValueError):  # something is being restarted
                look()
            self.stopping.wait(0.3)

    def _follow(self) -> None:
        options = [("grpc.max_receive_message_length", 16 << 20)]
        credentials = grpc.ssl_channel_credentials(self.crowd.cert.read_bytes())
        with grpc.secure_channel(self.crowd.address, credentials, options) as channel:
            watch = channel.unary_stream(
                "/ninefold.v1.Referee/Watch",
                request_serializer=referee_pb2.WatchRequest.SerializeToString,
                response_deserializer=referee_pb2.WatchUpdate.FromString,
            )
            for row in playing(self.crowd.store, "cup", states=("running",)):
                if not self.stopping.is_set():
                    for update in watch(referee_pb2.WatchRequest(fixture_id=row["fixture_id"]), timeout=5):
                        self.updates += 1
                        if '"hand"' in update.json or '"seed"' in update.json:
                            self.odd.append(update.json)

    def _read(self) -> None:
        for path in ("/data/standings/cup.json", "/data/crosstable/cup.csv", "/data/matches/cup.json"):
            try:
                with urllib.request.urlopen(self.crowd.line.page + path, timeout=10) as answer:
                    body = answer.read()
                    self.read += answer.status == 200
            except urllib.error.HTTPError as error:
                body = error.read()
                if error.code not in (404, 503):
                    self.odd.append(f"{path}: {error.code}")
            if b"Traceback" in body or b"postgresql" in body:
                self.odd.append(f"{path}: {body[:200]!r}")

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(30)


def submit(crowd: Crowd, number: int, source: Path, sent: threading.Barrier) -> dict[str, Any]:
    """The verdict on one author's upload, however often the line is cut meanwhile."""
    name = crowd.names[number]
    if number < BY_COMMAND_LINE:
        sent.wait(120)
        done = crowd.line.run("bot", "submit", str(source), "--name", f"bot-{name}", "--json", env=crowd.environment(name))
        assert done.returncode == 0, done.stderr
        verdict: dict[str, Any] = json.loads(done.stdout)
        return verdict
    with crowd.as_(name) as league:
        sent.wait(120)
        number = _upload(league, archive_of(source), f"bot-{name}", quiet=True).submission
        return _follow(league, number, quiet=True)


def pid_of(crowd: Crowd, words: bytes) -> int:
    """The process of the league with these words in its command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        if words in line and str(crowd.line.data).encode() in line:
            return int(path.parent.name)
    raise AssertionError(f"no process {words!r}")


def disturb(crowd: Crowd, verdicts: Callable[[], int]) -> None:
    """The referee is killed and the database restarted, both in the thick of it."""
    wait_for(lambda: tournament(crowd.store, "cup")["done_fixtures"] >= 2, every=0.1)
    os.kill(pid_of(crowd, b"referee.service.server"), signal.SIGKILL)
    wait_for(lambda: verdicts() >= 2 or tournament(crowd.store, "cup")["done_fixtures"] >= 5, every=0.1)
    crowd.postgres.stop()
    time.sleep(1)
    crowd.postgres.start()


@pytest.mark.parametrize(
    ("crowd", "blocks"),
    [
        pytest.param("shipped", 3, id="without containers"),
        pytest.param("docker", 6, id="in containers", marks=[pytest.mark.docker, pytest.mark.long]),
    ],
    indirect=["crowd"],
)
def test_twenty_authors_at_once(crowd: Crowd, blocks: int) -> None:
    house = ["nines/greedy", "nines/suit-keeper", "both/random"]
    with crowd.as_("olga") as olga:
        for bot in house:
            number = _upload(olga, archive_of(SAMPLES / bot), "", quiet=True).submission
            assert _follow(olga, number, quiet=True)["state"] == "admitted"
        names = [row["name"] for row in olga.read("ListBots", pb.ListBotsRequest())]
        new = pb.NewTournament(name="cup", game="nines", bots=names, blocks=blocks, matches_per_fixture=1)
        olga.read("CreateTournament", new)
        olga.read("ChangeTournament", pb.TournamentChange(change="start", name="cup", request_id="start"))
    fixtures = 3 * 2 * blocks
    viewers, verdicts = Viewers(crowd), []
    sent = threading.Barrier(AUTHORS)
    with ThreadPoolExecutor(AUTHORS + 1) as pool:
        disturbance = pool.submit(disturb, crowd, lambda: len(verdicts))
        waiting = [pool.submit(submit, crowd, number, SAMPLES / "nines" / "greedy", sent) for number in range(AUTHORS)]
        for future in waiting:
            verdicts.append(future.result(400))
        disturbance.result(200)
    wait_for(lambda: tournament(crowd.store, "cup")["state"] == "done", 200)
    viewers.stop()
    assert viewers.odd == []
    assert viewers.updates > 0
    assert viewers.read > 0
    complete(crowd, verdicts, fixtures)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: nothing_of_others(crowd, name, verdicts), crowd.names))


def complete(crowd: Crowd, verdicts: list[dict[str, Any]], fixtures: int) -> None:
    """Everything that was asked for is there exactly once."""
    assert [verdict["state"] for verdict in verdicts] == ["admitted"] * AUTHORS
    assert len({verdict["submission"] for verdict in verdicts}) == AUTHORS
    assert sorted(verdict["owner"] for verdict in verdicts) == crowd.names
    page = tournament(crowd.store, "cup")
    assert (page["done_fixtures"], page["total_fixtures"], page["done_matches"]) == (fixtures, fixtures, fixtures)
    assert status.deep(crowd.store) == []

    def rows(session: Session) -> None:
        owners = select(User.name, Bot.name).join(Bot, Bot.owner_id == User.id).where(User.role == "author")
        assert sorted(session.exec(owners)) == [(name, f"bot-{name}") for name in crowd.names]
        assert len(session.exec(select(Submission)).all()) == AUTHORS + 3
        assert [v.number for v in session.exec(select(Version))] == [1] * (AUTHORS + 3)
        matches = session.exec(select(Match.match_id)).all()
        assert len(matches) == len(set(matches)) == fixtures

    crowd.store.fetch(rows)


def nothing_of_others(crowd: Crowd, name: str, verdicts: list[dict[str, Any]]) -> None:
    """The author reads all their own, and of others and of the house nothing that is not public."""
    mine = next(verdict for verdict in verdicts if verdict["owner"] == name)
    other = next(verdict for verdict in verdicts if verdict["owner"] != name)
    with crowd.as_(name) as league:
        assert [bot["name"] for bot in league.read("ListBots", pb.ListBotsRequest(mine=True))] == [f"bot-{name}"]
        own = league.read("ShowBot", pb.BotKey(name=f"bot-{name}"))
        assert [row["submission"] for row in own["submissions"]] == [mine["submission"]]
        assert b"".join(c.data for c in league.stream("BuildLog", pb.BuildLogRequest(submission=mine["submission"])))
        theirs = league.read("ShowBot", pb.BotKey(name=other["name"]))
        assert "submissions" not in theirs
        assert {key for version in theirs["versions"] for key in version} <= {
            "version", "state", "digest", "games", "runtime", "created_at",
        }  # fmt: skip
        refused: list[Callable[[], Any]] = [
            lambda: list(league.stream("BuildLog", pb.BuildLogRequest(submission=other["submission"]))),
            lambda: list(league.stream("BuildLog", pb.BuildLogRequest(name=other["name"]))),
            lambda: list(league.stream("FollowSubmission", pb.SubmissionKey(submission=other["submission"]))),
            lambda: list(league.stream("MatchLogs", pb.MatchLogsRequest(name="greedy"))),
            lambda: league.read("RetireBot", pb.RetireRequest(name=other["name"])),
            lambda: league.read("ListTokens", pb.UserKey(name=other["owner"])),
            lambda: league.read("ListUsers", pb.ListUsersRequest()),
            lambda: league.read("Audit", pb.AuditRequest()),
        ]
        for call in refused:
            with pytest.raises((Declined, UsageError)) as answer:
                call()
            assert not isinstance(answer.value, Unreachable)
            assert "postgresql" not in str(answer.value)
