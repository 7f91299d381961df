"""`ninefold admin …`: what an organiser may do to accounts and fixtures, each recorded and most of it reversible."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League, request_id
from referee.cli.output import JSON_OPTION, command, print_json, print_table, say
from referee.errors import UsageError

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="What an organiser may do: ban, quota, freeze, void, audit."
)
DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]
REASON = Annotated[str, typer.Option(help="Why; kept in the audit log.")]
UNDO = Annotated[bool, typer.Option("--undo", help="Take it back.")]


@app.command()
@command
def ban(user: Annotated[str, typer.Argument()], reason: REASON = "", undo: UNDO = False, data: DATA = None) -> None:
    """Shut an account: its tokens open nothing, and its challenges are cancelled."""
    with League.connect(data) as league:
        done = league.read("BanUser", league_pb2.BanRequest(user=user, reason=reason, undo=undo))
    say(f"{user} is {'back' if undo else 'banned'}")
    for name in done["cancelled"]:
        say(f"{name} is cancelled")


@app.command()
@command
def quota(
    user: Annotated[str, typer.Argument()],
    change: Annotated[list[str], typer.Argument(help="quota=number, such as bots=20.")],
    data: DATA = None,
) -> None:
    """Change an author's allowances."""
    values: dict[str, int] = {}
    for text in change:
        key, _, value = text.partition("=")
        if not (value.isascii() and value.isdigit()) or len(value) > 9:
            raise UsageError(f"{text!r} is no quota=number; write for example bots=20")
        values[key] = int(value)
    with League.connect(data) as league:
        league.read("SetQuota", league_pb2.QuotaRequest(user=user, quota=values))
    say(f"{user}: {', '.join(change)}")


@app.command()
@command
def freeze(reason: REASON = "", undo: UNDO = False, data: DATA = None) -> None:
    """Refuse uploads for a while."""
    with League.connect(data) as league:
        league.read("FreezeSubmissions", league_pb2.FreezeRequest(reason=reason, undo=undo))
    say(f"submissions are {'taken again' if undo else 'frozen'}")


@app.command()
@command
def void(fixture: Annotated[str, typer.Argument()], reason: REASON = "", data: DATA = None) -> None:
    """Stop a running fixture; it is played again on the same deals."""
    request = league_pb2.TournamentChange(change="void", fixture=fixture, reason=reason, request_id=request_id())
    with League.connect(data) as league:
        league.read("ChangeTournament", request)
    say(f"{fixture} is void and will be played again")


@app.command()
@command
def audit(limit: Annotated[int, typer.Option()] = 50, data: DATA = None, as_json: JSON = False) -> None:
    """Who did what, when and why, newest first."""
    with League.connect(data) as league:
        rows = league.read("Audit", league_pb2.AuditRequest(limit=limit))
    if as_json:
        return print_json(rows)
    columns = [("at", "when"), ("actor", "who"), ("action", "what"), ("target", "to"), ("reason", "why")]
    return print_table(rows, columns, empty="Nothing has been done yet.")
