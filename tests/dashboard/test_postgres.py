"""Every page on PostgreSQL: the demo league is the same on both databases, so every table must read the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.dashboard import demo_league
from tests.dashboard.test_app import said, tables
from tests.services import Postgres

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

CLOCKS = {"when", "since", "moved", "ended", "created"}
"""Columns of times, which differ between two leagues played one after the other."""
VISITS = [
    ("overview", {}),
    ("standings", {"tournament": "spring-cup"}),
    ("h2h", {"tournament": "spring-cup", "a": "greedy", "b": "sleepy"}),
    ("tournament", {"tournament": "spring-cup", "block": "16"}),
    ("tournament", {"tournament": "close-race"}),
    ("matches", {}),
    ("matches", {"bot": "sleepy", "cause": "crash", "opponent": "greedy"}),
    ("matches", {"from": "2020-01-01", "to": "2199-01-01", "players": "3", "game": "nine"}),
    ("matches", {"cause": "fault", "tournament": "call-of-nine"}),
    ("bot", {"name": "sleepy"}),
    ("bot", {"name": "\x00"}),
    ("replay", {"match": "spring-cup/5/1/1"}),
    ("replay", {"match": "summer-league/6/1/1"}),
    ("live", {"fixture": "summer-league/6/2"}),
]


@pytest.fixture(scope="module")
def database(
    postgres_server: Postgres, postgres_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The demo league on PostgreSQL."""
    url = postgres_server.database(postgres_template)
    demo_league.build(tmp_path_factory.mktemp("other") / "data", url).close()
    yield url
    postgres_server.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in CLOCKS} for row in rows]


def test_every_table_reads_the_same(run: Any, league: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for page, query in VISITS:  # one after the other: each asks both databases
        monkeypatch.delenv("NINEFOLD_DATABASE_URL", raising=False)
        expected = tables(run(league, page, **query))
        monkeypatch.setenv("NINEFOLD_DATABASE_URL", database)
        app = run(league, page, **query)
        assert "cannot be" not in said(app), (page, query)
        found = tables(app)
        assert set(found) == set(expected), (page, query)
        for label, rows in expected.items():
            assert timeless(found[label]) == timeless(rows), (page, query, label)
            compared += len(rows)
    assert compared > 300
