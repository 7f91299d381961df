"""`ninefold replay …`: what the replay files hold, and those of a league listed and fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League
from referee.cli.debug import app
from referee.cli.download import save_one
from referee.cli.output import JSON_OPTION, command, print_json, print_table, say

DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]


@app.command("list")
@command
def list_replays(
    tournament: Annotated[str, typer.Option(help="Only of this tournament.")] = "",
    bot: Annotated[str, typer.Option(help="Only with this bot.")] = "",
    opponent: Annotated[str, typer.Option(help="And this one.")] = "",
    cause: Annotated[str, typer.Option(help="Only matches that ended so, such as timeout.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=200, help="Newest first.")] = 20,
    before: Annotated[str, typer.Option(help="The next page: as the last one said.")] = "",
    data: DATA = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Matches of a league, newest first."""
    request = league_pb2.MatchFilter(
        tournament=tournament, bot=bot, opponent=opponent, cause=cause, before=before, limit=limit
    )
    with League.connect(data) as league:
        page = league.read("ListMatches", request)
    if as_json:
        return print_json(page)
    rows = [
        {
            "match": row["match_id"],
            "ended": (row["ended_at"] or "")[:19],
            "seats": ", ".join(f"{seat['bot']}@{seat['version']}" for seat in row["seats"]),
            "places": " ".join(str(seat.get("place") or "–") for seat in row["seats"]),
            "cause": row["cause"],
        }
        for row in page["matches"]
    ]
    columns = [("match", "match"), ("ended", "ended"), ("seats", "seats"), ("places", "places"), ("cause", "cause")]
    print_table(rows, columns, empty="No match fits.")
    return say(f"more: --before {page['next']}") if page["next"] else None


@app.command("export")
@command
def export_replay(
    match: Annotated[str, typer.Argument(help="The match, <tournament>/<block>/<seating>/<match>.")],
    to: Annotated[Path | None, typer.Option(help="File to write to; stdout otherwise.")] = None,
    data: DATA = None,
) -> None:
    """The replay file of one match; its seed is in it once its block is complete."""
    with League.connect(data) as league:
        save_one(league, "GetReplay", league_pb2.MatchKey(match_id=match), to)
