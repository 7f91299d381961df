"""A league's whole life over TLS with the command line: an author's day, an organiser's powers and what takes them back,
a backup while it plays, and the league that goes on from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from referee.cli import client
from referee.cli.main import app
from tests.league.running import SAMPLES, Ninefold, wait_for
from tests.services import certificate

pytestmark = pytest.mark.timeout(900)


class Line:
    """The command line of one person on a machine of their own, in this process: a start costs a second."""

    def __init__(self, home: Path, **environment: str) -> None:
        home.mkdir(exist_ok=True)
        base = {name: None for name in os.environ if name.startswith("NINEFOLD_")}
        self.env: dict[str, str | None] = {
            **base, "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "share"), **environment,
        }  # fmt: skip

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments), env=self.env)

    def ok(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.exit_code == 0, f"{arguments}: {done.exit_code}\n{done.output}\n{done.exception!r}"
        return done.output

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.exit_code == 0, f"{arguments}: {done.output}"
        return json.loads(done.stdout)

    def refused(self, *arguments: str) -> str:
        """What the command said when it ended, on one line however it was wrapped."""
        done = self.run(*arguments)
        assert done.exit_code == 1, f"{arguments}: {done.exit_code}\n{done.output}"
        assert "Traceback" not in done.output
        return " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ninefold, Line, Line]]:
    """A league over TLS, its organiser on its own machine, and an author far away."""
    folder = tmp_path_factory.mktemp("remote")
    cert, key = certificate(folder)
    league = Ninefold(folder / "data", NINEFOLD_TLS_CERT=str(cert), NINEFOLD_TLS_KEY=str(key), NINEFOLD_WORKERS="2")
    league.up("--sandbox", "shipped")
    organiser = Line(folder / "organiser", NINEFOLD_DATA=str(league.data))
    address = json.loads((league.data / "league.json").read_text())["address"]
    author = Line(folder / "author")
    token = organiser.json("user", "add", "anna")["token"]
    assert "your token is kept" in author.ok("login", f"https://{address}", "--ca", str(cert), "--token", token)
    try:
        yield league, organiser, author
    except BaseException:
        print(league.logs())
        raise
    finally:
        if league.league is not None:
            assert league.down() == 0


def test_an_authors_day(place: tuple[Ninefold, Line, Line], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, organiser, author = place
    sent = author.json("bot", "submit", str(SAMPLES / "nines/greedy"), "--name", "anna-greedy")
    assert (sent["state"], sent["owner"]) == ("admitted", "anna")
    assert organiser.json("bot", "submit", str(SAMPLES / "nines/suit-keeper"))["state"] == "admitted"
    waits = author.json("bot", "submit", str(SAMPLES / "nines/greedy"), "--name", "anna-greedy", "--no-wait")
    assert waits["place"] >= 0
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "bot.toml").write_text("name = 3\n")
    assert "refused at manifest" in author.refused("bot", "submit", str(tmp_path / "broken"))

    played = author.json("challenge", "anna-greedy", "suit-keeper", "--matches", "4")
    assert (played["tournament"]["kind"], played["tournament"]["state"]) == ("challenge", "done")
    assert "no bot 'suit-keeper'" in author.refused("challenge", "suit-keeper", "anna-greedy"), "that is somebody else's"
    found = author.json("bot", "download", "--to", str(tmp_path / "mine"))
    assert found["anna-greedy"]["replays"] == 4
    assert found["anna-greedy"]["build logs"] >= 2
    replays = sorted(str(path) for path in (tmp_path / "mine").rglob("replays/**/*.json"))
    assert "4 matches verified" in author.ok("replay", "verify", *replays)
    assert "there is no bot" in author.refused("bot", "download", "suit-keeper", "--to", str(tmp_path / "theirs"))
    monkeypatch.setattr(client, "VERSION", "99.1")
    assert "this client is 99.1" in author.run("bot", "list").stderr


def test_what_an_organiser_does_and_takes_back(place: tuple[Ninefold, Line, Line]) -> None:
    _, organiser, author = place
    greedy = str(SAMPLES / "nines/greedy")
    organiser.ok("admin", "freeze", "--reason", "finals week")
    assert "submissions are frozen: finals week" in author.refused("bot", "submit", greedy)
    organiser.ok("admin", "freeze", "--undo")
    organiser.ok("admin", "quota", "anna", "submissions_per_hour=1")
    assert "there is room again at 20" in author.refused("bot", "submit", greedy, "--name", "anna-two")
    organiser.ok("admin", "quota", "anna", "submissions_per_hour=100", "bots=1")
    assert "the quota of 1 bot is used up" in author.refused("bot", "submit", greedy, "--name", "anna-two")
    organiser.ok("admin", "quota", "anna", "bots=5")
    organiser.ok("admin", "ban", "anna", "--reason", "shared a token")
    assert "token" in author.refused("bot", "list")
    organiser.ok("admin", "ban", "anna", "--undo")
    author.ok("bot", "list")
    author.ok("bot", "retire", "anna-greedy", "--reason", "old")
    author.ok("bot", "retire", "anna-greedy", "--undo")
    for command in (("admin", "audit"), ("user", "list"), ("admin", "freeze")):
        assert "only an organiser may do this" in author.refused(*command)
    rows = organiser.json("admin", "audit", "--limit", "100")
    assert all(row["at"] and row["actor"] and row["action"] for row in rows)
    said = {(row["actor"], row["action"], row["target"], row["reason"]) for row in rows}
    for actor, target, reason in (("owner", "anna", "shared a token"), ("anna", "anna-greedy", "old"), ("owner", "", "finals week")):
        assert any((a, r) == (actor, reason) and target in (t, "") for a, _, t, r in said), (actor, target, reason, said)


def test_a_league_goes_on_from_a_backup_taken_while_it_plays(place: tuple[Ninefold, Line, Line], tmp_path: Path) -> None:
    league, organiser, _ = place
    organiser.json("bot", "submit", str(SAMPLES / "both/random"))
    organiser.ok("tournament", "create", "cup", "--game", "nines", "--all", "--blocks", "2", "--matches-per-fixture", "2")
    organiser.ok("tournament", "start", "cup")

    def done() -> int:
        return int(organiser.json("tournament", "show", "cup")["done_fixtures"])

    wait_for(lambda: done() >= 2)
    running = [row for row in fixtures(league.data) if row["state"] == "running"]
    if running:  # else all that is laid out has just ended
        organiser.run("admin", "void", running[0]["fixture_id"], "--reason", "a cable")
    organiser.ok("store", "backup", str(tmp_path / "league.tar"))
    organiser.ok("tournament", "withdraw", "random", "cup", "--reason", "tired")
    assert organiser.json("tournament", "watch", "cup")["tournament"]["state"] == "done"
    assert organiser.ok("status", "--deep")

    twin = Ninefold(tmp_path / "second", NINEFOLD_WORKERS="2")
    second = Line(tmp_path / "home", NINEFOLD_DATA=str(twin.data))
    assert "go on with `ninefold up`" in second.ok("store", "restore", str(tmp_path / "league.tar"))
    twin.up("--sandbox", "shipped")
    try:
        final = second.json("tournament", "watch", "cup")
        assert final["tournament"]["state"] == "done"
        assert final["tournament"]["done_fixtures"] == 3 * 2 * 2, "nobody was withdrawn here"
        assert second.ok("status", "--deep")
        shared = {row["match_id"]: row["canonical_sha256"] for row in second.json("replay", "list", "--limit", "200")["matches"]}
        ours = {row["match_id"]: row["canonical_sha256"] for row in organiser.json("replay", "list", "--limit", "200")["matches"] if row["state"] == "done"}
        assert ours.items() <= shared.items(), "the same deals, and the same records"
        assert second.json("bot", "submit", str(SAMPLES / "nines/greedy"))["state"] == "admitted"
    finally:
        assert twin.down() == 0


def fixtures(data: Path) -> list[dict[str, Any]]:
    from referee.settings import Settings
    from referee.store.engine import Store, database_url
    from referee.store.queries.tournaments import fixtures as rows

    store = Store(database_url(Settings(data)))
    try:
        return rows(store, "cup")
    finally:
        store.close()
