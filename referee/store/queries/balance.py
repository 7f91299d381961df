"""How even a tournament is, as its schedule lays it out and as far as it has been played; and whether it may stop.

Fields and schedules up to a size are counted; above it the counts are None, and `reason` says so.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session

from referee.errors import NinefoldError
from referee.store.engine import Store
from referee.store.field import Field, field_of
from referee.store.models import Fixture, Pair, SeatSum, Tournament
from referee.store.queries.certainty import MOST_BOTS, block_results
from referee.store.queries.tournaments import find
from referee.store.rows import table
from referee.store.states import TournamentState
from referee.tournament.schedule import Schedule
from referee.wording import counted

MOST_BLOCKS = 5_000
"""Longer schedules are made by the same construction; they are not walked through for a page."""
MOST_FIXTURES = 20_000
"""Fixtures whose seatings are read to count neighbours."""
WHATS = ("blocks", "pairs", "seats", "left")


def balance(store: Store, tournament: str) -> dict[str, Any]:
    """`planned` and `played`: for each of `blocks` (of a bot), `pairs` (meetings), `seats` (a bot's turns at a seat)
    and `left` (turns to another's left) a dict of `least`, `most` and `reason`, or None where it is not counted.

    Planned counts are blocks, played ones matches (`left`: fixtures). `sets`, `passes`, `complete` describe a pass of
    the schedule; `reason` says why there is none to describe.
    """

    def work(session: Session) -> dict[str, Any]:
        row = find(session, tournament)
        known = field_of(session, row)
        found: dict[str, Any] = {"reason": "", "sets": None, "passes": None, "complete": None}
        planned: dict[str, Any] = dict.fromkeys(WHATS)
        try:
            schedule = known.schedule()
            found |= {"sets": schedule.blocks_per_pass, "passes": schedule.blocks, "complete": schedule.complete}
            planned |= _planned(known)
            if not any(planned.values()):
                found["reason"] = f"{schedule.total_blocks:,} blocks are too many to be counted here"
        except NinefoldError as error:
            found["reason"] = str(error)
        return {**found, "planned": planned, "played": _played(session, row, known)}

    return store.fetch(work)


def stopping(store: Store, tournament: str) -> dict[str, Any] | None:
    """Where a tournament stands that plays until its bots are separated; None for any other.

    `pairs` that may meet, how many of them are `certain`, at most `most_blocks` a pair; `undecided`: bots, `passes`
    looked at, for each pair that is not. Counts are None for fields over 40 bots.
    """

    def work(session: Session) -> dict[str, Any] | None:
        row = find(session, tournament)
        if row.until_separated is None:
            return None
        known = field_of(session, row)
        found: dict[str, Any] = {
            "least_blocks": row.blocks,
            "most_blocks": known.most_blocks,
            "over": row.schedule_done,
            "pairs": None,
            "certain": None,
            "undecided": [],
        }
        if not row.started_at or not 2 <= len(known.bots) <= MOST_BOTS:
            return found
        from referee.tournament import stopping as early  # numpy and scipy: not for whoever only lists tournaments

        schedule = known.schedule()
        meeting = _meeting(schedule)
        stats = early.differences(block_results(session, known), schedule)
        open_pairs = [p for p in sorted(meeting) if early.judge(p, stats.get(p, ()), len(meeting)).better is None]
        return found | {
            "pairs": len(meeting),
            "certain": len(meeting) - len(open_pairs),
            "undecided": [
                {
                    "bots": [known.bots[a], known.bots[b]],
                    "passes": len(stats.get((a, b), ())),
                    "withdrawn": bool({a, b} & known.withdrawn),
                }
                for a, b in open_pairs
            ],
        }

    return store.fetch(work)


def _meeting(schedule: Schedule) -> set[tuple[int, int]]:
    """The pairs of entries that sit at one table in a pass."""
    return {
        pair
        for number in range(1, schedule.blocks_per_pass + 1)
        for pair in combinations(sorted(schedule.block(number).entries), 2)
    }


def _planned(known: Field) -> dict[str, Any]:
    if known.schedule().total_blocks > MOST_BLOCKS:
        return {}
    owners = known.owners if known.same_author == "apart" else None
    return _report(len(known.bots), known.table_size, known.most_blocks, known.sides, owners, known.max_sets)


@lru_cache(maxsize=64)
def _report(
    entries: int, size: int, blocks: int, sides: int | None, owners: tuple[str, ...] | None, max_sets: int | None
) -> dict[str, Any]:
    """The schedule's own account of its balance. It never changes once a field is frozen, so it is kept."""
    from referee.tournament.balance import balance_report  # numpy

    made = balance_report(Schedule(entries, size, blocks, sides=sides, owners=owners, max_sets=max_sets))
    parts = {"blocks": made.played, "pairs": made.pairs, "seats": made.seats, "left": made.left}
    return {what: _even(part.least, part.most, part.reason) for what, part in parts.items()}


def _played(session: Session, row: Tournament, known: Field) -> dict[str, Any]:
    """What has been recorded so far, withdrawn bots left out."""
    found: dict[str, Any] = dict.fromkeys(WHATS)
    going = {entry for n, entry in enumerate(known.entry_ids) if n not in known.withdrawn}
    sums, pairs = table(SeatSum), table(Pair)
    seats: dict[int, list[int]] = {entry: [] for entry in going}
    seated = session.execute(select(sums.c.entry_id, sums.c.matches).where(sums.c.tournament_id == row.id))
    for entry, matches in seated:
        if entry in going:
            seats[entry].append(int(matches))
    if not any(seats.values()):
        return found
    going_on = row.state in (TournamentState.RUNNING, TournamentState.PAUSED)
    why = "it is still being played" if going_on else ""
    lost = row.cancelled_fixtures + row.dropped_fixtures
    if not going_on and row.until_separated is not None:
        why = "pairs that were certain were dealt no more"
    elif not going_on and lost:
        why = f"{counted(lost, 'fixture')} cancelled or dropped"
    apart = "bots of one author never meet" if known.same_author == "apart" else ""
    totals = [sum(counts) for counts in seats.values()]
    found["blocks"] = _even(min(totals), max(totals), why or apart)
    size = known.table_size
    worst = max((c + [0] * (size - len(c)) for c in seats.values()), key=lambda c: max(c) - min(c))
    found["seats"] = _even(min(worst), max(worst), why)
    if known.withdrawn:
        query = select(pairs.c.matches).where(
            pairs.c.tournament_id == row.id, pairs.c.low_id.in_(going), pairs.c.high_id.in_(going)
        )
        met = [int(m) for m in session.execute(query).scalars()]
        least, most, count = (min(met), max(met), len(met)) if met else (0, 0, 0)
    else:
        least, most, count = session.execute(
            select(func.min(pairs.c.matches), func.max(pairs.c.matches), func.count()).where(
                pairs.c.tournament_id == row.id
            )
        ).one()
    missing = _may_meet(known) - int(count)
    if count:
        unmet = 0 if apart else missing
        met_why = f"{counted(unmet, 'pair')} not met{' yet' if going_on else ''}" if unmet else why or apart
        found["pairs"] = _even(0 if unmet else int(least), int(most), met_why)
    if row.done_fixtures <= MOST_FIXTURES:
        found["left"] = _left(session, row, going, why)
    return found


def _may_meet(known: Field) -> int:
    """Pairs of bots that are not withdrawn and may sit at one table."""
    going = [n for n in range(len(known.bots)) if n not in known.withdrawn]
    pairs = len(going) * (len(going) - 1) // 2
    if known.same_author == "apart":
        owned = Counter(known.owners[n] for n in going)
        pairs -= sum(count * (count - 1) // 2 for count in owned.values())
    return pairs


def _left(session: Session, row: Tournament, going: set[int], running: str) -> dict[str, Any] | None:
    """How often one bot sat to the left of another, over the ordered pairs that did at all."""
    rows = table(Fixture)
    turns: Counter[tuple[int, int]] = Counter()
    query = select(rows.c.entries).where(rows.c.tournament_id == row.id, rows.c.state == "done")
    for entries in session.execute(query).scalars():
        for seat, entry in enumerate(entries):
            before = entries[seat - 1]
            if entry in going and before in going and entry != before:
                turns[before, entry] += 1
    if not turns:
        return None
    return _even(min(turns.values()), max(turns.values()), running)


def _even(least: int, most: int, reason: str) -> dict[str, Any]:
    """Counts that should be alike, and why they are not, where they differ by more than one."""
    return {"least": least, "most": most, "reason": reason if most - least > 1 else ""}
