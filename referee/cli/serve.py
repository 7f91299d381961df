"""`ninefold serve PART`: one part of a league as this process, where something else than `up` supervises."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from referee.cli.output import command
from referee.cli.up import START_SECONDS, Part, Supervisor, locked, prepare
from referee.errors import Unreachable, UsageError
from referee.settings import load

app = typer.Typer(add_completion=False)
BESIDE_A_REFEREE = ("worker", "builder")
"""Parts that speak to the referee of their machine, and wait for it."""


@app.command()
@command
def serve(
    part: Annotated[str, typer.Argument(help="referee, worker, builder, conductor or dashboard.")],
    data: Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")] = None,
) -> None:
    """Run one part of a league until SIGTERM, for containers and service managers; `ninefold up` runs them all."""
    settings = load(data)
    parts = {one.name: one for one in Supervisor(settings).parts}
    if part not in parts:
        raise UsageError(f"{part!r} is no part of a league; name one of {', '.join(parts)}")
    if part == "referee":
        with locked(settings.data_dir) as lock:
            prepare(settings, "docker")
            os.set_inheritable(lock, True)  # the folder stays locked for as long as the referee lives
            become(parts[part])
    if part in BESIDE_A_REFEREE:
        _await(settings.data_dir / "league.json")
    become(parts[part])


def become(part: Part) -> NoReturn:
    """This process is that part from now on."""
    os.execve(part.argv[0], part.argv, {**os.environ, **part.environment})  # noqa: S606


def _await(ready: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while not ready.exists():
        if time.monotonic() > until:
            raise Unreachable(f"no referee wrote {ready} within {START_SECONDS:.0f} s; start it first")
        time.sleep(0.2)
