"""Progress and standings on the command line: lines where nobody redraws, and what a dash means."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from referee.cli import following, output
from referee.tournament.enough import NO_INTERVAL


def state(name: str = "running", done: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "name": "cup", "kind": "league", "state": name, "done_fixtures": done, "cancelled_fixtures": 0,
        "dropped_fixtures": 0, "total_fixtures": 4, "done_matches": 5 * done, "rating_watermark": 5 * done,
        "seconds_left": None, "live": {}, **more,
    }  # fmt: skip


ROW = {"rank": 1, "bot": "a", "version": 1, "points": 3.0, "score": 0.6, "matches": 5, "rating": 1500.0, "rating_low": None}


class Told:
    """A league that says these states."""

    def __init__(self, *states: dict[str, Any]) -> None:
        self.states = states

    def stream(self, method: str, request: Any) -> Any:
        for one in self.states:
            yield SimpleNamespace(json=json.dumps({"tournament": one, "standings": [ROW]}))


def test_lines_come_at_each_change_of_state_and_every_few_seconds() -> None:
    lines = following.Lines()
    assert lines.of(state("running", 0), now=100.0).startswith("cup: running, 0 of 4 fixtures")
    assert lines.of(state("running", 1), now=101.0) == ""
    assert "2 of 4" in lines.of(state("running", 2), now=105.0)
    assert lines.of(state("running", 2), now=111.0) == "", "nothing new is not said twice"
    assert "paused" in lines.of(state("paused", 2), now=111.1)


def test_a_pipe_gets_lines_while_it_runs_and_the_table_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    league: Any = Told(state("running", 1), state("done", 4, rating_watermark=5))
    seen: list[str] = []
    monkeypatch.setattr(following, "say", seen.append)
    following.watch_until_end(league, "cup")
    assert seen[:2] == ["cup: running, 1 of 4 fixtures played, 5 matches", "cup: done, 4 of 4 fixtures played, 20 matches"]
    assert seen[2:] == [NO_INTERVAL, "the ratings include 5 of 20 matches so far"]
    seen.clear()
    assert following.watch_until_end(league, "cup", quiet=True)["tournament"]["state"] == "done"
    assert seen == []


def test_who_stops_watching_is_told_that_play_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    class Stopped(Told):
        def stream(self, method: str, request: Any) -> Any:
            yield from super().stream(method, request)
            raise KeyboardInterrupt

    league: Any = Stopped(state("running", 1))
    with pytest.raises(KeyboardInterrupt):
        following.watch_until_end(league, "cup", quiet=True)
    assert "cup plays on; watch it: ninefold tournament watch cup" in capsys.readouterr().err


def test_the_bar_and_the_table_have_lines_of_their_own() -> None:
    out = io.StringIO()
    Console(file=out, width=100).print(following.panel({"tournament": state(), "standings": [ROW]}))
    lines = out.getvalue().splitlines()
    assert lines[2].startswith("rank")
    assert "━" in lines[1]
    assert "rank" not in lines[1]


def test_an_interval_that_is_not_known_is_a_dash() -> None:
    out = io.StringIO()
    Console(file=out, width=200).print(following.standings_table([ROW, {**ROW, "rating_low": 1400.0, "rating_high": 1600.0, "provisional": True}]))
    _, first, second = out.getvalue().splitlines()
    assert first.split()[-1] == "–"
    assert second.endswith("1400–1600 provisional")
    assert following.standings_notes([{**ROW, "rating_low": 1400.0}], state()) == []
    assert output.console is following.console


def test_cancelled_fixtures_are_not_told_as_played() -> None:
    said = following.head(state("cancelled", 1, cancelled_fixtures=3, done_matches=1))
    assert said == "cup: cancelled, 1 of 4 fixtures played, 3 cancelled, 1 match"
