"""Unrated matches on the league's own machines: an author's bot against any other."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from referee.errors import UsageError
from referee.games import registry
from referee.service.league.bots import own
from referee.service.league.calls import Call, Caller, League, Needs
from referee.service.values import complete_rules
from referee.store.commands import tournaments as commands
from referee.store.commands.tournaments import NewTournament
from referee.store.queries import bots as bot_queries
from referee.store.queries import tournaments as queries

MOST_MATCHES = 1_000


def challenge(league: League, caller: Caller, request: Any) -> Any:
    """One block of both seatings is being played; its name, to watch it by. No rating counts it."""
    if not 1 <= request.matches <= MOST_MATCHES:
        raise UsageError(f"{request.matches} matches cannot be played; choose 1 to {MOST_MATCHES}")
    own(league, caller, request.bot)
    if request.bot == request.opponent:
        raise UsageError(f"{request.bot!r} cannot play itself here; name another bot")
    bot_queries.bot(league.store, request.opponent)  # or there is none of that name
    games = [g for g in bot_queries.bot(league.store, request.bot)["games"] if request.game in ("", g)]
    if not games:
        raise UsageError(
            f"{request.bot!r} has no admitted version that plays {request.game or 'anything'}; submit one first"
        )
    game = registry.get(games[0])
    rules, profile = complete_rules(game, request.profile, {}, 2)
    key = caller.request(request.request_id)
    name = f"challenge-{hashlib.sha256((key or secrets.token_hex(8)).encode()).hexdigest()[:10]}"
    new = NewTournament(
        name=name,
        game=game.name,
        rules=rules,
        profile=profile,
        blocks=1,
        matches_per_fixture=(request.matches + 1) // 2,
        kind="challenge",
    )
    both = (request.bot, request.opponent)
    commands.create_tournament(league.store, new, by=caller.name, bots=both, request_id=key)
    commands.start(league.store, name, by=caller.name)
    return queries.tournament(league.store, name)


CALLS: Mapping[str, Call] = {"Challenge": Call(Needs.ACCOUNT, challenge)}
