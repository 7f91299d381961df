"""Every numbered rule has its tests, and its paragraph in the pages that contestants read.

A test belongs to a rule by its name: `test_n2_4_no_pair_after_a_draw` is one of N2.4, `test_k5_2_and_k5_3_calls` of both.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import referee.games

SUBRULES = {"N1": 6, "N2": 4, "N3": 3, "N4": 4, "N5": 5, "N6": 6, "K1": 3, "K2": 5, "K3": 5, "K4": 2, "K5": 3}
WHOLE = ["N7", "N8", "N9", "K6", "K7", "K8", "F1", "F2", "F3", "F4", "S1", "S2", "S3", "S4", "S5", "S6", "S7"]
RULES = [*(f"{rule}.{number}" for rule, most in SUBRULES.items() for number in range(1, most + 1)), *WHOLE]
"""The numbers of the design: written out, so that a rule which is lost everywhere is missed here."""

PAGES = {"N": "nines", "K": "nine"}


def by_rule() -> dict[str, list[str]]:
    """The tests of each rule, by the numbers in their names."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for rule, number in re.findall(r"(?<![a-z0-9])([nkfs][1-9])(?:_([1-9])(?![0-9]))?(?![0-9])", node.name):
                    name = rule.upper() + (f".{number}" if number else "")
                    found.setdefault(name, []).append(f"{path.name}::{node.name}")
    return found


TESTED = by_rule()


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_table(rule: str) -> None:
    assert TESTED.get(rule), f"no test is named after {rule}"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_paragraph(rule: str) -> None:
    if rule[0] in PAGES:
        page = Path(referee.games.__file__).with_name(PAGES[rule[0]]) / "RULES.md"
        assert re.search(rf"^(- \*\*{re.escape(rule)}\*\*|## {re.escape(rule)} |\*\*{re.escape(rule)}\*\*)",
                         page.read_text(encoding="utf-8"), re.MULTILINE)  # fmt: skip


def test_no_test_is_named_after_a_rule_that_does_not_exist() -> None:
    groups = {rule.split(".")[0] for rule in RULES}
    assert not [f"{rule}: {tests}" for rule, tests in TESTED.items() if rule not in RULES and rule not in groups]
