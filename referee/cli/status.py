"""`ninefold status`: what is alive, stuck or queued; exit 1 names the stuck part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League
from referee.cli.output import JSON_OPTION, NEGATIVE, command, print_json, print_table, say

app = typer.Typer(add_completion=False)


@app.command()
@command
def status(
    deep: Annotated[bool, typer.Option(help="Recompute standings from the records and compare.")] = False,
    data: Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """What is alive, stuck or queued; exit 1 names the stuck part."""
    with League.connect(data) as league:
        found = league.read("Status", league_pb2.StatusRequest(deep=deep), seconds=300 if deep else 30)
    if as_json:
        print_json(found)
    else:
        columns = [
            ("kind", "part"),
            ("name", "name"),
            ("state", "state"),
            ("stage", "stage"),
            ("reason", "reason"),
            ("heartbeat_at", "last heard"),
        ]
        print_table(found["services"], columns, empty="No part has reported yet.")
        waiting = [f"{count} {what.replace('_', ' ')}" for what, count in found["queue"].items() if count]
        say("queue: " + (", ".join(waiting) or "empty"))
        for problem in found["problems"]:
            say(problem, style="red")
        if not found["problems"]:
            say("all is well")
    if found["problems"]:
        raise typer.Exit(NEGATIVE)
