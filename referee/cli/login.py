"""`ninefold login`: remember a remote league and the token for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League, address, credentials_path
from referee.cli.output import command, say

app = typer.Typer(add_completion=False)


@app.command()
@command
def login(
    server: Annotated[str, typer.Argument(help="The league's address, such as https://league.example:7009.")],
    token: Annotated[str, typer.Option(prompt=True, hide_input=True, envvar="NINEFOLD_TOKEN", help="Your token.")],
    ca: Annotated[
        Path | None, typer.Option(help="The league's CA file, if its certificate is not publicly signed.")
    ] = None,
) -> None:
    """Check a token against a league and keep both for later commands, in a file that only you can read."""
    with League(address(server, token, ca, "login")) as league:
        about = league.read("About", league_pb2.AboutRequest())
        league.read("ListTokens", league_pb2.UserKey())
    path = credentials_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"server = {_quoted(server)}", f"token = {_quoted(token)}"] + (
        [f"ca = {_quoted(str(ca.resolve()))}"] if ca else []
    )
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    say(f"{server} runs Ninefold {about['version']}; your token is kept in {path}")


def _quoted(text: str) -> str:
    """The text as a TOML string."""
    import json

    return json.dumps(text)
