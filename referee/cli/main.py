"""The `ninefold` command. Its parts are imported when they are asked for, so that none pays for another's libraries."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import typer
from typer._click import Context
from typer.core import TyperGroup

from referee.version import VERSION
from referee.wording import meant

GROUPS = {
    "bot": ("referee.cli.bots", "Write, check, submit and look after bots."),
    "tournament": ("referee.cli.tournaments", "Create, run, watch and export tournaments."),
    "replay": ("referee.cli.replays", "List, show, export, verify and debug replays."),
    "user": ("referee.cli.users", "Accounts of a league."),
    "token": ("referee.cli.tokens", "Keys to an account; shown once, stored hashed."),
    "store": ("referee.cli.store", "The league's database: upgrade, backup, restore."),
    "admin": ("referee.cli.admin", "What an organiser may do: ban, quota, freeze, void, audit."),
}
COMMANDS = {
    "up": "referee.cli.up",
    "serve": "referee.cli.serve",
    "doctor": "referee.cli.doctor",
    "status": "referee.cli.status",
    "images": "referee.cli.images",
    "play": "referee.cli.play",
    "challenge": "referee.cli.challenge",
    "login": "referee.cli.login",
}
"""Each module has a Typer `app`; a single command's app holds just that command."""


class _Lazy(TyperGroup):
    """A group that knows its commands' names and loads one only when it is run or described."""

    def list_commands(self, ctx: Context) -> list[str]:
        return [*COMMANDS, *GROUPS]

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command {args[0]!r}{meant(args[0], self.list_commands(ctx))}.")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Context, cmd_name: str) -> Any:
        module = COMMANDS.get(cmd_name) or GROUPS.get(cmd_name, ("", ""))[0]
        if not module:
            return None
        loaded = typer.main.get_command(importlib.import_module(module).app)
        loaded.name = cmd_name
        return loaded


app = typer.Typer(
    cls=_Lazy, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ninefold {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Ninefold: a league for programs that play cards."""


def main() -> Any:
    """The console script: runs the command and exits with the documented code."""
    try:
        return app(standalone_mode=True)
    except KeyboardInterrupt:
        sys.stderr.write("ninefold: interrupted\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
