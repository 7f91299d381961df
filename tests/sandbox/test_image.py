"""The base image: found again by its hash, small, with everything a bot may import and nothing that would help an attack."""

from __future__ import annotations

import io
import json

import pytest

from referee.sandbox import image
from referee.sandbox.cage import Room
from referee.sandbox.image import base_tag, ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.rootfs import Recipe, sources


def test_the_tag_follows_the_sources_and_the_pins(monkeypatch):
    before = base_tag()
    assert base_tag() == before
    changed = sources() | {"lib/botkit/__init__.py": b"# changed"}
    monkeypatch.setattr(image, "sources", lambda: changed)
    assert base_tag() != before


def test_only_the_pure_engine_goes_in():
    names = set(sources())
    assert {"lib/referee/games/registry.py", "lib/referee/cards.py", "lib/botkit/__init__.py", "start.py"} <= names
    parts = {name.split("/")[2] for name in names if name.startswith("lib/referee/")}
    assert parts == {"__init__.py", "cards.py", "errors.py", "wording.py", "games"}


def test_pins_have_hashes_and_no_address():
    for name, text in Recipe.load().files.items():
        if name.endswith(".txt"):
            assert b"://" not in text
            assert b"--hash=sha256:" in text


@pytest.mark.docker
def test_the_base_is_found_again(engine, base):
    said = []
    assert ensure_base(engine, said.append) == base
    assert said == []
    assert engine.api.inspect_image(base)["Size"] < 200e6


LOOK = """
import json, os, sys, stat
import asyncio, ctypes, decimal, hashlib, lzma, multiprocessing, sqlite3, ssl, zoneinfo, unittest
import grpc, google.protobuf, numpy, botkit, referee.games.registry as registry
from protos.ninefold.v1 import table_pb2
games = {name: registry.get(name).__class__.__name__ for name in registry.names()}
stale = [f for f in (grpc.__file__, numpy.__file__, json.__file__, registry.__file__)
         if open(__import__("importlib.util").util.cache_from_source(f), "rb").read(8)[4] != 1]
tools = [t for t in ("apt", "apt-get", "dpkg", "perl", "gcc", "curl", "mount", "su") if os.path.exists("/usr/bin/" + t)]
print(json.dumps({"python": sys.version_info[:2], "stale": stale, "tools": tools, "games": len(games), "path": sys.path[1:3]}))
"""


@pytest.mark.docker
def test_what_a_bot_finds_in_it(engine, base, league):
    room, out = Room.new(engine, base, league, Limits()), io.BytesIO()
    finished = room.run(["python3.11", "-c", LOOK], out, room.log)
    assert finished.code == 0, room.log.text()
    found = json.loads(out.getvalue())
    assert found["python"] == [3, 11]
    assert found["games"] == 2
    assert found["stale"] == [], "compiled with unchecked hashes"
    assert found["tools"] == []
    assert found["path"] == ["/opt/ninefold/lib", "/deps"]
