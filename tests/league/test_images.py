"""A machine that lacks a bot's image: it is fetched before the fixture takes a slot, or the fixture is void."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker.errors
import pytest

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import PlatformFault
from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.engine import Engine
from referee.sandbox.image import REPOSITORY, ensure_base, image_id
from referee.sandbox.limits import Limits
from referee.sandbox.reaper import _reap_bases, reap_images
from referee.service.host import HostConfig
from referee.service.hosts import HostPool
from referee.service.images import Images
from referee.settings import Settings
from tests.services import free_port, wait_until


def spec(name: str, *seats: pb.SeatSpec) -> pb.FixtureSpec:
    return pb.FixtureSpec(fixture_id=name, attempt=1, game="nines", seats=seats)


async def updates(pool: HostPool, wanted: pb.FixtureSpec) -> list[pb.FixtureUpdate]:
    return [update async for update in pool.run(wanted)]


def test_a_fixture_whose_images_cannot_be_had_is_void_and_takes_no_slot() -> None:
    async def prepare(wanted: pb.FixtureSpec) -> None:
        if wanted.fixture_id == "bad":
            raise PlatformFault("docker", "no such image anywhere")
        await asyncio.Event().wait()

    async def scenario() -> None:
        pool = HostPool(HostConfig("imagetest", "process"), 1, prepare=prepare)
        slow = asyncio.ensure_future(updates(pool, spec("slow")))
        await asyncio.sleep(0.05)
        last = (await updates(pool, spec("bad")))[-1]
        assert (last.void.cause, last.void.reason) == ("docker", "no such image anywhere")
        assert not slow.done()
        assert await pool.stop("slow", "shutdown")
        assert (await slow)[-1].void.cause == "shutdown"
        assert not pool.running
        assert pool._slots._value == 1
        await pool.close()

    asyncio.run(scenario())


def test_fetching_shows_signs_of_life_and_keeps_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.service.hosts.HEARTBEAT_S", 0.02)
    here = asyncio.Event()

    async def prepare(wanted: pb.FixtureSpec) -> None:
        if wanted.fixture_id == "far":
            await here.wait()

    async def scenario() -> None:
        pool = HostPool(HostConfig("imagetest", "process"), 1, prepare=prepare)
        heard: list[str] = []

        async def far() -> None:
            async for update in pool.run(spec("far")):
                heard.append(update.progress.stage)

        task = asyncio.ensure_future(far())
        await asyncio.sleep(0.2)
        assert heard.count("fetching") >= 2
        assert pool._slots._value == 1, "the slot is free for others"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pool.close()

    asyncio.run(scenario())


class Shelf:
    """An engine that holds images and does nothing else: `bases` are (tag, days old), `bots` the bases they stand on."""

    def __init__(self, bases: list[tuple[str, float]], bots: list[str], in_use: set[str]) -> None:
        now = time.time()
        self.images_: list[dict[str, Any]] = [
            {"Id": tag, "RepoTags": [tag], "Created": now - days * 86_400, "Labels": {"ninefold.base": tag}} for tag, days in bases
        ]
        self.images_ += [
            {"Id": f"bot on {base}", "RepoTags": None, "Created": now, "Labels": {"ninefold.purpose": "bot", "ninefold.base": base}}
            for base in bots
        ]  # fmt: skip
        self.in_use, self.api = in_use, self

    def blocking(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    def images(self, **_: Any) -> list[dict[str, Any]]:
        return self.images_

    def remove_image(self, tag: str) -> None:
        if tag in self.in_use:
            raise docker.errors.APIError("in use")
        self.images_ = [image for image in self.images_ if tag not in (image["RepoTags"] or [])]


def test_old_bases_go_but_never_the_newest_or_one_that_is_stood_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def labelled(engine: Any, labels: dict[str, str | None]) -> list[dict[str, Any]]:
        wanted = labels.items()
        return [i for i in engine.images() if all(k in i["Labels"] and v in (None, i["Labels"][k]) for k, v in wanted)]

    monkeypatch.setattr("referee.sandbox.reaper.labelled", labelled)
    days = [0.1, 0.2, 5, 6, 2, 1.5, 0.5, 30, 8, 9]
    shelf: Any = Shelf([(f"{REPOSITORY}:{d}", d) for d in days], bots=[f"{REPOSITORY}:30"], in_use={f"{REPOSITORY}:9"})
    assert {tag.partition(":")[2] for tag in _reap_bases(shelf)} == {"5", "6", "2", "1.5", "8"}
    kept = {tag for image in shelf.images() for tag in image["RepoTags"] or []}
    assert kept == {f"{REPOSITORY}:{d}" for d in (0.1, 0.2, 0.5, 30, 9)}
    lonely: Any = Shelf([(f"{REPOSITORY}:400", 400)], bots=[], in_use=set())
    assert _reap_bases(lonely) == [], "the newest is what the next build stands on"
    few: Any = Shelf([(f"{REPOSITORY}:{d}", d) for d in (0, 5, 6, 8)], bots=[], in_use=set())
    assert _reap_bases(few) == [f"{REPOSITORY}:8"], "a few may stay for a week"


@pytest.fixture
def engine() -> Iterator[Engine]:
    opened = Engine()
    yield opened
    for league in ("imagesa", "imagesb"):
        reap_images(opened, league, (), newest=0)
    asyncio.run(opened.close())


def build(engine: Engine, folder: Path, word: str) -> str:
    (folder / word).mkdir()
    (folder / word / "bot.py").write_text(f"print({word!r})\n")
    room = Room.new(engine, ensure_base(engine), "imagesa", Limits())
    return build_bot(room, BotSource(word, folder / word, ("bot.py",), "python", "bot.py")).image


def seat(image: str, content_digest: str) -> pb.SeatSpec:
    return pb.SeatSpec(bot="hare", version=3, image=image, content_digest=content_digest)


@pytest.mark.docker
def test_an_image_goes_from_machine_to_machine_through_the_blobs(engine: Engine, tmp_path: Path) -> None:
    shared = f"file://{tmp_path}/blobs"
    (tmp_path / "a").mkdir()
    a = Images(engine, "imagesa", Settings(tmp_path / "a", blob_url=shared))
    b = Images(engine, "imagesb", Settings(tmp_path / "b", blob_url=shared))
    image = build(engine, tmp_path, "hare")

    async def scenario() -> None:
        kept = await a.keep(image)
        assert await a.keep(image) == kept, "keeping it twice changes nothing"
        assert kept.own_bytes < 10_000
        engine.api.remove_image(image, force=True)
        await asyncio.gather(*(b.bring(spec(f"t/1/{n}", seat(image, kept.content_digest))) for n in range(3)))
        assert image_id(engine, image) == image
        reap_images(engine, "imagesb", (), newest=0)
        with pytest.raises(PlatformFault) as nowhere:
            await b.bring(spec("t/1/1", seat(image, "0" * 64)))
        assert "hare@3" in str(nowhere.value)
        assert "blob_url" in str(nowhere.value)
        with pytest.raises(PlatformFault, match="never kept; submit the bot again"):
            await b.bring(spec("t/1/1", seat(image, "")))

    asyncio.run(scenario())


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """A registry of this test's own (Debian package docker-registry), which the engine takes on 127.0.0.1 without TLS."""
    if not Path("/usr/bin/docker-registry").exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("docker-registry is not installed")
    port = free_port()
    config = tmp_path / "registry.yml"
    config.write_text(
        f"version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {tmp_path}/registry\nhttp:\n  addr: 127.0.0.1:{port}\n"
    )
    with (tmp_path / "registry.log").open("wb") as log:
        process = subprocess.Popen(["docker-registry", "serve", str(config)], stdout=log, stderr=log)

    def answers() -> bool:
        try:
            return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/", timeout=2).status == 200)
        except OSError:
            return False

    try:
        wait_until(answers, "the registry")
        yield f"127.0.0.1:{port}/league"
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.docker
def test_an_image_goes_from_machine_to_machine_through_a_registry(engine: Engine, registry: str, tmp_path: Path) -> None:
    image = build(engine, tmp_path, "tortoise")
    a = Images(engine, "imagesa", Settings(tmp_path / "a", registry=registry))
    b = Images(engine, "imagesb", Settings(tmp_path / "b", registry=registry))

    async def scenario() -> None:
        kept = await a.keep(image)
        assert kept.content_digest == ""
        reap_images(engine, "imagesa", (), newest=0)
        assert image_id(engine, image) is None
        await b.bring(spec("t/1/1", seat(image, "")))
        assert image_id(engine, image) == image
        assert image in reap_images(engine, "imagesb", (), newest=0)
        assert image_id(engine, image) is None, "no tag of the registry's is left"
        with pytest.raises(PlatformFault, match="hare@3: .*not found"):
            await b.bring(spec("t/1/1", seat("sha256:" + "1" * 64, "")))

    asyncio.run(scenario())
    assert not (tmp_path / "b" / "blobs").exists()
