"""The main job from end to end, in containers: submit bots, run a league, watch it, stop and start it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tests.league.running import RANDOM, SAMPLES, Ninefold, wait_for, write_bot

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def ninefold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ninefold]:
    league = Ninefold(tmp_path_factory.mktemp("main") / "data")
    league.up()
    yield league
    if league.league is not None:
        assert league.down() == 0
    assert wait_for(lambda: not league.processes(), 15), league.processes()


def test_sample_bots_are_admitted(ninefold: Ninefold) -> None:
    for bot in ("nines/greedy", "nines/suit-keeper", "both/random"):
        verdict = ninefold.json("bot", "submit", str(SAMPLES / bot))
        assert verdict["state"] == "admitted", verdict
    assert {b["name"]: b["version"] for b in ninefold.json("bot", "list")} == {"greedy": 1, "suit-keeper": 1, "random": 1}


def test_a_tournament_plays_to_its_end_and_every_replay_verifies(ninefold: Ninefold, tmp_path: Path) -> None:
    made = ninefold.json("tournament", "create", "cup", "--game", "nines", "--all", "--blocks", "1", "--matches-per-fixture", "2")
    assert made["entries_count"] == 3
    assert made["master_seed"] is None
    plan = ninefold.json("tournament", "plan", "cup")
    assert (plan["blocks"], plan["fixtures"], plan["matches"]) == (3, 6, 12)
    ninefold.ok("tournament", "start", "cup")
    ninefold.ok("tournament", "start", "cup")  # given twice, carried out once
    final = ninefold.json("tournament", "watch", "cup", timeout=400)
    assert final["tournament"]["state"] == "done"
    assert final["tournament"]["done_matches"] == 12
    standings = ninefold.json("tournament", "standings", "cup")["standings"]
    assert sum(row["points"] for row in standings) == 12
    assert {row["matches"] for row in standings} == {8}
    assert ninefold.run("status", "--deep").returncode == 0

    folder = tmp_path / "export"
    ninefold.ok("tournament", "export", "cup", "--to", str(folder))
    replays = sorted(str(p) for p in folder.rglob("replays/**/*.json"))
    assert len(replays) == 12
    assert "12 matches verified" in ninefold.ok("replay", "verify", *replays)
    for name in ("standings.csv", "matches.csv", "crosstable.json", "seeds.json"):
        assert (folder / name).stat().st_size > 10
    matches = json.loads((folder / "matches.json").read_text())
    blocks: dict[str, set[str]] = {}
    for path in replays:
        document = json.loads(Path(path).read_text())
        _, block, _, number = document["match_id"].split("/")
        blocks.setdefault(f"{block}/{number}", set()).add(document["seed"])
    assert all(len(seeds) == 1 for seeds in blocks.values()), "a block's fixtures are dealt the same cards"
    assert len({next(iter(seeds)) for seeds in blocks.values()}) == 6
    assert len(matches) == 12


def test_a_refusal_names_stage_and_cause_and_the_log_can_be_fetched(ninefold: Ninefold, tmp_path: Path) -> None:
    crash = write_bot(tmp_path / "crash", RANDOM.replace("return self", "raise ValueError('no idea')\n        return self"), "crasher")
    done = ninefold.run("bot", "submit", str(crash))
    assert done.returncode == 1
    assert "refused at trial" in done.stderr
    assert "crash" in done.stderr
    assert done.stderr.count("refused at") == 1, "it is told once"
    assert f"ninefold play {crash} random --game nines" in done.stderr
    assert 'bot.py", line' in done.stderr
    assert "ValueError: no idea" in done.stderr
    assert "legal: [0]" in done.stderr
    assert "\n\n" not in done.stderr
    number = done.stderr.split("--submission ")[1].split()[0]
    log = ninefold.ok("bot", "logs", "--submission", number)
    assert "ValueError: no idea" in log
    assert "bot.py" in log


def test_a_bot_that_fails_to_load_is_refused_with_its_traceback(ninefold: Ninefold, tmp_path: Path) -> None:
    broken = write_bot(tmp_path / "broken", "import nothing_of_that_name\n", "broken")
    done = ninefold.run("bot", "submit", str(broken))
    assert done.returncode == 1
    assert "trial" in done.stderr
    assert "start" in done.stderr
    assert "nothing_of_that_name" in ninefold.ok("bot", "logs", "--submission", done.stderr.split("--submission ")[1].split()[0])


def test_a_bad_new_version_leaves_the_last_good_one_active(ninefold: Ninefold, tmp_path: Path) -> None:
    good = write_bot(tmp_path / "v", RANDOM, "versioned")
    assert ninefold.json("bot", "submit", str(good))["version"] == 1
    (good / "bot.py").write_text("raise SystemExit(0)\n")
    assert ninefold.run("bot", "submit", str(good)).returncode == 1
    assert next(b["version"] for b in ninefold.json("bot", "list") if b["name"] == "versioned") == 1
    (good / "bot.py").write_text("print('hello from version 3')\n" + RANDOM)
    assert ninefold.json("bot", "submit", str(good))["version"] == 3
    assert [v["state"] for v in ninefold.json("bot", "show", "versioned")["versions"]] == ["admitted", "refused", "admitted"]


def test_a_bot_written_on_windows_plays(ninefold: Ninefold, tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "crlf", RANDOM, "windows")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert ninefold.json("bot", "submit", str(folder))["state"] == "admitted"


def test_withdrawing_cancels_what_was_not_begun_and_ends_the_tournament(ninefold: Ninefold) -> None:
    ninefold.ok("tournament", "create", "two", "--game", "nines", "--bots", "greedy,random", "--blocks", "30", "--matches-per-fixture", "1")
    ninefold.ok("tournament", "start", "two")
    wait_for(lambda: ninefold.json("tournament", "show", "two")["done_fixtures"] >= 2, 200)
    ninefold.ok("tournament", "withdraw", "random", "two", "--reason", "tired")
    row = wait_for(lambda: (r := ninefold.json("tournament", "show", "two"))["state"] == "done" and r, 100)
    assert row["done_fixtures"] + row["cancelled_fixtures"] == row["total_fixtures"] == 60
    played = row["done_matches"]
    assert len(ninefold.json("replay", "list", "--tournament", "two", "--limit", "200", "--cause", "completed")["matches"]) == played


def test_wrong_input_is_one_sentence_and_a_code(ninefold: Ninefold) -> None:
    for arguments, code, says in (
        (("tournament", "create", "Bad Name", "--game", "nines"), 2, "cannot be used"),
        (("tournament", "create", "x", "--game", "bridge"), 2, "not played here"),
        (("tournament", "create", "x", "--game", "nines", "--rule", "cutoff=zero"), 2, "'cutoff'"),
        (("tournament", "create", "x", "--game", "nines", "--rule", "colour=red"), 2, "no such option"),
        (("tournament", "create", "x", "--game", "nines", "--clock", "soon"), 2, "no clock"),
        (("tournament", "create", "x", "--game", "nines", "--seed", "abc"), 2, "64 hex digits"),
        (("tournament", "start", "nope"), 1, "no tournament 'nope'"),
        (("tournament", "start", "cup"), 1, "done"),
        (("bot", "submit", "/nowhere"), 2, "does not exist"),
        (("bot", "show", "nobody"), 1, "no bot 'nobody'"),
        (("replay", "export", "cup/9/9/9"), 1, "no replay"),
    ):
        done = ninefold.run(*arguments)
        assert done.returncode == code, f"{arguments}: {done.returncode} {done.stderr}"
        assert says in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1
        assert "Traceback" not in done.stderr


def test_a_second_league_in_the_same_folder_is_refused(ninefold: Ninefold) -> None:
    done = ninefold.run("up")
    assert done.returncode == 2
    assert "already runs" in done.stderr


def test_ctrl_c_in_mid_tournament_leaves_nothing_and_the_next_up_goes_on(ninefold: Ninefold) -> None:
    ninefold.ok("tournament", "create", "broken-off", "--game", "nines", "--bots", "greedy,suit-keeper", "--blocks", "2", "--matches-per-fixture", "2")
    ninefold.ok("tournament", "start", "broken-off")
    wait_for(lambda: ninefold.json("tournament", "show", "broken-off")["done_fixtures"] >= 1, 200)
    assert ninefold.down(signal.SIGINT) == 0
    assert wait_for(lambda: not ninefold.processes(), 10), ninefold.processes()
    label = (ninefold.data / "installation").read_text()
    client = docker.from_env()
    assert client.containers.list(all=True, filters={"label": f"ninefold={label}"}) == []
    assert not list(Path("/tmp").glob(f"nf-{label}-*"))
    assert ninefold.run("bot", "list").returncode == 3
    ninefold.up()
    final = ninefold.json("tournament", "watch", "broken-off", timeout=400)
    assert final["tournament"]["state"] == "done"
    assert final["tournament"]["done_matches"] == 8


def test_a_killed_supervisor_takes_its_parts_with_it(ninefold: Ninefold) -> None:
    assert ninefold.league is not None
    ninefold.league.kill()
    ninefold.league.wait(10)
    ninefold.league = None
    assert wait_for(lambda: not ninefold.processes(), 30), ninefold.processes()
    ninefold.up()
    assert ninefold.run("status").returncode == 0


def test_a_part_that_dies_is_started_again(ninefold: Ninefold) -> None:
    def pid(kind: str) -> int:
        rows = json.loads(ninefold.run("status", "--json").stdout)["services"]
        return next((row["pid"] for row in rows if row["kind"] == kind and row["state"] == "running"), 0)

    before = wait_for(lambda: pid("conductor"), 60)
    subprocess.run(["kill", "-9", str(before)], check=True)
    assert wait_for(lambda: pid("conductor") not in (0, before), 60)
