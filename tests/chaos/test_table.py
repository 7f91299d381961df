"""The table in README.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def test_every_situation_names_tests_that_exist() -> None:
    lines = (Path(__file__).parent / "README.md").read_text().splitlines()
    tables = [line for line in lines if line.startswith("| ") and "tests |" not in line and line.count("|") == 3]
    assert len(tables) == 22  # the lines of the three chapters
    for line in tables:
        file: Path | None = None
        found = 0
        for path, name in re.findall(r"(\w+/test_\w+)|`(\w+)`", line.split("|")[2]):
            if path:
                file = TESTS / f"{path}.py"
                assert file.exists(), path
                found += 1
            elif file is not None and name not in ("kill", "stop", "end", "ending"):
                assert re.search(rf"def test_\w*{name}", file.read_text()), f"{file.name} has no test {name!r}"
        assert found or "/" in line
