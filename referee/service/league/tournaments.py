"""An organiser's commands on tournaments, and what everyone may read of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from referee.errors import NinefoldError, NotFound, UsageError
from referee.games import registry
from referee.match.fixture import Clock
from referee.service.league.bots import own
from referee.service.league.calls import Call, Caller, Denied, League, Needs, Pause
from referee.service.values import complete_rules
from referee.store.commands import fixtures as fixture_commands
from referee.store.commands import tournaments as commands
from referee.store.commands.tournaments import NewTournament
from referee.store.queries import bots as bot_queries
from referee.store.queries import crosstable as crosstable_queries
from referee.store.queries import standings as standings_queries
from referee.store.queries import tournaments as queries
from referee.store.queries.certainty import certainty
from referee.store.states import ENDED
from referee.wording import meant

WATCH_SECONDS = 1.0
RATED_SECONDS = 15.0
"""So long the last look at a tournament waits for ratings that include every match."""
WATCHED = (
    "state", "stage", "reason", "done_fixtures", "total_fixtures", "done_matches", "live", "rating_watermark"
)  # fmt: skip
FORMATS = ("round-robin",)


def create(league: League, caller: Caller, request: Any) -> Any:
    """The tournament takes entries; the named bots are in it, or there is no tournament. With `all_bots` those that
    cannot play are told, and the others are in it."""
    if request.format and request.format not in FORMATS:
        raise UsageError(f"format {request.format!r} is unknown; use {', '.join(FORMATS)}")
    if request.game not in registry.names():
        near = meant(request.game, registry.names())
        raise UsageError(f"game {request.game!r} is not played here{near}; use one of {', '.join(registry.names())}")
    game = registry.get(request.game)
    table_size = request.table_size or 2
    rules, profile = complete_rules(game, request.profile, request.rules, table_size)
    options: dict[str, Any] = {"max_sets": request.max_sets} if request.max_sets else {}
    until = {"max_blocks": request.max_blocks} if request.until_separated else None
    if request.max_blocks and not request.until_separated:
        raise UsageError("--max-blocks goes with --until-separated")
    new = NewTournament(
        name=request.name,
        game=request.game,
        rules=rules,
        profile=profile,
        table_size=table_size,
        blocks=request.blocks or 4,
        matches_per_fixture=request.matches_per_fixture or 5,
        clock=Clock(request.bank_ms or 10_000, request.increment_ms if request.bank_ms else 100),
        same_author=request.same_author,
        seed=request.seed,
        options=options,
        until_separated=until,
    )
    commands.create_tournament(
        league.store, new, by=caller.name, bots=tuple(request.bots), request_id=caller.request(request.request_id)
    )
    refused = {}
    for bot in bot_queries.bots(league.store, game=request.game) if request.all_bots else ():
        try:
            commands.enter(league.store, request.name, bot["name"], by=caller.name)
        except NinefoldError as error:
            refused[bot["name"]] = str(error)
    return {**queries.tournament(league.store, request.name), "refused": refused}


def change(league: League, caller: Caller, request: Any) -> Any:
    """Start, pause, resume, cancel; retry, drop or void one fixture. Twice is once.

    For organisers; whoever made a challenge may cancel it.
    """
    if not caller.organiser and not (request.change == "cancel" and _is_challenge_of(league, caller, request.name)):
        raise Denied("only an organiser may do this")
    store, by, key, why = league.store, caller.name, caller.request(request.request_id), request.reason[:500]
    match request.change:
        case "start":
            from referee.service.league.plan import possible

            possible(league, request.name)
            commands.start(store, request.name, by=by, request_id=key)
        case "pause":
            commands.pause(store, request.name, by=by, reason=why, request_id=key)
        case "resume":
            commands.resume(store, request.name, by=by, request_id=key)
        case "cancel":
            commands.cancel(store, request.name, by=by, reason=why, request_id=key)
        case "retry" | "drop" | "void":
            act = {
                "retry": fixture_commands.retry_fixture,
                "drop": fixture_commands.drop_fixture,
                "void": fixture_commands.void_by_hand,
            }[request.change]
            if request.name and not request.fixture.startswith(f"{request.name}/"):
                raise NotFound("fixture", request.fixture)
            act(store, request.fixture, by=by, reason=why, request_id=key)
            return queries.fixture(store, request.fixture)
        case _:
            raise UsageError(
                f"change {request.change!r} is unknown; use start, pause, resume, cancel, retry, drop or void"
            )
    return queries.tournament(store, request.name)


def _is_challenge_of(league: League, caller: Caller, name: str) -> bool:
    found = queries.tournament(league.store, name)
    return bool(found["kind"] == "challenge" and found["created_by"] == caller.name)


def enter(league: League, caller: Caller, request: Any) -> Any:
    """The bot is entered, by its owner or an organiser."""
    own(league, caller, request.bot)
    commands.enter(
        league.store, request.tournament, request.bot, by=caller.name, request_id=caller.request(request.request_id)
    )
    return queries.tournament(league.store, request.tournament)


def withdraw(league: League, caller: Caller, request: Any) -> Any:
    """The bot plays no further fixture of the tournament."""
    own(league, caller, request.bot)
    commands.withdraw(
        league.store,
        request.tournament,
        request.bot,
        by=caller.name,
        reason=request.reason[:500],
        request_id=caller.request(request.request_id),
    )
    return queries.tournament(league.store, request.tournament)


def plan(league: League, caller: Caller, request: Any) -> Any:
    """Fixtures, balance and expected time, changing nothing."""
    from referee.service.league.plan import plan as planned

    return planned(league, request.name)


def watch(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """Progress and standings, again whenever they change, until the tournament has ended and is rated."""
    last: Any = None
    waited = 0.0
    while True:
        row = queries.tournament(league.store, request.name)
        shown = {k: row[k] for k in WATCHED}
        if shown != last:
            last = shown
            yield {"tournament": row, "standings": standings_queries.standings(league.store, request.name)}
        if row["state"] in ENDED:
            rated = row["kind"] != "league" or row["rating_watermark"] >= row["done_matches"]
            if rated or waited >= RATED_SECONDS:
                return
            waited += WATCH_SECONDS
        yield Pause(WATCH_SECONDS)


def standings(league: League, caller: Caller, request: Any) -> Any:
    """The table, best first, and which neighbours are separated."""
    return {
        "tournament": queries.tournament(league.store, request.name),
        "standings": standings_queries.standings(league.store, request.name),
        "ratings": standings_queries.ratings(league.store, request.name),
        **certainty(league.store, request.name),
    }


def crosstable(league: League, caller: Caller, request: Any) -> Any:
    """Each pair's mean margin with its interval."""
    return crosstable_queries.crosstable(league.store, request.name)


CALLS: Mapping[str, Call] = {
    "CreateTournament": Call(Needs.ORGANISER, create),
    "ChangeTournament": Call(Needs.ACCOUNT, change),
    "EnterBot": Call(Needs.ACCOUNT, enter),
    "WithdrawBot": Call(Needs.ACCOUNT, withdraw),
    "ListTournaments": Call(Needs.ACCOUNT, lambda league, caller, request: queries.tournaments(league.store)),
    "ShowTournament": Call(
        Needs.ACCOUNT, lambda league, caller, request: queries.tournament(league.store, request.name)
    ),
    "PlanTournament": Call(Needs.ACCOUNT, plan),
    "WatchTournament": Call(Needs.ACCOUNT, watch, streams=True),
    "Standings": Call(Needs.ACCOUNT, standings),
    "Crosstable": Call(Needs.ACCOUNT, crosstable),
}
