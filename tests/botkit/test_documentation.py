"""The examples in botkit's documentation hold."""

from __future__ import annotations

import doctest
from pathlib import Path

import botkit

from tests.botkit.fake_table import NINES_LEGAL, nines_start, nines_view, play

README = Path(botkit.__file__).parent / "README.md"


def test_the_examples_of_the_readme_hold():
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert (failed, tried > 10) == (0, True)


def test_the_bot_of_the_readme_plays(tmp_path):
    source = README.read_text().split("```python\n")[1].split("```")[0]
    answers = []

    async def script(seat):
        await nines_start(seat)
        answers.append(await seat.ask(nines_view(), NINES_LEGAL))
        await seat.goodbye()

    assert play(script, source, tmp_path).code == 0
    assert answers[0].index == 1
