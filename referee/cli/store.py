"""`ninefold store …`: the league's database on this machine; works with the league stopped or running."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.output import JSON_OPTION, command, print_json, progress_console, say, told
from referee.errors import UsageError
from referee.settings import Settings, load
from referee.wording import counted

if TYPE_CHECKING:
    from referee.store.engine import Store

app = typer.Typer(add_completion=False, no_args_is_help=True, help="The league's database: upgrade, backup, restore.")
DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]


@contextmanager
def _step(what: str, show: bool) -> Iterator[Callable[[str], None]]:
    """Progress piece by piece on a terminal; elsewhere one line, for nobody reads the pieces."""
    with told(what, show) as tell:
        if progress_console.is_terminal:
            yield tell
        else:
            tell(what)
            yield lambda line: None


def _size(made: Mapping[str, int]) -> str:
    return f"{counted(made['rows'], 'row')}, {counted(made['blobs'], 'blob')}"


def _existing(settings: Settings) -> Store:
    """The store of a league that is there: opening another would make it, and a mistyped folder would seem a league."""
    from sqlalchemy import make_url

    from referee.store.engine import Store, database_url

    url = make_url(database_url(settings))
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise _nothing(url.database or "memory")
    return Store(database_url(settings))


def _nothing(place: str) -> UsageError:
    return UsageError(f"there is no league in {place}; name its data folder with --data, or its NINEFOLD_DATABASE_URL")


@app.command()
@command
def upgrade(data: DATA = None, as_json: JSON = False) -> None:
    """Bring the store to this release's schema; all data is kept. Stop the league first."""
    from referee.store import schema

    store = _existing(load(data))
    try:
        with told("upgrading the store", not as_json):
            before, after = schema.upgrade(store)
    finally:
        store.close()
    if as_json:
        return print_json({"before": before, "after": after})
    return say(
        f"{store.place}: schema {before or 'none'} is now {after}"
        if before != after
        else f"{store.place}: schema {after} already"
    )


@app.command()
@command
def backup(
    file: Annotated[Path, typer.Argument(help="File to write.")], data: DATA = None, as_json: JSON = False
) -> None:
    """Write the whole league into one file, while it plays if it does."""
    from referee.store.backup import backup as write
    from referee.store.schema import current, prepare

    settings = load(data)
    store = _existing(settings)
    try:
        if not current(store):
            raise _nothing(store.place)
        prepare(store)
        with _step("backing up", not as_json) as tell:
            made = write(store, settings, file, tell)
    finally:
        store.close()
    if as_json:
        return print_json({"file": str(file), **made})
    return say(f"{file}: {_size(made)}; it holds secrets, keep it as you keep the data folder")


@app.command()
@command
def restore(
    file: Annotated[Path, typer.Argument(help="File that `backup` wrote.")], data: DATA = None, as_json: JSON = False
) -> None:
    """Fill an empty data folder (or database) from a backup; the league goes on from there."""
    from referee.store.backup import restore as read

    settings = load(data)
    with _step("restoring", not as_json) as tell:
        made = read(file, settings, tell)
    if as_json:
        return print_json(made)
    return say(f"{settings.data_dir}: {_size(made)}; go on with `ninefold up`")
