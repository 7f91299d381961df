"""How every command speaks: results to stdout, progress and errors to stderr, one sentence each, and an exit code."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee import logs
from referee.errors import NinefoldError, PlatformFault, Unreachable, UsageError
from referee.wording import abridged, masked, printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?\+00:00$")
P = ParamSpec("P")
R = TypeVar("R")

DONE, NEGATIVE, USAGE, UNREACHABLE, NO_GUARANTEE, INTERRUPTED = 0, 1, 2, 3, 4, 130

LARGEST = 2**31 - 1
"""Of the numbers that any command takes."""
_WIDE = 200  # where nobody looks, nothing is cut
console = Console(highlight=False, emoji=False, markup=False, width=None if sys.stdout.isatty() else _WIDE)
progress_console = Console(
    stderr=True, highlight=False, emoji=False, markup=False, width=None if sys.stderr.isatty() else _WIDE
)

JSON_OPTION = typer.Option("--json", help="Print data as JSON.")


def exit_code(error: NinefoldError) -> int:
    """The documented exit code of an error."""
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, Unreachable):
        return UNREACHABLE
    if isinstance(error, PlatformFault) and error.cause == "guarantee":
        return NO_GUARANTEE
    return NEGATIVE


def say_error(error: BaseException | str) -> None:
    """One line on stderr, whatever characters it holds and however many; no address in it tells its password."""
    text = abridged(masked(printable(str(error), breaks=False)))
    progress_console.print(Text(f"ninefold: {text}", style="red"), soft_wrap=True)


def _demand_numbers(given: Mapping[str, Any]) -> None:
    """Every number that a command was given can be meant; some commands narrow theirs further."""
    for name, value in given.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and not (math.isfinite(value) and 0 <= value <= LARGEST):
            raise UsageError(f"{name.replace('_', '-')} cannot be {value}: it must lie in 0–{LARGEST}")


def command(function: Callable[P, R]) -> Callable[P, R]:
    """The function as a command: our own errors become one sentence and an exit code, Ctrl-C becomes 130.

    What it logs goes to stderr, and no number reaches it that nobody can mean.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            logs.configure()
            _demand_numbers(kwargs)
            return function(*args, **kwargs)
        except NinefoldError as error:
            say_error(error)
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:
            say_error("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            sys.stderr.close()
            raise typer.Exit(DONE) from None
        except (typer.Exit, typer.Abort):
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            say_error(f"{place}{error.strerror or error}")
            raise typer.Exit(NEGATIVE) from None
        except UnicodeEncodeError:
            say_error("an argument is no text in UTF-8; write it again")
            raise typer.Exit(USAGE) from None
        except Exception as error:
            if os.environ.get("NINEFOLD_DEBUG"):
                raise
            say_error(f"a mistake of Ninefold's own ({type(error).__name__}: {error}); NINEFOLD_DEBUG=1 shows where")
            raise typer.Exit(NEGATIVE) from None

    return run


def say(text: str, style: str = "", *, breaks: bool = True) -> None:
    """One line of result on stdout, letter for letter and never wrapped."""
    console.print(Text(printable(text, breaks=breaks), style=style), soft_wrap=True)


def note(text: str) -> None:
    """One line on stderr, letter for letter."""
    progress_console.print(Text(printable(text)), soft_wrap=True)


def warn(text: str) -> None:
    """One line on stderr that is no error."""
    progress_console.print(Text(printable(text), style="yellow"), soft_wrap=True)


def progress(*columns: ProgressColumn, show: bool = True) -> Progress:
    """What is done, letter for letter, and the columns: on stderr, on a terminal only, and gone at the end.

    What is written meanwhile stands above it on a terminal, and goes into a file or pipe untouched.
    """
    from rich.progress import Progress, TextColumn

    what = TextColumn("{task.description}", markup=False)
    shown = show and progress_console.is_terminal
    redirected = sys.stdout.isatty()  # else what belongs into a file or pipe would land on the terminal
    return Progress(
        what, *columns, console=progress_console, transient=True, disable=not shown, redirect_stdout=redirected
    )


@contextmanager
def told(first: str, show: bool = True) -> Iterator[Callable[[str], None]]:
    """A function by which a long action says what it is doing: in place on a terminal, else line by line."""
    if not show:
        yield lambda line: None
    elif progress_console.is_terminal:
        with progress_console.status(Text(first)) as shown:
            yield lambda line: shown.update(Text(printable(line)))
    else:
        yield lambda line: progress_console.print(Text(printable(line)), soft_wrap=True)


def print_json(document: Any) -> None:
    """The document on stdout as strictly valid JSON."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_table(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[tuple[str, str]], *, empty: str, title: str = ""
) -> None:
    """The rows as a table, `columns` as (key, heading), cells letter for letter; `empty` is said if there are none."""
    rows = list(rows)
    if not rows:
        say(empty)
        return
    table = Table(
        title=Text(title) if title else None, title_justify="left", box=None, pad_edge=False, header_style="bold"
    )
    for key, heading in columns:
        numeric = all(isinstance(row.get(key), int | float) or row.get(key) is None for row in rows)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(key))) for key, _ in columns))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    text = str(value)
    if _TIME.match(text):
        text = text[:19] + "Z"
    return printable(text, breaks=False)
