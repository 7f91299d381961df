"""`ninefold token …`: keys to an account."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League
from referee.cli.output import JSON_OPTION, command, print_json, print_table, say

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Keys to an account; shown once, stored hashed.")
DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]


@app.command()
@command
def create(
    user: Annotated[str, typer.Argument(help="The account; your own if not given.")] = "",
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Make a token; it is shown this once."""
    with League.connect(data) as league:
        made = league.read("CreateToken", league_pb2.NewToken(user=user, label=label))
    if as_json:
        return print_json(made)
    return say(f"token of {made['user']}, shown this once: {made['token']}")


@app.command("list")
@command
def list_tokens(user: Annotated[str, typer.Argument()] = "", data: DATA = None, as_json: JSON = False) -> None:
    """Tokens of an account, with their last use; never the keys."""
    with League.connect(data) as league:
        rows = league.read("ListTokens", league_pb2.UserKey(name=user))
    if as_json:
        return print_json(rows)
    columns = [
        ("token", "id"),
        ("user", "user"),
        ("label", "label"),
        ("created_at", "since"),
        ("last_used_at", "last used"),
        ("revoked_at", "revoked"),
    ]
    return print_table(rows, columns, empty="No tokens.")


@app.command()
@command
def revoke(
    token: Annotated[int, typer.Argument(help="Its id, from `ninefold token list`.")],
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Make a token useless."""
    with League.connect(data) as league:
        made = league.read("RevokeToken", league_pb2.TokenKey(id=token))
    if as_json:
        return print_json(made)
    return say(f"token {token} opens nothing any more")
