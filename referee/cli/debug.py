"""`ninefold replay debug`: a lost match becomes a local, repeatable test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import botlog
from referee.cli.output import JSON_OPTION, NEGATIVE, command, note, print_json, say, told, warn
from referee.cli.replay import app as app
from referee.errors import UsageError
from referee.wording import counted

SHOWN = 50
"""Decisions listed in words; all are in --json."""
EVERY = 100
"""Decisions after which progress is told."""
_ENDINGS = (".json", ".json.gz", ".jsonl", ".jsonl.gz")


@app.command("debug")
@command
def debug(
    files: Annotated[list[Path], typer.Argument(help="Replay files, or folders of them.", metavar="FILE...")],
    seat: Annotated[int, typer.Option(help="The seat to look from.")],
    at: Annotated[str, typer.Option(help="One decision, ROUND/EVENT, as in the replay: both from 0.")] = "",
    bot: Annotated[str, typer.Option(help="A bot's folder, or a built-in name: what would it do now?")] = "",
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Show what a seat saw at a decision, and what a bot would do there now.

    Without --at every decision is tried and those are listed where the bot does otherwise; exit 1 if there are any, or
    if the bot fails.
    """
    from referee.match import seen

    rows: list[dict[str, Any]] = []
    tried = failed = 0
    for document in _documents(files):
        if bot and document["seed"] is None:
            warn(f"{document['match_id']}: its seed is not revealed yet, so the bot's own randomness is another")
        items = seen.seen(document, seat)
        found = seen.decisions(items)
        if at and not any(d.at == at for d in found):
            raise UsageError(f"{document['match_id']}: seat {seat} was asked nothing at {at!r}; {_places(found)}")
        if not bot:
            rows += [_shown(document, d, None) for d in found if at in ("", d.at)]
            continue
        answers = _answers(items, bot, document, at, not as_json)
        tried += len(answers)
        failed += any(a.action is None and not a.same for a in answers)
        kept = [a for a in answers if (a.action is None or a.decision.at == at if at else not a.same)]
        rows += [_shown(document, a.decision, a) for a in kept]
    if as_json:
        print_json({"tried": tried, "decisions": rows})
    else:
        for row in rows[:SHOWN]:
            _tell(row, whole=bool(at))
        if len(rows) > SHOWN:
            say(f"… and {len(rows) - SHOWN} more; --json gives all")
        if not bot:
            note(f"--bot DIR adds what that bot would do at {at or 'each of these'} now")
        if bot and not at:
            say(f"{len(rows)} of {counted(tried, 'decision')} differ{'s' if len(rows) == 1 else ''}")
    if failed or (bot and not at and rows):
        raise typer.Exit(NEGATIVE)


def _places(found: list[Any]) -> str:
    if not found:
        return "it was asked nothing in the whole match"
    some = ", ".join(d.at for d in found[:12])
    return f"it was at {some}" + (f" and {len(found) - 12} more" if len(found) > 12 else "")


def _answers(items: list[Any], bot: str, document: dict[str, Any], until: str, show: bool) -> list[Any]:
    from referee.service.local import find_bot, make_ready
    from referee.service.rerun import rerun

    match_id, game = document["match_id"], document["game"]
    found = find_bot(bot, game)
    if game not in found.manifest.games:
        plays = ", ".join(found.manifest.games)
        raise UsageError(f"{match_id} is a match of {game}, and bot {found.manifest.name!r} plays {plays}")
    with told(f"{match_id}: asking {found.manifest.name}", show) as tell:
        make_ready([found], tell)

        def progress(number: int) -> None:
            if number % EVERY == 0:
                tell(f"{match_id}: decision {number}")

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
        "view": botlog.view(decision.turn.view.to_json()),
        "legal": [action.to_json() for action in decision.turn.legal],
        "events": decision.turn.events,
        "then": decision.chosen.to_json() if decision.chosen is not None else None,
        "fault": decision.fault and decision.fault["kind"],
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
    say(f"    {'then':14}{_action(row['then']) if row['then'] else 'forfeited: ' + row['fault']}")
    if "now" in row:
        say(
            f"    {'now':14}{_action(row['now']) if row['now'] else row['problem']}",
            "" if row["now"] else "red",
            breaks=False,
        )
        if row["note"]:
            say(f"    {'note':14}{row['note']}", breaks=False)
        for line in botlog.tail(row["log"]) if whole or not row["now"] else ():
            say(f"    | {line}")


def _action(action: dict[str, Any]) -> str:
    text = " ".join([action["do"], *action.get("cards", ())])
    return f"{text} naming {action['suit']}" if action.get("suit") else text


def _words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) and value else json.dumps(value)
