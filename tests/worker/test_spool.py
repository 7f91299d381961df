"""The broker in a folder: a message is whole, taken by one reader, and nothing stays behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from kombu import Connection

from worker import spool


def connection(folder: Path) -> Connection:
    spool.prepare(folder)
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    return Connection("filesystem://localhost/", transport="worker.spool:Transport", transport_options=options)


def test_many_readers_take_each_message_once(tmp_path: Path) -> None:
    with connection(tmp_path) as sender:
        queue = sender.SimpleQueue("fixtures-m1")
        for number in range(200):
            queue.put(number)
        queue.close()
    taken: list[int] = []

    def read() -> None:
        with connection(tmp_path) as reader:
            queue = reader.SimpleQueue("fixtures-m1")
            while True:
                try:
                    message = queue.get(block=False)
                except queue.Empty:
                    return
                taken.append(message.payload)
                message.ack()

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(taken) == list(range(200))
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


def test_queues_are_apart_and_in_order(tmp_path: Path) -> None:
    with connection(tmp_path) as both:
        one, two = both.SimpleQueue("builds"), both.SimpleQueue("fixtures-m2")  # kombu remembers queues by name
        for number in range(5):
            one.put(number)
        two.put("x")
        assert (one.qsize(), two.qsize()) == (5, 1)
        assert [one.get(block=False).payload for _ in range(5)] == list(range(5))
        with pytest.raises(one.Empty):
            one.get(block=False)
        assert two.clear() == 1


def test_what_killed_programs_left_is_swept(tmp_path: Path) -> None:
    old, new = tmp_path / ".1.part", tmp_path / ".2.taken"
    for path in (old, new):
        path.write_text("{}")
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    spool.prepare(tmp_path)
    assert not old.exists()
    assert new.exists()
