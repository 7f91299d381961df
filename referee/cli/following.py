"""Standings and progress as the command line shows them: redrawn in place on a terminal, else line by line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.align import Align
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League
from referee.cli.output import console, note, say
from referee.tournament.enough import NO_INTERVAL
from referee.wording import counted

LINE_SECONDS = 5.0
"""Where lines are printed one below the other, progress is told so often; a change of state at once."""
STANDINGS = [
    ("rank", "rank"), ("bot", "bot"), ("points", "points"), ("score", "share"), ("matches", "matches"),
    ("mean_penalty", "penalty"), ("mean_margin", "margin"), ("forfeits", "forfeits"),
    ("rating", "rating"), ("interval", "95%"),
]  # fmt: skip
Row = Mapping[str, Any]


def watch_until_end(league: League, name: str, quiet: bool = False) -> dict[str, Any]:
    """The last state of the tournament, shown as it changed unless `quiet`; who stops watching stops nothing else."""
    try:
        return _watched(league, name, quiet)
    except KeyboardInterrupt:
        note(f"{name} plays on; watch it: ninefold tournament watch {name}")
        raise


def _watched(league: League, name: str, quiet: bool) -> dict[str, Any]:
    states = (json.loads(m.json) for m in league.stream("WatchTournament", league_pb2.TournamentKey(name=name)))
    last: dict[str, Any] = {}
    if not quiet and console.is_terminal:
        with Live(console=console, refresh_per_second=4) as live:
            for last in states:
                live.update(panel(last))
        return last
    lines = Lines()
    for last in states:
        if not quiet and (line := lines.of(last["tournament"])):
            say(line)
    if last and not quiet:
        print_standings(last["standings"], last["tournament"])
    return last


class Lines:
    """Progress as lines that stay: one at each change of state, and one every few seconds between them."""

    def __init__(self) -> None:
        self._state = ""
        self._told = 0.0
        self._line = ""

    def of(self, row: Row, now: float | None = None) -> str:
        """The line to print now, or none."""
        now = time.monotonic() if now is None else now
        if row["state"] == self._state and now - self._told < LINE_SECONDS:
            return ""
        line = head(row)
        if line == self._line:
            return ""
        self._state, self._told, self._line = row["state"], now, line
        return line


def panel(state: Row) -> Group:
    """Progress in words and as a bar, and the standings below."""
    row = state["tournament"]
    total = row["total_fixtures"] or 0
    ended = row["done_fixtures"] if row["state"] == "cancelled" else _ended(row)
    bar = Align.left(ProgressBar(total=max(total, 1), completed=ended, width=60))  # a bar alone does not end its line
    notes = [Text(line) for line in standings_notes(state["standings"], row)]
    return Group(Text(head(row)), bar, standings_table(state["standings"]), *notes)


def head(row: Row) -> str:
    """How far a tournament is, in one line."""
    left = f", about {round(row['seconds_left'])} s left" if row.get("seconds_left") else ""
    live = ", ".join(f"{count} {what}" for what, count in row["live"].items() if count)
    given_up = {"cancelled": row["cancelled_fixtures"], "dropped": row["dropped_fixtures"]}
    fixtures = [f"{row['done_fixtures']:,} of {counted(row['total_fixtures'] or 0, 'fixture')} played"]
    fixtures += [f"{count:,} {what}" for what, count in given_up.items() if count]
    matches = counted(row["done_matches"], "match", "matches")
    return f"{row['name']}: {row['state']}, {', '.join(fixtures)}, {matches}{left}" + (f" ({live})" if live else "")


def _ended(row: Row) -> int:
    return int(row["done_fixtures"] + row["cancelled_fixtures"] + row["dropped_fixtures"])


def print_standings(rows: Sequence[Row], tournament: Row) -> None:
    """The table and what must be known to read it are on stdout."""
    console.print(standings_table(rows))
    for line in standings_notes(rows, tournament):
        say(line)


def standings_table(rows: Sequence[Row]) -> Table | Text:
    """The standings as they are shown everywhere on the command line."""
    if not rows:
        return Text("No match has finished yet.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key, heading in STANDINGS:
        table.add_column(heading, justify="left" if key == "bot" else "right")
    for row in rows:
        table.add_row(*(Text(_figure(row, key)) for key, _ in STANDINGS))
    return table


def standings_notes(rows: Sequence[Row], tournament: Row) -> list[str]:
    """Why an interval is a dash, and which matches the ratings leave out."""
    notes = []
    if any(row.get("rating") is not None and row.get("rating_low") is None for row in rows):
        notes.append(NO_INTERVAL)
    done, rated = tournament["done_matches"], tournament["rating_watermark"]
    if rated < done and tournament["kind"] == "league":
        notes.append(f"the ratings include {rated} of {counted(done, 'match', 'matches')} so far")
    return notes


def _figure(row: Row, key: str) -> str:
    if key == "interval":
        if row.get("rating_low") is None:
            return "–"
        return f"{row['rating_low']:.0f}–{row['rating_high']:.0f}" + (" provisional" if row.get("provisional") else "")
    value = row.get(key)
    if value is None:
        return "–"
    if key == "bot":
        return f"{value}@{row['version']}" if row.get("version") else str(value)
    if key == "rating":
        return f"{value:.0f}"
    if key == "score":
        return f"{100 * value:.1f}%"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
