"""`ninefold status`: what is alive, stuck or queued; exit 1 names the stuck part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League
from referee.cli.output import JSON_OPTION, NEGATIVE, command, print_json, print_table, say
from referee.wording import counted

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
        waiting = [_waiting(what, count) for what, count in found["queue"].items() if count]
        say("queue: " + (", ".join(waiting) or "empty"))
        say(_disk(found))
        for problem in found["problems"]:
            say(problem, style="red")
        if not found["problems"]:
            say("the league is starting: ask again in a few seconds" if found["starting"] else "all is well")
    if found["problems"]:
        raise typer.Exit(NEGATIVE)


def _waiting(what: str, count: int) -> str:
    """A line of the queue, such as `fixtures_parked`, in words."""
    things, _, state = what.partition("_")
    return f"{counted(count, things.removesuffix('s'))} {state}"


def _disk(found: dict[str, Any]) -> str:
    """What the league takes, and what retention has removed."""
    disk = found["disk"]
    told = [f"database {_mib(disk['database_bytes'])}"] if disk["database_bytes"] is not None else []
    if disk["blob_bytes"] is None:
        told.append("blobs not measured yet")
    else:
        old = "" if disk["blobs_at"] in (None, found["at"]) else f" at {disk['blobs_at'][:19]}"
        told.append(f"blobs {_mib(disk['blob_bytes'])}{old}")
    kept = found["retention"]
    days = [
        f"{what} after {counted(kept[what]['days'], 'day')}" for what in ("logs", "replays", "builds") if what in kept
    ]
    last = kept.get("last")
    if last is not None:
        gone = [counted(last[what], what.removesuffix("s")) for what in ("logs", "replays", "blobs") if last.get(what)]
        days.append(f"at {last['at'][:19]}: {', '.join(gone) or 'nothing to remove'}")
    return "disk: " + ", ".join(told) + ("; retention: " + ", ".join(days) if days else "")


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
