"""A machine without containers: a first look at the shipped bots, and nobody else's code is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.league.running import RANDOM, SAMPLES, Ninefold, wait_for, write_bot

NO_ENGINE = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ninefold]:
    league = Ninefold(tmp_path_factory.mktemp("shipped") / "data", **NO_ENGINE)
    league.up("--sandbox", "shipped")
    yield league
    assert league.down() == 0
    assert wait_for(lambda: not league.processes(), 15)


def test_a_banner_says_so(shipped: Ninefold) -> None:
    assert "NO CONTAINERS" in (shipped.data.parent / "up.err").read_text()


def test_shipped_bots_play_a_tournament_and_its_replays_verify(shipped: Ninefold, tmp_path: Path) -> None:
    for bot in ("nines/greedy", "both/random"):
        assert shipped.json("bot", "submit", str(SAMPLES / bot))["state"] == "admitted"
    shipped.ok("tournament", "create", "look", "--game", "nines", "--all", "--blocks", "1", "--matches-per-fixture", "1")
    shipped.ok("tournament", "start", "look")
    assert shipped.json("tournament", "watch", "look")["tournament"]["done_matches"] == 2
    shipped.ok("tournament", "export", "look", "--to", str(tmp_path))
    assert "2 matches verified" in shipped.ok("replay", "verify", *map(str, tmp_path.rglob("replays/**/*.json")))


def test_other_users_of_the_machine_cannot_read_the_leagues_files(shipped: Ninefold) -> None:
    """After the tournament: the database, its seeds, the logs."""
    paths = [shipped.data, *shipped.data.rglob("*")]
    assert {"ninefold.db", "referee.log", "worker.log"} <= {path.name for path in paths}
    open_to_others = {str(path): oct(path.stat().st_mode) for path in paths if path.stat().st_mode & 0o077}
    assert set(open_to_others) <= {str(shipped.data / "installation")}, open_to_others


def test_nobody_elses_code_is_run(shipped: Ninefold, tmp_path: Path) -> None:
    mark = tmp_path / "was-run"
    own = write_bot(tmp_path / "own", f"open({str(mark)!r}, 'w')\n{RANDOM}", "own-bot")
    done = shipped.run("bot", "submit", str(own))
    assert done.returncode == 1
    assert "no containers" in done.stderr
    changed = tmp_path / "greedy"
    changed.mkdir()
    for path in (SAMPLES / "nines" / "greedy").glob("bot.*"):
        (changed / path.name).write_bytes(path.read_bytes())
    (changed / "bot.py").write_text((changed / "bot.py").read_text() + f"\nopen({str(mark)!r}, 'w')\n")
    assert shipped.run("bot", "submit", str(changed)).returncode == 1
    assert not mark.exists()


def test_without_an_engine_a_league_runs_and_takes_no_uploads(tmp_path: Path) -> None:
    league = Ninefold(tmp_path / "data", **NO_ENGINE)
    league.up()
    try:
        done = league.run("bot", "submit", str(SAMPLES / "nines" / "greedy"))
        assert done.returncode == 1
        assert "no Docker engine answers" in done.stderr
        assert league.run("bot", "list").returncode == 0
        doctor = league.run("doctor", "--json")
        assert doctor.returncode == 1
        assert {f["what"] for f in json.loads(doctor.stdout) if not f["ok"]} == {"Docker engine"}
    finally:
        assert league.down() == 0
