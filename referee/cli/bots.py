"""`ninefold bot …`: from a folder to an admitted bot, and what became of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn

from protos.ninefold.v1 import league_pb2
from referee.cli import botlog
from referee.cli.client import Declined, League, request_id
from referee.cli.download import inside, save_files, save_one
from referee.cli.output import (
    JSON_OPTION,
    NEGATIVE,
    command,
    note,
    print_json,
    print_table,
    progress,
    say,
    say_error,
    told,
)
from referee.errors import NinefoldError, Refused, Unreachable, UsageError
from referee.wording import counted

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Write, check, submit and look after bots.")

DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]
PART = 256 * 1024
RETRIES = 6
LOG_SECONDS = 30.0
PATIENCE_SECONDS = 15.0
"""A league that is just being restarted is waited for: many authors submit in the last minutes."""


@app.command()
@command
def new(
    name: Annotated[str, typer.Argument(help="Name of the bot and of its folder.")],
    game: Annotated[str, typer.Option(help="nines or nine.")],
    lang: Annotated[str, typer.Option(help="python, node or c.")] = "python",
) -> None:
    """A folder that plays at once: bot.toml, the bot, and a README with the view and the actions."""
    from referee.cli.scaffold import create

    hints = create(Path(name), name, game, lang)
    note(f"{name} holds a bot that plays, and a README; next:")
    for line in hints:
        say(line)


@app.command()
@command
def check(
    folder: Annotated[Path, typer.Argument(help="The bot's folder, or an archive of it.")],
    as_json: JSON = False,
) -> None:
    """Everything that submission would do, in the production sandbox, with a trial match; nothing is stored."""
    from referee.cli.check import run

    report = run(folder, show=not as_json)
    if as_json:
        print_json(report)
    if not report["admitted"]:
        raise typer.Exit(NEGATIVE)


@app.command()
@command
def submit(
    source: Annotated[Path, typer.Argument(help="The bot's folder, or an archive of it.")],
    name: Annotated[str, typer.Option(help="Instead of the name in bot.toml.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait for the verdict.")] = True,
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Upload a bot: it is built, plays a trial match, and is admitted or refused with stage and reason."""
    archive = archive_of(source)
    with League.connect(data, patience=PATIENCE_SECONDS) as league:
        sent = _upload(league, archive, name, quiet=as_json)
        if not wait:
            if as_json:
                print_json({"submission": sent.submission, "place": sent.place})
            else:
                say(f"submission {sent.submission} waits at place {sent.place}")
            return
        try:
            verdict = _follow(league, sent.submission, quiet=as_json)
        except KeyboardInterrupt:
            number = sent.submission
            note(f"submission {number} goes on; what comes of it: ninefold bot logs --submission {number}")
            raise
        admitted = verdict["state"] == "admitted"
        if as_json:
            print_json(verdict)
        elif admitted:
            say(f"{verdict['name']}@{verdict['version']} is admitted")
        else:
            _tell_refusal(league, sent.submission, verdict, source)
    if not admitted:
        raise typer.Exit(NEGATIVE)


def _tell_refusal(league: League, submission: int, verdict: dict[str, Any], source: Path) -> None:
    """The author has read the refusal once, and under it what the build or the bot printed last."""
    say_error(Refused(verdict["stage"], botlog.with_folder(verdict["reason"], source)))
    with suppress(NinefoldError):  # the refusal stands without its log
        chunks = league.stream("BuildLog", league_pb2.BuildLogRequest(submission=submission), seconds=LOG_SECONDS)
        text = b"".join(chunk.data for chunk in chunks).decode("utf-8", "replace")
        for line in botlog.of_build(text, verdict["stage"]):
            note(f"  {line}")
    note(f"the whole build log: ninefold bot logs --submission {submission}")


def archive_of(source: Path) -> bytes:
    """The archive to send: of a folder as it stands, or the file as it is."""
    from referee.submission import folder

    if source.is_dir():
        return folder.pack(source)
    if not source.is_file():
        raise UsageError(f"{str(source)!r} does not exist; name a bot's folder, or a zip, tar or tar.gz of it")
    return source.read_bytes()


def _upload(league: League, archive: bytes, name: str, quiet: bool) -> Any:
    """The archive is with the league, whatever the connection did meanwhile."""
    key = league_pb2.UploadKey(sha256=hashlib.sha256(archive).hexdigest(), size=len(archive))
    request = request_id()
    with progress(BarColumn(), DownloadColumn(), show=not quiet) as shown:
        task = shown.add_task("uploading", total=len(archive))

        def parts(offset: int) -> Iterator[league_pb2.SubmitPart]:
            first = league_pb2.SubmitPart(key=key, offset=offset, name=name, request_id=request)
            yield first
            for at in range(offset, len(archive), PART):
                piece = archive[at : at + PART]
                yield league_pb2.SubmitPart(data=piece)
                shown.update(task, completed=at + len(piece))

        for attempt in range(RETRIES):
            try:
                offset = league.call("UploadOffset", key).offset
                return league.call("Submit", parts(offset), seconds=600)
            except Unreachable:
                if attempt == RETRIES - 1:
                    raise
                time.sleep(min(2**attempt * 0.5, 8))
    raise AssertionError("unreachable")


def _follow(league: League, submission: int, quiet: bool) -> dict[str, Any]:
    """The final state of a submission; its stages are shown as they come, over dropped connections too."""
    with told("waiting", not quiet) as tell:
        failures, before = 0, ""
        while True:
            try:
                for message in league.stream("FollowSubmission", league_pb2.SubmissionKey(submission=submission)):
                    state: dict[str, Any] = json.loads(message.json)
                    failures = 0
                    if state["state"] in ("admitted", "refused"):
                        return state
                    if (now := _told(state)) != before:
                        tell(now)
                    before = now
            except Unreachable:
                failures += 1
                if failures >= RETRIES:
                    raise
                time.sleep(min(2**failures * 0.5, 8))


def _told(state: dict[str, Any]) -> str:
    if state["state"] == "waiting":
        place = f"place {state['queue_place']} in the queue"
        return f"waiting: {place}" + (f" ({state['reason']})" if state.get("reason") else "")
    return ": ".join(filter(None, (state["stage"], state.get("reason"))))


@app.command("list")
@command
def list_bots(
    mine: Annotated[bool, typer.Option(help="Only your own.")] = False, data: DATA = None, as_json: JSON = False
) -> None:
    """Bots of the league with their active version."""
    with League.connect(data) as league:
        rows = league.read("ListBots", league_pb2.ListBotsRequest(mine=mine))
    if as_json:
        return print_json(rows)
    columns = [("name", "bot"), ("version", "version"), ("games", "games"), ("owner", "owner"), ("state", "state")]
    return print_table(rows, columns, empty="No bots yet. Submit one: ninefold bot submit DIR")


@app.command()
@command
def show(name: Annotated[str, typer.Argument()], data: DATA = None, as_json: JSON = False) -> None:
    """Versions and submissions of one bot, with state, stage and reason."""
    with League.connect(data) as league:
        bot = league.read("ShowBot", league_pb2.BotKey(name=name))
    if as_json:
        return print_json(bot)
    say(f"{bot['name']} by {bot['owner']}" + (f", retired: {bot['retire_reason']}" if bot["retired_at"] else ""))
    columns = [
        ("version", "version"),
        ("state", "state"),
        ("stage", "stage"),
        ("reason", "reason"),
        ("games", "games"),
        ("digest", "digest"),
    ]
    rows = [{**row, "digest": f"{row['digest'][:16]}…" if row["digest"] else ""} for row in bot["versions"]]
    return print_table(rows, columns, empty="No version yet.")


@app.command()
@command
def logs(
    name: Annotated[str, typer.Argument(help="The bot.")] = "",
    version: Annotated[int, typer.Option(help="Of the build log; the latest otherwise.")] = 0,
    submission: Annotated[int, typer.Option(help="The build log of one submission.")] = 0,
    match: Annotated[str, typer.Option(help="What the bot printed in this match.")] = "",
    all_matches: Annotated[bool, typer.Option("--all", help="Logs of all matches, into --to.")] = False,
    to: Annotated[Path | None, typer.Option(help="Folder or file to write to.")] = None,
    data: DATA = None,
) -> None:
    """Own logs: of the build, or of matches."""
    if not name and not submission:
        raise UsageError("name a bot, or a --submission")
    if all_matches and to is None:
        raise UsageError("--all needs --to FOLDER")
    with League.connect(data) as league:
        if all_matches and to is not None:
            count = save_files(
                league, "MatchLogs", lambda after: league_pb2.MatchLogsRequest(name=name, after=after), to
            )
            say(f"{counted(count, 'file')} in {to}")
        elif match:
            save_one(league, "MatchLogs", league_pb2.MatchLogsRequest(name=name, match_id=match), to)
        else:
            save_one(
                league, "BuildLog", league_pb2.BuildLogRequest(name=name, version=version, submission=submission), to
            )


@app.command()
@command
def download(
    to: Annotated[Path, typer.Option(help="Folder to write to.")],
    names: Annotated[list[str] | None, typer.Argument(help="Bots; all your own otherwise.")] = None,
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """All that is yours: build logs, logs and replays of every match, a folder for each bot."""
    counts: dict[str, dict[str, int]] = {}
    with League.connect(data) as league:
        mine = [row["name"] for row in league.read("ListBots", league_pb2.ListBotsRequest(mine=True))]
        for name in names or mine:
            counts[name] = _download(league, name, inside(to, name))
    if as_json:
        return print_json(counts)
    for name, found in counts.items():
        files = ", ".join(counted(count, what.removesuffix("s")) for what, count in found.items())
        say(f"{name}: {files} in {to / name}")
    return None if counts else say("No bots yet. Submit one: ninefold bot submit DIR")


def _download(league: League, name: str, folder: Path) -> dict[str, int]:
    """What there is of one bot lies in the folder; how many files of each kind."""
    builds = 0
    for sent in league.read("ShowBot", league_pb2.BotKey(name=name)).get("submissions", []):
        number = sent["submission"]
        with suppress(Declined):  # removed by retention
            request = league_pb2.BuildLogRequest(submission=number)
            save_one(league, "BuildLog", request, folder / "builds" / f"submission-{number}.log")
            builds += 1

    def make(after: int) -> league_pb2.MatchLogsRequest:
        return league_pb2.MatchLogsRequest(name=name, after=after)

    return {
        "build logs": builds,
        "logs": save_files(league, "MatchLogs", make, folder / "logs"),
        "replays": save_files(league, "BotReplays", make, folder / "replays"),
    }


@app.command()
@command
def retire(
    name: Annotated[str, typer.Argument()],
    undo: Annotated[bool, typer.Option(help="Take the retirement back.")] = False,
    reason: Annotated[str, typer.Option()] = "",
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Enter the bot in nothing new; what it has played stays."""
    with League.connect(data) as league:
        request = league_pb2.RetireRequest(name=name, undo=undo, reason=reason, request_id=request_id())
        document = league.read("RetireBot", request)
    if as_json:
        return print_json(document)
    return say(f"{name} is {'back' if undo else 'retired'}")
