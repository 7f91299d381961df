"""Whatever was in the page cache before, all of a bot's files are when it starts, however little of them is used."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from referee.sandbox.build import BotSource, build_bot
from referee.sandbox.cage import Room
from referee.sandbox.handle import SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.warm import layers, own_layer, warm
from tests.sandbox.conftest import listening

SIZE = 3_000_000


def cold(path: Path) -> bool:
    """Whether any page of the file is not in memory; looking does not bring it there."""
    fd = os.open(path, os.O_RDONLY)
    try:
        for at in range(0, path.stat().st_size, 4096):
            try:
                os.preadv(fd, [bytearray(1)], at, os.RWF_NOWAIT)
            except BlockingIOError:
                return True
        return False
    finally:
        os.close(fd)


def emptied(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    if not cold(path):
        pytest.skip("this file system keeps its files in memory")


def test_every_plain_file_is_read_and_nothing_else(tmp_path):
    inside, outside = tmp_path / "layer" / "bot" / "deep", tmp_path / "outside"
    inside.mkdir(parents=True)
    outside.mkdir()
    for folder in (inside, outside):
        (folder / "data.bin").write_bytes(os.urandom(SIZE))
        emptied(folder / "data.bin")
    (inside / "file").symlink_to(outside / "data.bin")
    (inside / "folder").symlink_to(outside)
    os.mkfifo(inside / "fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(inside / "socket"))
        assert warm(tmp_path / "layer") == SIZE
    assert not cold(inside / "data.bin")
    assert cold(outside / "data.bin")


def test_a_folder_that_is_not_there_is_left_alone(tmp_path):
    assert warm(tmp_path / "nowhere") == 0


IMAGES = [  # what the engine says, the folders
    ("overlay2", {"Name": "overlay2", "Data": {"UpperDir": "/c", "LowerDir": "/b:/a"}}, ["/c", "/b", "/a"]),
    ("one layer", {"Name": "overlay2", "Data": {"UpperDir": "/c"}}, ["/c"]),
    ("another driver", {"Name": "vfs", "Data": {"UpperDir": "/c"}}, []),
    ("containerd's store", None, []),
]


@pytest.mark.parametrize(("driver", "folders"), [i[1:] for i in IMAGES], ids=[i[0] for i in IMAGES])
def test_the_layers_are_the_engines(driver, folders):
    assert layers({"GraphDriver": driver}) == [Path(folder) for folder in folders]


@pytest.mark.docker
def test_a_file_that_its_bot_never_reads_is_in_memory_when_the_bot_starts(
    engine, base, league, sandbox, run_dir, tmp_path
):
    (tmp_path / "bot.py").write_text("import time\ntime.sleep(100)\n")
    (tmp_path / "data.bin").write_bytes(os.urandom(SIZE))
    source = BotSource("warm", tmp_path, ("bot.py", "data.bin"), "python", "bot.py")
    image = build_bot(Room.new(engine, base, league, Limits()), source).image
    layer = own_layer(engine.api.inspect_image(image))
    if layer is None or not layer.is_dir():
        pytest.skip("the engine's layers cannot be read from here")

    async def start():
        folder = run_dir.seat_folder()
        with listening(folder):
            prepared = await sandbox.prepare(SeatLaunch(image, folder, "fixture", 0))
            await prepared.close()

    for _ in range(2):
        emptied(layer / "bot" / "data.bin")
        asyncio.run(start())
        assert not cold(layer / "bot" / "data.bin")
