"""`ninefold replay verify` and `show`: replay files checked and watched without a league."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TimeElapsedColumn

from referee.cli.output import NEGATIVE, command, note, progress
from referee.errors import ReplayError, UsageError
from referee.match import replay
from referee.match.steps import steps
from referee.match.verify import Discrepancy, verify
from referee.tournament.seeds import SeedChain, verify_chain
from referee.wording import counted, printable, unread

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Replay files: list, fetch, verify, debug, or watch one here."
)

SHOWN_PROBLEMS = 20
"""Discrepancies told per run in words; the others are counted."""

Files = Annotated[
    list[Path], typer.Argument(help="Replay files: .json, .json.gz, .jsonl, .jsonl.gz.", metavar="FILE...")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object per match, then a summary.")]


Seeds = Annotated[
    Path | None, typer.Option("--seeds", help="seeds.json of an export: check the chain from the master seed too.")
]


@app.command("verify")
@command
def verify_command(files: Files, seeds: Seeds = None, as_json: AsJson = False) -> None:
    """Re-execute every match of the files from its seed and decisions, and compare every field.

    A folder stands for the replays in it; one that `tournament export` wrote brings its seeds along. Exit 0 if all
    hold; 1 with the first discrepancy of each match that does not, for a file that cannot be read, and where there is
    no match to verify.
    """
    outcomes: list[dict[str, Any]] = []
    seen: set[tuple[str, str]] = set()
    repeated: list[str] = []
    with progress(BarColumn(), TimeElapsedColumn(), show=not (as_json and sys.stdout.isatty())) as shown:
        task = shown.add_task("verifying", total=None)
        for path, chain in _with_chains(files, seeds):
            for outcome in _outcomes(path, chain):
                outcomes.append(outcome)
                if (match_id := outcome["match_id"]) is not None:
                    # outside a league every run begins its ids anew
                    key = match_id, str(path) if match_id.startswith("local/") else ""
                    repeated += [match_id] if key in seen else []
                    seen.add(key)
                shown.update(task, advance=1, description=f"{path.name}: {counted(len(outcomes), 'match', 'matches')}")
                if as_json:
                    typer.echo(json.dumps(outcome))
                elif outcome["problem"] and sum(bool(told["problem"]) for told in outcomes) <= SHOWN_PROBLEMS:
                    note(_one_line(outcome["problem"]))
    failed = sum(bool(outcome["problem"]) for outcome in outcomes)
    matches = [outcome for outcome in outcomes if outcome["match_id"] is not None]
    unrevealed = sorted({words for outcome in outcomes for words in outcome["unchecked"]})
    if as_json:
        counts = {"matches": len(matches), "failed": failed, "unchecked": unrevealed, "repeated": len(repeated)}
        typer.echo(json.dumps(counts))
    else:
        if failed > SHOWN_PROBLEMS:
            typer.echo(f"... and {failed - SHOWN_PROBLEMS} more", err=True)
        if not failed:
            typer.echo(f"{counted(len(matches), 'match', 'matches')} verified: every field follows.")
        else:
            typer.echo(f"{counted(len(matches), 'match', 'matches')} read, {counted(failed, 'problem')}.", err=True)
        if repeated:
            which = ", ".join(dict.fromkeys(match_id[:80] for match_id in repeated[:3]))
            times = counted(len(repeated), "of them repeats a match id", "of them repeat a match id")
            note(_one_line(f"Warning: {times} that came before ({which}); each match has an id of its own."))
        if unrevealed:
            count = sum(bool(outcome["unchecked"]) for outcome in outcomes)
            typer.echo(f"The seed is not revealed in {count} of them; not checked there: {'; '.join(unrevealed)}.")
    if failed:
        raise typer.Exit(NEGATIVE)


def _with_chains(files: list[Path], seeds: Path | None) -> Iterator[tuple[Path, SeedChain | None]]:
    """Every replay file that is meant, with the seeds to check it against, if there are any."""
    given = read_chain(seeds) if seeds is not None else None
    for path in files:
        if not path.is_dir():
            yield path, given
            continue
        chain = read_chain(path / "seeds.json") if given is None and (path / "seeds.json").exists() else given
        exported = (path / "replays").is_dir() or (path / "seeds.json").exists()
        inside = path / "replays" if exported else path
        replays = sorted(p for p in inside.rglob("*") if p.is_file() and p.name.endswith(replay.SUFFIXES))
        if not replays:
            yield path, None
        for found in replays:
            yield found, chain


def read_chain(path: Path) -> SeedChain:
    """The seeds of an export; `ReplayError` if the file is none, or the master seed is not revealed yet."""
    try:
        if path.exists() and not path.is_file():
            raise ValueError("not a regular file")
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["master_seed"] is None:
            problem = f"{path}: the master seed is not revealed before the tournament has ended"
        else:
            digests = tuple(bytes.fromhex(digest) for digest in document["digests"])
            return SeedChain(str(document["commitment"]), bytes.fromhex(document["master_seed"]), digests)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        problem = f"{path} is no seeds.json of an export ({type(error).__name__}: {unread(error)})"
    raise ReplayError(problem)


def _outcomes(path: Path, chain: SeedChain | None = None) -> Iterator[dict[str, Any]]:
    """One outcome for each match of a file, and one for the file itself if it cannot be read to its end."""
    blank: dict[str, Any] = {"file": str(path), "match_id": None, "problem": None, "discrepancy": None, "unchecked": []}
    try:
        if path.is_dir():
            raise ReplayError(f"{path} holds no replay, so nothing was verified; name a replay, or a folder with some")
        for document in replay.read(path):
            outcome = {**blank, "match_id": document["match_id"]}
            try:
                outcome["unchecked"] = list(verify(document))
                if chain is not None and document["seed"] is not None:
                    digests = [bytes.fromhex(seat["digest"]) for seat in document["seats"]]
                    seed = bytes.fromhex(document["seed"])
                    verify_chain(chain, document["match_id"], seed, document["commitment"], digests)
            except Discrepancy as error:
                outcome.update(problem=str(error), discrepancy=error.to_json())
            except (ReplayError, UsageError) as error:
                outcome.update(problem=str(error))
            yield outcome
    except ReplayError as error:
        yield {**blank, "problem": str(error)}


@app.command("show")
@command
def show_command(
    file: Annotated[Path, typer.Argument(help="A replay file.", metavar="FILE")],
    match: Annotated[str, typer.Option("--match", help="Which match: its id, or its number in the file from 1.")] = "1",
    seat: Annotated[int | None, typer.Option("--seat", help="Only what this seat may see.")] = None,
    speed: Annotated[float, typer.Option("--speed", help="Steps per second; 0 prints all at once.", min=0)] = 0,
) -> None:
    """Play one match in the terminal, step by step."""
    told = steps(_find(file, match))
    if seat is not None and not 0 <= seat < told["players"]:
        raise UsageError(f"there is no seat {seat}; seats are 0 to {told['players'] - 1}")
    print_steps(told, seat, speed)


def print_steps(told: dict[str, Any], seat: int | None = None, speed: float = 0) -> None:
    """All steps of a match were printed, as everyone or as one seat may know them."""
    bots = ", ".join(f"{number} {bot['bot']}" for number, bot in enumerate(told["seats"]))
    typer.echo(_one_line(f"{told['match_id']}: {told['game']}, {bots}"))
    if told["problem"]:
        typer.echo(_one_line(f"This replay does not verify: {told['problem']}"))
    for number, step in enumerate(told["steps"]):
        line = _line(told, number, step, seat)
        if line is None:
            continue
        typer.echo(_one_line(line))
        for dealt in _dealt(step, seat):
            typer.echo(_one_line(dealt))
        if speed:
            time.sleep(min(1 / speed, 3600))


def _find(file: Path, wanted: str) -> dict[str, Any]:
    for number, document in enumerate(replay.read(file), 1):
        if wanted in (str(number), document["match_id"]):
            return document
    raise ReplayError(f"{file} has no match {wanted!r}; name its id, or its number in the file from 1")


def _line(told: dict[str, Any], number: int, step: dict[str, Any], seat: int | None) -> str | None:
    """A step as one line, as everyone or as one seat may know it; None for what that seat may not know of."""
    closed = seat is not None and step["seat"] != seat
    parts = step.get("closed_text_parts", step["text_parts"]) if closed else step["text_parts"]
    if not parts:
        return None
    text = "".join(part if isinstance(part, str) else f" {part.get('card') or part.get('suit')}" for part in parts)
    who = f"seat {step['seat']} " if step["kind"] in ("event", "fault") else ""
    marks = [f"{step['cpu_ms']:g} ms" for _ in [0] if step.get("cpu_ms") is not None]
    marks += ["stand-in"] if step.get("standin") else []
    marks += [f"penalties {_by_seat(step['penalties'])}"] if "penalties" in step else []
    marks += [f"totals {step['totals']}"] if "totals" in step else []
    marks += [f"places {step['places']}"] if "places" in step else []
    marks += [f"note: {told['notes'][note]['text']!r}" for note in step.get("notes", ())]
    return f"{number:>5}  {who}{' '.join(text.split())}" + (f"   ({', '.join(marks)})" if marks else "")


def _dealt(step: dict[str, Any], seat: int | None) -> Iterator[str]:
    """What lies on the table after a deal, as far as it may be known: the upcard, and everyone's hand or the seat's."""
    if step["kind"] != "deal":
        return
    table = step["table"]
    yield f"       upcard {table['top']}"
    for number, hand in table["hands"].items():
        if seat is None or int(number) == seat:
            yield f"       seat {number} holds {' '.join(hand)}"


def _by_seat(values: dict[str, int]) -> str:
    return ", ".join(f"{seat}: {value}" for seat, value in values.items())


def _one_line(text: str) -> str:
    return printable(text, breaks=False)
