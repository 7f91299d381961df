"""`ninefold user …`: accounts of a league."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League, request_id
from referee.cli.output import JSON_OPTION, command, print_json, print_table, say

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Accounts of a league.")
DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]


@app.command()
@command
def add(
    name: Annotated[str, typer.Argument()],
    role: Annotated[str, typer.Option(help="author or organiser.")] = "author",
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Make an account and its first token, which is shown this once."""
    with League.connect(data) as league:
        made = league.read("AddUser", league_pb2.NewUser(name=name, role=role, request_id=request_id()))
    if as_json:
        return print_json(made)
    return say(f"{name} ({role}); token, shown this once: {made['token']}")


@app.command("list")
@command
def list_users(data: DATA = None, as_json: JSON = False) -> None:
    """All accounts."""
    with League.connect(data) as league:
        rows = league.read("ListUsers", league_pb2.ListUsersRequest())
    if as_json:
        return print_json(rows)
    columns = [
        ("name", "user"),
        ("role", "role"),
        ("created_at", "since"),
        ("banned_at", "banned"),
        ("ban_reason", "why"),
    ]
    return print_table(rows, columns, empty="No accounts yet.")
