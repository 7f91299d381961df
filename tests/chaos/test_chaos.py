"""The short forms of `python -m tests.chaos`, and the long one."""

from __future__ import annotations

import pytest

from tests.chaos.league import Kind, private_engine_possible
from tests.chaos.run import family, run

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]

POSTGRES_REDIS = [pytest.mark.postgres, pytest.mark.redis]


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(Kind("sqlite", "embedded"), id="sqlite-embedded"),
        pytest.param(Kind("postgres", "redis"), id="postgres-redis", marks=POSTGRES_REDIS),
    ],
)
def test_ten_kills_change_nothing(kind: Kind) -> None:
    report = run(10, 6, kind, say=print, blocks=2)
    print(report.table(), *report.noted, sep="\n")
    assert report.problems == []
    assert report.matches >= 12


@pytest.mark.long
@pytest.mark.timeout(5400)
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(Kind("sqlite", "embedded"), id="sqlite-embedded"),
        pytest.param(Kind("postgres", "redis", engine="private" if private_engine_possible() else "machine"), id="postgres-redis", marks=POSTGRES_REDIS),
    ],
)
def test_two_hundred_kills_change_nothing(kind: Kind) -> None:
    report = run(200, 1, kind, say=print)
    print(report.table(), *report.noted, sep="\n")
    assert report.problems == []
    for part in {family(part) for part, _ in report.kills}:
        assert sum(count for (hit, _), count in report.kills.items() if hit == part) >= 10
