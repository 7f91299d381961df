"""What a tournament will play, before it does: fixtures, balance, and how long it should take. Nothing is changed."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

from referee.errors import Conflict
from referee.service.league.calls import League
from referee.store.field import field
from referee.store.queries import status as status_queries
from referee.store.queries import tournaments as queries
from referee.tournament.balance import balance_report
from referee.wording import counted

SHOWN = 20
MATCH_SECONDS = 0.8
"""A match of two quick bots, containers' start included; used until there is a measured pace."""
REPORTED_BLOCKS = 200_000
"""Longer schedules are balanced by the same construction; their counts are not walked through for a plan."""


def plan(league: League, name: str) -> dict[str, Any]:
    """The plan of a tournament with the field it has now; `Conflict` if that cannot make a table."""
    found = field(league.store, name)
    row = queries.tournament(league.store, name)
    if len(found.bots) < (found.sides or found.table_size):
        raise Conflict(
            f"tournament {name!r} has {counted(len(found.bots), 'bot')} and a table needs "
            f"{found.sides or found.table_size}",
            "enter more bots",
        )
    schedule = found.schedule()
    matches = schedule.total_fixtures * found.matches_per_fixture
    first: list[dict[str, Any]] = []
    for block in itertools.islice(schedule.iter(), SHOWN):
        for number, seating in enumerate(block.seatings, start=1):
            seats = [found.bots[entry] for entry in seating]
            first.append({"block": block.number, "seating": number, "seats": seats})
    if schedule.total_blocks <= REPORTED_BLOCKS:
        balance = str(balance_report(schedule)).splitlines()
    else:
        balance = [f"balance: not counted for {schedule.total_blocks:,} blocks; the construction is the same"]
    return {
        "tournament": name,
        "bots": len(found.bots),
        "blocks": schedule.total_blocks,
        "fixtures": schedule.total_fixtures,
        "matches": matches,
        "expected": _expected(league, row, schedule.total_fixtures, matches),
        "balance": balance,
        "first": first[:SHOWN],
    }


def possible(league: League, name: str) -> None:
    """Nothing happens if the tournament's field makes a schedule; else the error says why it cannot be played."""
    found = field(league.store, name)
    if found.bots and len(found.bots) >= (found.sides or found.table_size):  # else the store says what is missing
        found.schedule()


def _expected(league: League, row: dict[str, Any], fixtures: int, matches: int) -> str:
    """How long, from this tournament's own pace if it has one."""
    if row["seconds_left"] is not None:
        return f"{_words(row['seconds_left'])} more, at the pace so far"
    machines = status_queries.status(league.store)["machines"]
    slots = sum(machine["slots"] for machine in machines) or 1
    at_once = counted(slots, "fixture")
    return f"about {_words(matches * MATCH_SECONDS / slots)} with {at_once} at once, more if bots think long"


def _words(seconds: float) -> str:
    return str(timedelta(seconds=max(round(seconds), 1)))
