"""`ninefold tournament …`: create, fill, run, watch and export tournaments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import Declined, League, request_id
from referee.cli.download import save_files
from referee.cli.following import print_standings, watch_until_end
from referee.cli.output import (
    JSON_OPTION,
    NEGATIVE,
    command,
    note,
    print_json,
    print_table,
    say,
    warn,
)
from referee.errors import NinefoldError, UsageError
from referee.service.values import no_increment, parse_clock, parse_rules, parse_seed
from referee.wording import counted

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Create, run, watch and export tournaments.")

DATA = Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")]
JSON = Annotated[bool, JSON_OPTION]
NAME = Annotated[str, typer.Argument(help="The tournament.")]
BOT = Annotated[str, typer.Argument(help="The bot.")]
REASON = Annotated[str, typer.Option(help="Why; kept with what is done.")]


@app.command()
@command
def create(
    name: NAME,
    game: Annotated[str, typer.Option(help="nines or nine.")],
    profile: Annotated[str, typer.Option(help="Named rules, such as nines/folk.")] = "",
    rule: Annotated[list[str] | None, typer.Option(help="option=value; may be given again.")] = None,
    bots: Annotated[str, typer.Option(help="Bots to enter, separated by commas.")] = "",
    all_bots: Annotated[bool, typer.Option("--all", help="Enter every bot that plays the game.")] = False,
    format_: Annotated[str, typer.Option("--format")] = "round-robin",
    table_size: Annotated[int, typer.Option(help="Seats at a table, 2 to 6.")] = 2,
    blocks: Annotated[int, typer.Option(help="Blocks of duplicate deals for each set of bots.")] = 4,
    matches_per_fixture: Annotated[int, typer.Option(help="Matches of one sitting.")] = 5,
    clock: Annotated[str, typer.Option(help="Bank and increment per decision, such as 10s+100ms.")] = "10s+100ms",
    same_author: Annotated[
        str,
        typer.Option(
            help="Whether bots of one author may meet at a table: apart (not; so at tables over two) or free."
        ),
    ] = "",
    seed: Annotated[
        str, typer.Option(help="Master seed, 64 hex digits; marks the tournament as one whose seed was chosen.")
    ] = "",
    until_separated: Annotated[bool, typer.Option(help="Go on until neighbours are separated.")] = False,
    max_blocks: Annotated[int, typer.Option(help="With --until-separated: blocks a pair plays at most.")] = 0,
    max_sets: Annotated[int, typer.Option(help="Tables over two: sets of bots that play, at most.")] = 0,
    data: DATA = None,
    as_json: JSON = False,
) -> None:
    """Commit the master seed and open entry."""
    time = parse_clock(clock)
    if not as_json and (told := no_increment(clock, time)):
        note(told)
    request = league_pb2.NewTournament(
        name=name,
        game=game,
        profile=profile,
        rules=parse_rules(rule or []),
        bots=[b.strip() for b in bots.split(",") if b.strip()],
        all_bots=all_bots,
        format=format_,
        table_size=_small(table_size, "--table-size"),
        blocks=_small(blocks, "--blocks"),
        matches_per_fixture=_small(matches_per_fixture, "--matches-per-fixture"),
        bank_ms=time.bank_ms,
        increment_ms=time.increment_ms,
        same_author=same_author,
        seed=parse_seed(seed) if seed else b"",
        until_separated=until_separated,
        max_blocks=_small(max_blocks, "--max-blocks", 0),
        max_sets=_small(max_sets, "--max-sets", 0),
        request_id=request_id(),
    )
    with League.connect(data) as league:
        made = league.read("CreateTournament", request)
    if as_json:
        print_json(made)
    else:
        say(f"{name}: {counted(made['entries_count'], 'bot')} entered; commitment {made['commitment']}")
        if made["entries_count"] < _sides(made):
            say(f"enter bots: ninefold tournament enter {name} BOT")
        say(f"start it: ninefold tournament start {name}; call it off: ninefold tournament cancel {name}")
    _told_authors(made)
    for bot, why in made["refused"].items():
        warn(f"{bot} was not entered: {why}")
    if made["refused"]:
        raise typer.Exit(NEGATIVE)


def _sides(tournament: Any) -> int:
    """How many bots a table takes."""
    return int(tournament["rules"].get("teams") or tournament["table_size"])


def _told_authors(tournament: Any) -> None:
    """Says that the tournament cannot start as it is, where enough bots are entered and too few authors."""
    entered = [entry for entry in tournament["entries"] if entry["state"] == "entered"]
    authors, needed = len({entry["owner"] for entry in entered}), _sides(tournament)
    if tournament["same_author"] == "apart" and authors < needed <= len(entered):
        warn(
            f"{tournament['name']} cannot start yet: two bots of one author do not meet at a table there, it takes "
            f"{needed} authors and {counted(authors, 'author')} entered; enter bots of others, or create it with "
            "--same-author free"
        )


def _small(value: int, option: str, low: int = 1) -> int:
    if not low <= value <= 1_000_000:
        raise UsageError(f"{option} cannot be {value}; choose {low} or more")
    return value


@contextmanager
def _in_order(league: League, name: str, bot: str, right: str) -> Iterator[None]:
    """A refusal that comes of a tournament and a bot given the wrong way round says so."""
    try:
        yield
    except Declined:
        try:
            league.read("ShowTournament", league_pb2.TournamentKey(name=bot))
            league.read("ShowBot", league_pb2.BotKey(name=name))
        except NinefoldError:
            swapped = False
        else:
            swapped = True
        if swapped:
            words = f"ninefold tournament {right.format(name=bot, bot=name)}"
            raise UsageError(f"{bot!r} is the tournament and {name!r} the bot; write `{words}`") from None
        raise


@app.command()
@command
def enter(name: NAME, bot: BOT, data: DATA = None, as_json: JSON = False) -> None:
    """Enter a bot, as in `enter spring my-bot`; its latest admitted version is frozen at the start."""
    with League.connect(data) as league, _in_order(league, name, bot, "enter {name} {bot}"):
        made = league.read("EnterBot", league_pb2.EntryKey(tournament=name, bot=bot, request_id=request_id()))
    _told(made, as_json, f"{bot} is entered; {counted(made['entries_count'], 'bot')} in {name} now")
    _told_authors(made)


@app.command()
@command
def withdraw(bot: BOT, name: NAME, reason: REASON = "", data: DATA = None, as_json: JSON = False) -> None:
    """Take a bot out, as in `withdraw my-bot spring`: it plays no further fixture, what it has played stays."""
    with League.connect(data) as league, _in_order(league, name, bot, "withdraw {bot} {name}"):
        key = league_pb2.EntryKey(tournament=name, bot=bot, reason=reason, request_id=request_id())
        made = league.read("WithdrawBot", key)
    _told(made, as_json, f"{bot} is withdrawn from {name}")


def _change(
    name: str, what: str, data: Path | None, as_json: bool, done: str, fixture: str = "", reason: str = ""
) -> None:
    with League.connect(data) as league:
        request = league_pb2.TournamentChange(
            name=name, change=what, fixture=fixture, reason=reason, request_id=request_id()
        )
        made = league.read("ChangeTournament", request)
    _told(made, as_json, done)


def _told(document: Any, as_json: bool, text: str) -> None:
    if as_json:
        print_json(document)
    else:
        say(text)


@app.command()
@command
def start(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Freeze the entries, compute the salt, begin to play."""
    _change(name, "start", data, as_json, f"{name} is running; watch it: ninefold tournament watch {name}")


@app.command()
@command
def pause(name: NAME, reason: REASON = "", data: DATA = None, as_json: JSON = False) -> None:
    """Begin no further fixture; those being played end in their time."""
    _change(name, "pause", data, as_json, f"{name} is paused; go on: ninefold tournament resume {name}", reason=reason)


@app.command()
@command
def resume(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Go on with a paused tournament."""
    _change(name, "resume", data, as_json, f"{name} is running")


@app.command()
@command
def cancel(name: NAME, reason: REASON = "", data: DATA = None, as_json: JSON = False) -> None:
    """End the tournament now; what is finished stays."""
    _change(name, "cancel", data, as_json, f"{name} is cancelled", reason=reason)


FIXTURE = Annotated[str, typer.Argument(help="The fixture, <tournament>/<block>/<seating>.")]


@app.command()
@command
def retry(fixture: FIXTURE, reason: REASON = "", data: DATA = None, as_json: JSON = False) -> None:
    """Play a parked fixture again, on the same deals."""
    _change("", "retry", data, as_json, f"{fixture} is played again", fixture=fixture, reason=reason)


@app.command()
@command
def drop(fixture: FIXTURE, reason: REASON = "", data: DATA = None, as_json: JSON = False) -> None:
    """Give a parked fixture up; its tournament ends marked incomplete."""
    _change("", "drop", data, as_json, f"{fixture} is dropped", fixture=fixture, reason=reason)


@app.command("list")
@command
def list_tournaments(data: DATA = None, as_json: JSON = False) -> None:
    """All tournaments, newest first."""
    with League.connect(data) as league:
        rows = league.read("ListTournaments", league_pb2.ListTournamentsRequest())
    if as_json:
        return print_json(rows)
    columns = [
        ("name", "tournament"),
        ("game", "game"),
        ("state", "state"),
        ("entries_count", "bots"),
        ("done_fixtures", "done"),
        ("total_fixtures", "of"),
        ("reason", "reason"),
    ]
    return print_table(
        rows, columns, empty="No tournament yet. Create one: ninefold tournament create NAME --game nines --all"
    )


@app.command()
@command
def show(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Settings, progress, entries and seeds of one tournament."""
    with League.connect(data) as league:
        row = league.read("ShowTournament", league_pb2.TournamentKey(name=name))
    if as_json:
        return print_json(row)
    for key in (
        "name",
        "game",
        "profile",
        "state",
        "stage",
        "reason",
        "table_size",
        "blocks",
        "matches_per_fixture",
        "same_author",
        "done_fixtures",
        "total_fixtures",
        "commitment",
        "seed_chosen",
        "master_seed",
    ):
        say(f"{key.replace('_', ' '):22}{row[key] if row[key] not in (None, '') else '–'}", breaks=False)
    return print_table(
        row["entries"],
        [("bot", "bot"), ("version", "version"), ("owner", "owner"), ("state", "state"), ("reason", "reason")],
        empty="Nobody is entered.",
    )


@app.command()
@command
def plan(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Fixtures, balance and expected time, changing nothing."""
    with League.connect(data) as league:
        made = league.read("PlanTournament", league_pb2.TournamentKey(name=name), seconds=120)
    if as_json:
        return print_json(made)
    sizes = {"bot": made["bots"], "block": made["blocks"], "fixture": made["fixtures"]}
    said = [counted(count, what) for what, count in sizes.items()]
    say(", ".join([*said, counted(made["matches"], "match", "matches")]))
    say(f"expected time: {made['expected']}")
    for line in made["balance"]:
        say(line)
    columns = [("block", "block"), ("seating", "seating"), ("seats", "seats")]
    return print_table(made["first"], columns, empty="No fixtures.", title="the first fixtures")


@app.command()
@command
def watch(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Live progress and standings, until the tournament has ended."""
    with League.connect(data) as league:
        final = watch_until_end(league, name, quiet=as_json)
    if as_json:
        print_json(final)
    if final["tournament"]["state"] == "cancelled":
        raise typer.Exit(NEGATIVE)


@app.command()
@command
def standings(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """The table, best first."""
    with League.connect(data) as league:
        made = league.read("Standings", league_pb2.TournamentKey(name=name))
    if as_json:
        return print_json(made)
    print_standings(made["standings"], made["tournament"])
    rows, separated = made["standings"], made["separated"]
    if separated is not None:
        open_pairs = [f"{rows[i]['bot']}/{rows[i + 1]['bot']}" for i, sure in enumerate(separated) if not sure]
        sure_of = "which of two neighbours is better, at 95% and however often one looks"
        say(f"not certain {sure_of}: {', '.join(open_pairs)}" if open_pairs else f"certain {sure_of}: all")
    effect = made["duplicates"]
    if effect and effect["saved"] is not None:
        share = round(100 * effect["saved"])
        saved = f"{share}% of the blocks are saved" if share > 0 else "no block is saved"
        say(
            f"duplicate deals: variance of a pair's mean margin {effect['variance']:.1f} a block, "
            f"{effect['variance_without']:.1f} without; {saved}"
        )
    return None


@app.command()
@command
def crosstable(name: NAME, data: DATA = None, as_json: JSON = False) -> None:
    """Each pair's mean margin with its interval."""
    with League.connect(data) as league:
        made = league.read("Crosstable", league_pb2.TournamentKey(name=name))
    if as_json:
        return print_json(made)
    bots = [f"{bot['bot']}@{bot['version']}" for bot in made["bots"]]
    rows = [
        {**cell, "bot": bots[cell["row"]], "opponent": bots[cell["column"]]}
        for cell in made["cells"]
        if cell["row"] < cell["column"]
    ]
    columns = [
        ("bot", "bot"),
        ("opponent", "against"),
        ("blocks", "blocks"),
        ("score", "share"),
        ("margin", "margin"),
        ("low", "from"),
        ("high", "to"),
        ("significant", "decided"),
    ]
    return print_table(rows, columns, empty="No match has finished yet.")


@app.command()
@command
def export(
    name: NAME,
    to: Annotated[Path | None, typer.Option(help="Folder to write to; the tournament's name otherwise.")] = None,
    replays: Annotated[bool, typer.Option(help="All replays too.")] = True,
    data: DATA = None,
) -> None:
    """Results as CSV and JSON, seeds, and all replays, into a folder that is new or empty."""
    folder = to or Path(name)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} exists already and is no empty folder; name a new one with --to")
    with League.connect(data) as league:
        make = lambda after: league_pb2.ExportRequest(name=name, replays=replays, after=after)  # noqa: E731
        count = save_files(league, "ExportTournament", make, folder)
    say(f"{counted(count, 'file')} in {folder}")
    missing = folder / "missing.json"
    if replays and missing.exists() and (gone := json.loads(missing.read_text(encoding="utf-8"))):
        say(f"{counted(len(gone), 'replay')} missing, see {missing}: {gone[0]['reason']}")
