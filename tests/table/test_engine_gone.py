"""The Docker engine dies in mid-match: a void, not a loss. The engine is a private one, in a folder of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from referee.errors import PlatformFault
from referee.service.host import Platform
from tests.engines import PrivateEngine, private_engine

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.geteuid() != 0, reason="an engine of its own needs root")]

PATIENT = """
import time
from botkit import Bot, run

class Patient(Bot):
    def act(self, view, legal):
        time.sleep(0.2)
        return legal[0]

run(Patient())
"""


@pytest.fixture
def engine() -> Iterator[PrivateEngine]:
    with private_engine() as private:
        yield private


def test_an_engine_that_dies_in_mid_match_is_our_fault(cage: Any, engine: PrivateEngine, monkeypatch: Any) -> None:
    images: list[str] = []
    made = type(cage)._images

    async def images_here(house: Any, platform: Platform, bots: Any) -> list[str]:
        """Built by the machine's engine, played by the private one."""
        images[:] = await made(house, platform, bots)
        for image in images:
            await asyncio.to_thread(engine.load, image)
        await platform.close()
        monkeypatch.setenv("DOCKER_HOST", engine.host)
        platform.__init__(platform.config)  # type: ignore[misc]
        return images

    monkeypatch.setattr(type(cage), "_images", images_here)
    playing = asyncio.Event()

    async def during(platform: Platform, spec: Any) -> None:
        client = platform.engine
        assert client is not None
        while len(await client.call(client.api.containers)) < 2:
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.0)
        playing.set()
        engine.dockerd.kill()

    with pytest.raises(PlatformFault) as void:
        cage.play(PATIENT, PATIENT, during=during)
    assert playing.is_set(), str(void.value)
    assert void.value.cause == "docker"
