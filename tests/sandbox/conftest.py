"""A container to try things in: its bot runs whatever Python a test sends over the seat's socket, and answers JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import textwrap
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.container import ContainerHandle, ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.handle import SOCKET_NAME, SeatLaunch
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.reaper import reap_images
from referee.sandbox.rundir import RunDir

PUPPET = """
import json, os, socket, struct, sys
table = socket.socket(socket.AF_UNIX)
table.connect(os.environ["NINEFOLD_SOCKET"])
stream = table.makefile("rwb")
while line := stream.readline():
    scope = {"answer": None, "table": table}
    try:
        exec(json.loads(line), scope)
    except Exception as error:
        scope["answer"] = f"{type(error).__name__}: {error}"
    stream.write(json.dumps(scope["answer"]).encode() + b"\\n")
    stream.flush()
"""


@pytest.fixture(scope="session")
def league() -> str:
    return f"test{secrets.token_hex(3)}"


@pytest.fixture(scope="session")
def engine(league: str) -> Iterator[Engine]:
    engine = Engine()
    yield engine
    for container in engine.api.containers(all=True, filters={"label": f"ninefold={league}"}):
        engine.remove_container(container["Id"])
    reap_images(engine, league, (), newest=0)
    asyncio.run(engine.close())


@pytest.fixture(scope="session")
def base(engine: Engine) -> str:
    return ensure_base(engine, print)


@pytest.fixture(scope="session")
def puppet(engine: Engine, base: str, league: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("puppet")
    (folder / "bot.py").write_text(PUPPET)
    return build_bot(
        Room.new(engine, base, league, Limits()), BotSource("puppet", folder, ("bot.py",), "python", "bot.py")
    ).image


@pytest.fixture(scope="session")
def run_dir(league: str) -> Iterator[RunDir]:
    run_dir = RunDir(league)
    yield run_dir
    run_dir.remove()


@pytest.fixture
def sandbox(engine: Engine, league: str) -> ContainerSandbox:
    return ContainerSandbox(engine, league)


def listening(folder: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / SOCKET_NAME))
    os.chmod(folder / SOCKET_NAME, 0o666)
    listener.listen()
    listener.setblocking(False)
    return listener


class Puppet:
    """A started container and the stream to what runs in it."""

    def __init__(self, handle: ContainerHandle, connection: socket.socket) -> None:
        self.handle, self.connection = handle, connection

    async def tell(self, code: str) -> None:
        line = json.dumps(textwrap.dedent(code)).encode() + b"\n"
        await asyncio.get_running_loop().sock_sendall(self.connection, line)

    async def ask(self, code: str) -> object:
        await self.tell(code)
        answer = b""
        while not answer.endswith(b"\n"):
            piece = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self.connection, 65536), 30)
            if not piece:
                raise EOFError(answer)
            answer += piece
        return json.loads(answer)


Seat = Callable[..., contextlib.AbstractAsyncContextManager[Puppet]]


@pytest.fixture
def seat(sandbox: ContainerSandbox, puppet: str, run_dir: RunDir) -> Seat:
    @contextlib.asynccontextmanager
    async def start(sandbox: ContainerSandbox = sandbox) -> AsyncIterator[Puppet]:
        folder = run_dir.seat_folder()
        with contextlib.closing(listening(folder)) as listener:
            async with await sandbox.launch(SeatLaunch(puppet, folder, "fixture", 0)) as handle:
                connection, _ = await asyncio.wait_for(asyncio.get_running_loop().sock_accept(listener), 30)
                with contextlib.closing(connection):
                    yield Puppet(handle, connection)

    return start
