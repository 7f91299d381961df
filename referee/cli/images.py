"""`ninefold images`: bots' images on this machine's engine, and away with those of leagues that are no more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from referee.cli.output import JSON_OPTION, command, print_json, print_table, say, told, warn
from referee.wording import counted

app = typer.Typer(add_completion=False)


@app.command()
@command
def images(
    remove: Annotated[list[str] | None, typer.Option(help="Remove those of this league; may be repeated.")] = None,
    gone: Annotated[
        bool, typer.Option("--gone", help="Remove those of every league whose data folder is gone.")
    ] = False,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List the bots' images on this machine by league, or remove those of leagues that are no more.

    A league that is unknown to you may be another user's, or live in containers: ask before you remove its images.
    """
    from referee.sandbox.engine import Engine
    from referee.service import orphans

    engine = Engine()
    try:
        if remove or gone:
            with told("images", not as_json) as tell:
                removed = orphans.remove(engine, remove or [], gone, tell)
            if as_json:
                return print_json(removed)
            for league, count in removed.items():
                say(f"{league}: {counted(count, 'image')} removed")
            if not all(removed.values()):
                warn("where none was removed, containers use them: end what plays there first")
            return None if removed else say("No league whose data folder is gone has images here.")
        rows = [
            {
                "league": one.league,
                "images": len(one.images),
                "newest": datetime.fromtimestamp(one.newest, UTC).isoformat(sep=" "),
                "state": one.state,
                "folder": one.folder,
            }
            for one in orphans.holdings(engine)
        ]
    finally:
        engine.api.close()
    if as_json:
        return print_json(rows)
    columns = [(name, name) for name in ("league", "images", "newest", "state", "folder")]
    return print_table(rows, columns, empty="No bot has an image here.")
