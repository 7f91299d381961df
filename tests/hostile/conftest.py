"""One engine, one image with all hostile bots, one folder for sockets."""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
from collections.abc import Iterator

import pytest

from referee.sandbox.engine import Engine
from referee.sandbox.reaper import reap_images
from referee.sandbox.rundir import RunDir
from referee.service.nursery import ENVIRONMENT
from tests.hostile import arena

# These tables are kept by the test itself, under the settings of a match process. gRPC reads its own when it is first
# used; malloc has read its variables already, and is told (the numbers are those of malloc.h).
os.environ.update(ENVIRONMENT)
for parameter, variable in ((-8, "MALLOC_ARENA_MAX"), (-3, "MALLOC_MMAP_THRESHOLD_"), (-1, "MALLOC_TRIM_THRESHOLD_")):
    ctypes.CDLL(None).mallopt(parameter, int(ENVIRONMENT[variable]))


@pytest.fixture(scope="session")
def league() -> str:
    return f"hostile{secrets.token_hex(3)}"


@pytest.fixture(scope="session")
def engine(league: str) -> Iterator[Engine]:
    engine = Engine()
    yield engine
    for container in engine.api.containers(all=True, filters={"label": f"ninefold={league}"}):
        engine.remove_container(container["Id"])
    reap_images(engine, league, (), newest=0)
    asyncio.run(engine.close())


@pytest.fixture(scope="session")
def image(engine: Engine, league: str) -> str:
    return arena.build(engine, league)


@pytest.fixture(scope="session")
def run_dir(league: str) -> Iterator[RunDir]:
    run_dir = RunDir(league)
    yield run_dir
    run_dir.remove()
