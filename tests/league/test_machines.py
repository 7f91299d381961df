"""Two machines of one league: own data folders, own Docker engines, one PostgreSQL, one Redis, one blob store."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import docker
import pytest
from sqlmodel import Session, select

from referee.sandbox.engine import Engine
from referee.sandbox.image import base_tag, ensure_base
from referee.sandbox.reaper import reap_images
from referee.store.engine import Store
from referee.store.models import Bot, Fixture, Version, VoidRecord
from tests.engines import PrivateEngine, private_engine
from tests.league.running import RANDOM, Ninefold, wait_for, write_bot

pytestmark = [
    pytest.mark.docker,
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.geteuid() != 0, reason="an engine of its own needs root"),
]


@pytest.fixture
def engine() -> Iterator[PrivateEngine]:
    own = Engine()
    ensure_base(own)
    own.api.close()
    with private_engine() as private:
        private.load(base_tag())
        yield private


class Machine(Ninefold):
    """One `ninefold up` with a name of its own."""

    def log(self, part: str) -> str:
        return (self.data / "logs" / f"{part}.log").read_text(errors="replace")

    def cut_off(self) -> None:
        """Every process of it is gone without a word, as when the power fails."""
        assert self.league is not None
        mine = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if f"NINEFOLD_DATA={self.data}".encode() in path.read_bytes().split(b"\0"):
                    mine.append(int(path.parent.name))
        for pid in mine:  # all at once: a part that outlived the supervisor would still say goodbye
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.league.wait(10)
        self.league = None


def test_a_tournament_is_shared_and_survives_a_machine(
    tmp_path: Path, postgres_url: str, redis_url: str, engine: PrivateEngine
) -> None:
    common = {
        "NINEFOLD_DATABASE_URL": postgres_url,
        "NINEFOLD_BROKER_URL": redis_url,
        "NINEFOLD_BLOB_URL": f"file://{tmp_path}/blobs",
        "NINEFOLD_LEASE_SECONDS": "12",
    }
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    a = Machine(tmp_path / "a" / "data", NINEFOLD_MACHINE="alpha", **common)
    b = Machine(tmp_path / "b" / "data", NINEFOLD_MACHINE="beta", DOCKER_HOST=engine.host, **common)
    store = Store(postgres_url)
    try:
        share(a, b, store, tmp_path, engine)
    except BaseException:
        print(a.logs(), b.logs())
        raise
    finally:
        for machine in (a, b):
            if machine.league is not None:
                machine.down()
        store.close()
        own = Engine()
        reap_images(own, (a.data / "installation").read_text(), (), newest=0)
        own.api.close()


def share(a: Machine, b: Machine, store: Store, tmp_path: Path, engine: PrivateEngine) -> None:
    for machine, bot in ((a, "anna"), (b, "bert")):  # each is built on one machine, and the other is not there
        machine.up()
        folder = write_bot(tmp_path / bot, f"print({bot!r})\n{RANDOM}", bot)
        assert machine.json("bot", "submit", str(folder))["state"] == "admitted"
        machine.down()
    images = {bot: image(store, bot) for bot in ("anna", "bert")}
    main, private = docker.from_env(), docker.DockerClient(engine.host)
    assert has(main, images["anna"]) and not has(main, images["bert"])  # noqa: PT018
    assert has(private, images["bert"]) and not has(private, images["anna"])  # noqa: PT018

    a.up()
    b.up()
    a.ok("tournament", "create", "shared", "--game", "nines", "--bots", "anna,bert", "--blocks", "12", "--matches-per-fixture", "5")
    a.ok("tournament", "start", "shared")
    wait_for(lambda: min(played(store)[name] for name in ("alpha", "beta")) >= 1, 240, every=0.05)
    wait_for(lambda: running_on(store, "beta"), 60, every=0.05)  # at once: a quick machine plays all of it in seconds
    b.cut_off()
    assert has(main, images["bert"])
    assert has(private, images["anna"])
    assert "layers=1" in line(a.log("referee"), "image_loaded"), "the base was there: only the bot's own layer was read"
    assert "layers=1" in line(b.log("referee"), "image_loaded")

    final = a.json("tournament", "watch", "shared", timeout=500)["tournament"]
    assert (final["state"], final["done_fixtures"], final["done_matches"]) == ("done", 24, 120)
    assert (final["cancelled_fixtures"], final["dropped_fixtures"]) == (0, 0)
    counts = played(store)
    assert sum(counts.values()) == 24
    causes = {row.cause for row in rows(store, VoidRecord)}
    assert causes <= {"lease_lost", "shutdown"}, causes
    standings = a.json("tournament", "standings", "shared")["standings"]
    assert [row["forfeits"] for row in standings] == [0, 0], "no bot is blamed for a machine"
    ill = json.loads(a.run("status", "--deep", "--json").stdout)
    assert any("worker@beta" in problem for problem in ill["problems"]), ill["problems"]
    assert not [problem for problem in ill["problems"] if "alpha" in problem]

    b.up()
    assert wait_for(lambda: b.run("status", "--deep").returncode == 0, 60)
    mine = {"label": f"ninefold={(b.data / 'installation').read_text()}"}
    assert wait_for(lambda: not private.containers.list(all=True, filters=mine), 30), "what the dead machine left is gone"


def image(store: Store, bot: str) -> str:
    def work(session: Session) -> str:
        return session.exec(select(Version.image).join(Bot, Bot.id == Version.bot_id).where(Bot.name == bot)).one()  # type: ignore[arg-type]

    return store.fetch(work)


def rows(store: Store, model: Any) -> list[Any]:
    return store.fetch(lambda session: list(session.exec(select(model))))


def played(store: Store) -> Counter[str]:
    """How many fixtures each machine has played."""
    return Counter(row.machine for row in rows(store, Fixture) if row.state == "done")


def running_on(store: Store, machine: str) -> bool:
    return any(row.state == "running" and row.machine == machine for row in rows(store, Fixture))


def has(client: docker.DockerClient, image: str) -> bool:
    try:
        client.images.get(image)
    except docker.errors.ImageNotFound:
        return False
    return True


def line(text: str, word: str) -> str:
    return next((found for found in text.splitlines() if word in found), "")
