"""Every rule number that a reader meets can be looked up in the project's own rules."""

from __future__ import annotations

import re

import pytest

from tests.docs.blocks import ROOT

RULES = ("referee/games/RULES.md", "referee/games/nines/RULES.md", "referee/games/nine/RULES.md")
CITED = re.compile(r"(?<![\w.-])([NK]\d(?:\.\d)?|[FS][1-9])(?![\w.]\d|\w)")
GIVEN = re.compile(r"\*\*([NKFS]\d(?:\.\d)?)\*\*|^#+ ([NKFS]\d) ", re.MULTILINE)
READ = [
    *sorted(ROOT.glob("*.md")),
    *sorted(p for p in ROOT.glob("sample_bots/**/*.md") if "node_modules" not in p.parts),
    *sorted(ROOT.glob("sample_bots/botkit/*.py")),
    *sorted(ROOT.glob("sample_bots/botkit_node/*.js")),
    *sorted(ROOT.glob("protos/**/*.md")),
    *sorted(ROOT.glob("protos/**/*.proto")),
    *sorted(ROOT.glob("referee/**/*.py")),
    *(ROOT / name for name in RULES),
]
NUMBERS = {a or b for name in RULES for a, b in GIVEN.findall((ROOT / name).read_text())}


def test_there_are_rules_of_every_kind() -> None:
    assert {"N1.1", "N2", "K3.1", "F1", "F4", "S1", "S7"} <= NUMBERS


@pytest.mark.parametrize("folder", sorted({p.parent.relative_to(ROOT).as_posix() for p in READ}))
def test_a_rule_that_is_cited_can_be_found(folder: str) -> None:
    missing = {
        f"{path.name}: {number}"
        for path in READ
        if path.parent == ROOT / folder
        for number in CITED.findall(path.read_text())
        if number not in NUMBERS
    }
    assert not missing


@pytest.mark.parametrize("name", ["sample_bots/README.md", "protos/README.md", *RULES[1:]])
def test_readers_are_led_to_the_rules_of_both_games(name: str) -> None:
    link = {"sample_bots/README.md": "../referee/games/RULES.md", "protos/README.md": "../referee/games/RULES.md"}
    assert f"]({link.get(name, '../RULES.md')}" in (ROOT / name).read_text()
