"""`ninefold replay debug`: a lost match becomes a local, repeatable test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli.output import JSON_OPTION, NEGATIVE, command, print_json, say, told, warn
from referee.cli.replay import app as app
from referee.errors import UsageError

SHOWN = 50
_ENDINGS = (".json", ".json.gz", ".jsonl", ".jsonl.gz")


@app.command("debug")
@command
def debug(
    files: Annotated[list[Path], typer.Argument(help="Replay files, or folders of them.", metavar="FILE...")],
    seat: Annotated[int, typer.Option(help="The seat to look from.")],
    at: Annotated[str, typer.Option(help="One decision, ROUND/EVENT, as in the replay: rounds from 0.")] = "",
    bot: Annotated[Path | None, typer.Option(help="A bot's folder: what would it do now?")] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Show what a seat saw at a decision, and what a bot would do there now.

    Without --at every decision is tried and those are listed where the bot chooses otherwise; exit 1 if there are any.
    """
    from referee.match import seen

    rows: list[dict[str, Any]] = []
    tried = 0
    for document in _documents(files):
        if document["seed"] is None:
            warn(f"{document['match_id']}: the seed is not revealed, so the bot's own randomness differs from then")
        items = seen.seen(document, seat)
        found = seen.decisions(items)
        if at and not any(d.at == at for d in found):
            near = ", ".join(d.at for d in found[:12])
            raise UsageError(f"{document['match_id']}: seat {seat} chose nothing at {at!r}; it did at {near} …")
        if bot is None:
            rows += [_shown(document, d, None) for d in found if at in ("", d.at)]
            continue
        answers = _answers(items, bot, at, document["match_id"], not as_json)
        tried += len(answers)
        rows += [_shown(document, a.decision, a) for a in answers if (a.decision.at == at if at else not a.same)]
    if as_json:
        print_json({"tried": tried, "decisions": rows})
    else:
        for row in rows[:SHOWN]:
            _tell(row, whole=bool(at))
        if len(rows) > SHOWN:
            say(f"… and {len(rows) - SHOWN} more; --json gives all")
        if bot is not None and not at:
            say(f"{len(rows)} of {tried} decisions differ")
    if bot is not None and not at and rows:
        raise typer.Exit(NEGATIVE)


def _answers(items: list[Any], bot: Path, until: str, match_id: str, show: bool) -> list[Any]:
    from referee.service.local import find_bot
    from referee.service.rerun import rerun

    found = find_bot(str(bot), items[0].game if items else None)
    with told(f"{match_id}: asking {found.manifest.name}", show) as tell:
        progress = (lambda n: tell(f"{match_id}: decision {n}") if n % 100 == 0 else None) if show else (lambda n: None)
        return asyncio.run(rerun(items, str(found.folder), found.manifest.runtime, until=until, progress=progress))


def _documents(files: list[Path]) -> Iterator[dict[str, Any]]:
    from referee.match import replay

    for path in files:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.name.endswith(_ENDINGS) and p.is_file())
            if not inside:
                raise UsageError(f"{path} holds no replays; name a file or folder of {', '.join(_ENDINGS)}")
            for one in inside:
                yield from replay.read(one)
        else:
            yield from replay.read(path)


def _shown(document: dict[str, Any], decision: Any, answer: Any) -> dict[str, Any]:
    row = {
        "match_id": document["match_id"],
        "at": decision.at,
        "view": decision.turn.view.to_json(),
        "legal": [action.to_json() for action in decision.turn.legal],
        "events": decision.turn.events,
        "then": decision.chosen.to_json(),
    }
    if answer is not None:
        now = answer.action.to_json() if answer.action is not None else None
        row |= {"now": now, "problem": answer.problem, "note": answer.note, "log": answer.log}
    return row


def _tell(row: dict[str, Any], whole: bool) -> None:
    say(f"{row['match_id']} at {row['at']}")
    if whole:
        for key, value in row["view"].items():
            if key not in ("discards", "taken"):
                say(f"    {key.replace('_', ' '):14}{_words(value)}")
        say(f"    {'legal':14}{'; '.join(_action(a) for a in row['legal'])}")
    say(f"    {'then':14}{_action(row['then'])}")
    if "now" in row:
        say(f"    {'now':14}{_action(row['now']) if row['now'] else row['problem']}", "" if row["now"] else "red")
        if row["note"]:
            say(f"    {'note':14}{row['note']}")
        for line in row["log"].splitlines()[-30:] if whole or not row["now"] else ():
            say(f"    | {line}")


def _action(action: dict[str, Any]) -> str:
    text = " ".join([action["do"], *action.get("cards", ())])
    return f"{text} naming {action['suit']}" if action.get("suit") else text


def _words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) and value else json.dumps(value)
