"""`ninefold play`: local matches without a league, for authors; from a folder to a result within a second."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from referee.cli import botlog
from referee.cli.output import (
    INTERRUPTED,
    JSON_OPTION,
    NEGATIVE,
    command,
    console,
    note,
    print_json,
    print_table,
    progress,
    say_error,
)
from referee.cli.watch import TERMINAL, WatchCommand, watch
from referee.errors import UsageError
from referee.wording import counted

if TYPE_CHECKING:
    from referee.match.fixture import FixtureSpec, MatchResult
    from referee.service.local import LocalBot

app = typer.Typer(add_completion=False)

MOST_MATCHES = 100_000
MATCHES_NAMED = 8
TOLD_BY_CLIENT = ("botkit: this was match", "ninefold: this was match")
"""Where the bot's own log says which moment it was, and what was seen and legal if it was asked."""
FIXES = {
    "timeout": "think less: each turn says what is left (botkit: self.time_left()); --clock gives more here",
    "illegal": "return one of legal, or its index: the list is complete",
    "memory": "keep less: the limit is for all processes of the bot together",
}
"""By cause, what to do where the bot's own log does not say."""
IDLE_FIX = "answer at once: sleeping and waiting are no thinking, and run on a clock of their own"


@app.command(cls=WatchCommand)
@command
def play(
    bots: Annotated[
        list[str],
        typer.Argument(
            help="Folders, or names of built-in bots (random, greedy, …; builtin:random where a folder has the name)."
        ),
    ],
    game: Annotated[str | None, typer.Option(help="nines or nine; else the first that all bots play.")] = None,
    profile: Annotated[str | None, typer.Option(help="Named rules, such as nines/powers.")] = None,
    rule: Annotated[list[str] | None, typer.Option(help="One option as name=value; may be repeated.")] = None,
    matches: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="How many matches to play.")] = 10,
    seed: Annotated[
        str | None, typer.Option(help="Master seed, 1 to 64 hex digits (zeros before fewer); else a fresh one.")
    ] = None,
    sandbox: Annotated[
        Literal["docker", "process"], typer.Option(help="process runs the code as it is; docker is the league's cage.")
    ] = "process",
    replays: Annotated[Path | None, typer.Option(help="Folder for replays and logs, written as matches end.")] = None,
    clock: Annotated[
        str, typer.Option(help="Bank, and increment per decision (none if left out): 10s+100ms.")
    ] = "10s+100ms",
    watched: Annotated[
        Literal["page", "terminal"] | None,
        typer.Option("--watch", help="Show a match (a forfeited one first): alone, as a page in the browser."),
    ] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Play matches between bots on this machine, without a league.

    Exit 1 if a bot from a folder forfeited any match: a built-in opponent's forfeits count for nothing.
    """
    from referee.service import local
    from referee.service.values import no_increment, parse_clock

    if not 2 <= len(bots) <= 6:
        raise UsageError(f"{counted(len(bots), 'bot')} cannot make a table; give 2 to 6")
    if as_json and watched == TERMINAL:
        raise UsageError("--json and --watch terminal cannot both be printed; leave one out")
    game = local.choose_game(bots, game, profile)
    found = [local.find_bot(text, game) for text in bots]
    for text in dict.fromkeys(bots):
        if not as_json and (which := local.shadowed(text)):
            note(which)
    for bot in found:
        if game not in bot.manifest.games:
            raise UsageError(f"bot {bot.manifest.name!r} plays {', '.join(bot.manifest.games)}, not {game}")
    rules, played_profile = local.complete_rules(game, profile, rule or [], len(found))
    master = local.parse_seed(seed)
    time = parse_clock(clock)
    if not as_json and (told := no_increment(clock, time)):
        note(told)
    if replays is not None:
        replays.mkdir(parents=True, exist_ok=True)
    quiet = as_json
    if sandbox == "process":
        tell = (lambda line: None) if quiet else note
        tell("bots run as plain processes: their code runs on this machine as it is (--sandbox docker locks it in)")
        local.make_ready(found, tell)

    def fixture(images: Sequence[str]) -> FixtureSpec:
        return local.local_fixture(game, rules, played_profile, found, images, master, matches, time)

    results: list[MatchResult] = []
    interrupted = False
    try:
        asyncio.run(_play(sandbox, found, fixture, replays, quiet, results))
    except (KeyboardInterrupt, asyncio.CancelledError):
        if not results:
            raise KeyboardInterrupt from None
        interrupted = True  # what has been played is told all the same
    report = summary(found, results, master)
    if as_json:
        print_json(report)
    else:
        show(found, results, report, replays)
        for seat, bot in enumerate(found):
            if loud := botlog.loud(bot.manifest.name, [result.seats[seat].log for result in results]):
                note(loud)
    if interrupted:
        say_error(f"interrupted after {len(results)} of {counted(matches, 'match', 'matches')}")
        raise typer.Exit(INTERRUPTED)
    if watched is not None and (told := watch(results, watched, replays)):
        note(told)
    if any(local.own_folder(bots[fault["seat"]]) is not None for fault in report["forfeits"]):
        raise typer.Exit(NEGATIVE)


async def _play(
    sandbox: str,
    bots: Sequence[LocalBot],
    fixture: Callable[[Sequence[str]], FixtureSpec],
    replays: Path | None,
    quiet: bool,
    results: list[MatchResult],
) -> None:
    """All matches have been played, are in `results`, and their replays written. Ctrl-C and SIGTERM leave nothing
    running, and in `results` what has been played."""
    import socket

    from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn

    from referee.match.sitting import Machine
    from referee.service.host import HostConfig, Platform

    me = asyncio.current_task()
    assert me is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, me.cancel)
    loop.add_signal_handler(signal.SIGINT, me.cancel)
    platform = Platform(HostConfig(league="local", sandbox=sandbox))
    try:
        images = await _images(platform, bots, quiet)
        spec = fixture(images)
        with progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), show=not quiet) as shown:
            bar = shown.add_task(" – ".join(bot.manifest.name for bot in bots), total=len(spec.matches))

            def finished(result: MatchResult) -> None:
                results.append(result)
                if replays is not None:
                    _write(replays, len(results), result, bots)
                shown.advance(bar)

            await platform.play(spec, Machine(socket.gethostname()), finished=finished)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        await platform.close()


async def _images(platform: Any, bots: Sequence[LocalBot], quiet: bool) -> list[str]:
    """What the sandbox starts for each bot: its folder, or a container image built from it."""
    if platform.engine is None:
        return [str(bot.folder) for bot in bots]
    from referee.service.building import local_image

    built: dict[str, str] = {}
    for bot in bots:
        if bot.digest not in built:
            tell = (lambda line: None) if quiet else note
            built[bot.digest] = await local_image(platform, bot, tell)
    return [built[bot.digest] for bot in bots]


def _write(folder: Path, number: int, result: MatchResult, bots: Sequence[LocalBot]) -> None:
    """The replay, and what each bot printed, lie in the folder."""
    from referee.match import replay
    from referee.match.sitting import decompress

    replay.write(folder / f"{number:04d}.json.gz", [decompress(result.replay)])
    for seat, bot in zip(result.seats, bots, strict=True):
        path = folder / f"{number:04d}-seat{seat.seat}-{bot.manifest.name}.log"
        if seat.log:
            path.write_bytes(seat.log)
        else:
            path.unlink(missing_ok=True)  # of an earlier run


def summary(bots: Sequence[LocalBot], results: Sequence[MatchResult], master: bytes) -> dict[str, Any]:
    """What came of it, by seat and by match, as plain JSON values."""
    seats = []
    for seat, bot in enumerate(bots):
        mine = [result.seats[seat] for result in results]
        margins = [_margin(result, seat) for result in results if all(s.cause == "completed" for s in result.seats)]
        penalties = [r.seats[seat].penalty for r in results if all(s.cause == "completed" for s in r.seats)]
        decisions = sum(s.decisions for s in mine)
        used = sum((s.wall_ms or 0) if s.cpu_ms is None else s.cpu_ms for s in mine)  # what its clock was charged
        mean, half = interval(margins)
        seats.append(
            {
                "seat": seat,
                "bot": bot.manifest.name,
                "points": round(sum(s.points for s in mine), 4),
                "matches": len(mine),
                "mean_penalty": round(sum(penalties) / len(penalties), 2) if penalties else None,
                "margin": mean,
                "margin_95": half,
                "forfeits": sum(s.cause != "completed" for s in mine),
                "ms_per_decision": round(used / decisions, 3) if decisions else None,
            }
        )
    return {
        "seed": master.hex(),
        "seats": seats,
        "matches": [
            {
                "match_id": result.match_id,
                "rounds": result.rounds,
                "canonical_sha256": result.canonical_sha256,
                "places": [s.place for s in result.seats],
                "totals": [s.penalty for s in result.seats],
                "causes": [s.cause for s in result.seats],
            }
            for result in results
        ],
        "forfeits": [
            {
                "match": number,
                "seat": s.seat,
                "bot": bots[s.seat].manifest.name,
                "cause": s.cause,
                "detail": s.detail,
                "sent": s.sent,
                "log": s.log.decode("utf-8", "replace"),
            }
            for number, result in enumerate(results, start=1)
            for s in result.seats
            if s.cause != "completed"
        ],
    }


def _margin(result: MatchResult, seat: int) -> float:
    """How many penalty points fewer than its opponents, on average, the seat took."""
    others = [s.penalty for s in result.seats if s.seat != seat]
    return sum(others) / len(others) - result.seats[seat].penalty


def interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and half the width of its 95% interval by Student's t; None where there are too few values."""
    import math
    import statistics

    if not values:
        return None, None
    mean = round(statistics.fmean(values), 2)
    if len(values) < 5:
        return mean, None
    from scipy.special import stdtrit

    error = statistics.stdev(values) / math.sqrt(len(values))
    return mean, round(float(stdtrit(len(values) - 1, 0.975)) * error, 2)


def show(
    bots: Sequence[LocalBot], results: Sequence[MatchResult], report: dict[str, Any], replays: Path | None
) -> None:
    """The result table, and every kind of forfeit with its author's view of it."""
    rows = []
    for row in report["seats"]:
        margin = None if row["margin"] is None else f"{row['margin']:+.2f}"
        if margin is not None and row["margin_95"] is not None:
            margin += f" ± {row['margin_95']:.2f}"
        rows.append({**row, "margin": margin})
    columns = [
        ("seat", "seat"), ("bot", "bot"), ("points", "points"), ("matches", "matches"),
        ("mean_penalty", "mean penalty"), ("margin", "margin (95%)"), ("forfeits", "forfeits"),
        ("ms_per_decision", "ms/decision"),
    ]  # fmt: skip
    print_table(rows, columns, empty="no match was played")
    alike: dict[tuple[int, str, str], list[dict[str, Any]]] = {}
    for fault in report["forfeits"]:
        kind = (fault["seat"], fault["cause"], re.sub(r"\d+", "", fault["detail"]))
        alike.setdefault(kind, []).append(fault)
    for first, *more in alike.values():
        _show_fault(first, results[first["match"] - 1])
        if more:
            console.print(Text(f"  and {len(more)} more like it: {_numbers([fault['match'] for fault in more])}"))
    console.print(Text(f"seed {report['seed']}"))
    if replays is not None:
        console.print(Text(f"replays in {replays}"), soft_wrap=True)


def _numbers(matches: Sequence[int]) -> str:
    """The first few, and how many others."""
    some = f"match{'es' if len(matches) > 1 else ''} {', '.join(map(str, matches[:MATCHES_NAMED]))}"
    return some + (f" and {counted(len(matches) - MATCHES_NAMED, 'other')}" if len(matches) > MATCHES_NAMED else "")


def _show_fault(fault: dict[str, Any], result: MatchResult) -> None:
    """A forfeit as its author needs it: cause, what was sent, what to do, view and log around the moment."""
    head = (
        f"match {fault['match']}: seat {fault['seat']} ({fault['bot']}) forfeits, {fault['cause']}: {fault['detail']}"
    )
    console.print(Text("\n" + head, style="bold"), soft_wrap=True)
    if fault["sent"]:
        console.print(Text(f"  sent: {fault['sent']}"), soft_wrap=True)
    idle = fault["cause"] == "timeout" and fault["detail"].startswith("idle")
    if fix := IDLE_FIX if idle else FIXES.get(fault["cause"]):
        console.print(Text(f"  {fix}"), soft_wrap=True)
    lines = botlog.tail(fault["log"])
    if not any(line.startswith(TOLD_BY_CLIENT) for line in lines):
        for line in _moment(fault["seat"], result):
            console.print(Text(f"  {line}"), soft_wrap=True)
    for line in lines:
        console.print(Text(f"  {line}"), soft_wrap=True)


def _moment(seat: int, result: MatchResult) -> list[str]:
    """Where in the match it happened, what the seat could see there, and what was legal, in lines."""
    import json

    from referee.errors import ReplayError
    from referee.match.seen import Decision, seen
    from referee.match.sitting import decompress

    try:
        told = seen(decompress(result.replay), seat)
    except ReplayError:  # the result stands all the same
        return []
    last = told[-1] if told else None
    if not isinstance(last, Decision) or last.chosen is not None:
        return []
    legal = ", ".join(f"[{number}] {action}" for number, action in enumerate(last.turn.legal))
    view = json.dumps(botlog.view(last.turn.view.to_json()))
    return [f"asked at {last.at} (round/event, from 0)", f"view: {view}", f"legal: {legal}"]
