"""A view reads the same wherever its author meets it: in the bot's own log, in `play`, and in `replay debug`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.authors.conftest import Write, ninefold

BOT = """\
import os
from botkit import Bot, run

class B(Bot):
    turns = 0
    def act(self, view, legal):
        self.turns += 1
        if self.turns == 4:
            {}
        return legal[0]

run(B())
"""


@pytest.mark.parametrize("game", ["nines", "nine"])
def test_a_view_is_printed_alike_by_botkit_by_play_and_by_debug(write: Write, tmp_path: Path, game: str) -> None:
    play = ("--game", game, "--matches", "1", "--seed", "1")
    told = ninefold(
        "play", write(BOT.format("raise ValueError"), name="told"), "random", *play, "--replays", tmp_path / "r"
    )
    silent = ninefold("play", write(BOT.format("os._exit(3)"), name="silent"), "random", *play)
    pattern = re.compile(r"^  (?:botkit: )?view: (.*)$", re.MULTILINE)
    (by_botkit,), (by_play,) = pattern.findall(told.out), pattern.findall(silent.out)
    assert json.loads(by_play) == json.loads(by_botkit)
    debugged = ninefold("replay", "debug", tmp_path / "r" / "0001.json.gz", "--seat", "0", "--json").json()
    assert debugged["decisions"][-1]["view"] == json.loads(by_botkit)
