"""The composition as a whole, by docker-compose 1.29: started, played on, examined, and taken down without a trace."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox.image import bot_repository
from tests.league.running import SAMPLES, wait_for
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
FILES = ("-f", str(ROOT / "deploy/compose.yaml"), "-f", str(ROOT / "deploy/compose.debian.yaml"))
pytestmark = [pytest.mark.docker, pytest.mark.timeout(1500)]


class Composition:
    """`docker-compose` on the project's own files, under a project name, ports and a folder of this test's."""

    def __init__(self, run: Path) -> None:
        self.run, self.project = run, f"nftest{secrets.token_hex(3)}"
        self.grpc, self.port = free_port(), free_port()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NINEFOLD_", "COMPOSE_"))}
        self.env = {
            **kept,
            "COMPOSE_PROJECT_NAME": self.project,
            "NINEFOLD_DB_PASSWORD": secrets.token_hex(8),
            "NINEFOLD_RUN": str(run),
            "NINEFOLD_GRPC_PORT": str(self.grpc),
            "NINEFOLD_PORT": str(self.port),
        }

    def compose(self, *arguments: str, timeout: float = 600, check: bool = True) -> str:
        command = ["docker-compose", *FILES, *arguments]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=timeout)
        assert not check or done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def inside(self, *arguments: str, check: bool = True) -> str:
        """A command in the referee's container."""
        return self.compose("exec", "-T", "referee", *arguments, check=check)

    def ninefold(self, *arguments: str) -> Any:
        """The document that a command prints."""
        return json.loads(self.ok(*arguments, "--json"))

    def ok(self, *arguments: str, timeout: float = 300) -> str:
        """The command line, from outside, by the published port."""
        token = self.inside("cat", "/data/owner.token").strip()
        done = subprocess.run(
            [sys.executable, "-m", "referee.cli.main", *arguments],
            env={**self.env, "NINEFOLD_SERVER": f"127.0.0.1:{self.grpc}", "NINEFOLD_TOKEN": token},
            cwd=ROOT, capture_output=True, text=True, timeout=timeout,
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def docker(*arguments: str, check: bool = True) -> list[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=check).stdout.split()


@pytest.fixture(scope="module")
def images() -> None:
    if shutil.which("docker-compose") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("docker-compose is not installed")
    command = [sys.executable, "-m", "deploy.images.service", "--stand-ins"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def composition(images: None) -> Iterator[Composition]:
    run = Path(tempfile.mkdtemp(prefix="nfc-"))
    made = Composition(run)
    try:
        made.compose("up", "-d")
        yield made
    except BaseException:
        print(made.compose("logs", "--tail=40", check=False))
        raise
    finally:
        made.compose("down", "-v", "--timeout", "30", check=False)
        shutil.rmtree(run, ignore_errors=True)


def test_without_a_password_it_says_what_to_do() -> None:
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed")
    done = subprocess.run(
        ["docker-compose", "-f", str(ROOT / "deploy/compose.yaml"), "config", "-q"],
        env={k: v for k, v in os.environ.items() if not k.startswith("NINEFOLD_")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "set a password for the database" in done.stderr


def test_every_guarantee_and_the_clocks_hold_inside(composition: Composition) -> None:
    found = {row["what"]: row for row in json.loads(composition.inside("ninefold", "doctor", "--json"))}
    assert all(row["ok"] for row in found.values()), found
    assert "cgroup" in found["clocks"]["found"]


def test_a_tournament_is_played(composition: Composition, tmp_path: Path) -> None:
    for bot in ("nines/greedy", "both/random"):
        assert composition.ninefold("bot", "submit", str(SAMPLES / bot))["state"] == "admitted"
    composition.ninefold("tournament", "create", "cup", "--game", "nines", "--all", "--blocks", "2", "--matches-per-fixture", "1")
    composition.ninefold("tournament", "start", "cup")
    assert composition.ninefold("tournament", "watch", "cup")["tournament"]["done_matches"] == 4
    composition.ok("tournament", "export", "cup", "--to", str(tmp_path / "out"))
    replays = [json.loads(path.read_text()) for path in (tmp_path / "out" / "replays").rglob("*.json")]
    assert len(replays) == 4
    assert {replay["clock"]["charged"] for replay in replays} == {"cpu"}
    assert {replay["played"]["machine"] for replay in replays} == {"compose"}
    assert composition.ninefold("status")["problems"] == []
    with urllib.request.urlopen(f"http://127.0.0.1:{composition.port}/_stcore/health", timeout=30) as page:
        assert page.status == 200


def test_a_referee_that_is_killed_comes_back_and_its_worker_finds_it(composition: Composition) -> None:
    before = composition.inside("cat", "/data/league.json")
    (referee,) = docker("ps", "-q", "--filter", f"label=com.docker.compose.project={composition.project}", "--filter", "label=com.docker.compose.service=referee")
    docker("kill", referee)
    docker("start", referee)
    wait_for(lambda: (now := composition.inside("cat", "/data/league.json", check=False)) and now != before, 120)
    wait_for(lambda: composition.ninefold("bot", "submit", str(SAMPLES / "nines/suit-keeper"))["state"] == "admitted", 200)


def test_a_referee_without_the_hosts_processes_says_so(images: None) -> None:
    run = tempfile.mkdtemp(prefix="nfc-")
    done = subprocess.run(
        ["docker", "run", "--rm", "--user", "0:0", "-e", "NINEFOLD_DATA=/data", "-e", f"XDG_RUNTIME_DIR={run}", "-v", f"{run}:{run}",
         "-v", "/var/run/docker.sock:/var/run/docker.sock", "ninefold:latest", "ninefold", "doctor", "--json"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    shutil.rmtree(run, ignore_errors=True)
    assert done.returncode == 1, done.stdout + done.stderr
    missing = {row["what"]: row for row in json.loads(done.stdout) if not row["ok"]}
    assert list(missing) == ["clocks"]
    assert "not visible here" in missing["clocks"]["found"]
    assert "pid: host" in missing["clocks"]["fix"]


def test_taken_down_it_leaves_no_container_no_socket_and_no_volume(composition: Composition) -> None:
    league = composition.inside("cat", "/data/installation").strip()
    composition.compose("down", "-v", "--timeout", "30")
    project = f"label=com.docker.compose.project={composition.project}"
    assert docker("ps", "-aq", "--filter", project) == []
    assert docker("ps", "-aq", "--filter", f"label=ninefold={league}") == []
    assert docker("volume", "ls", "-q", "--filter", project) == []
    assert list(composition.run.iterdir()) == []
    for image in docker("image", "ls", "--format", "{{.Repository}}:{{.Tag}}", bot_repository(league)):
        docker("rmi", image)
