"""Match records as statistics sees them, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sqlalchemy import select
from sqlmodel import Session

from referee.store.models import Match, Seat, Tournament
from referee.store.rows import key_of, table
from referee.store.states import MatchState
from referee.tournament.points import MatchFact


def fact(
    tournament: Tournament,
    block: int,
    seating: int,
    number: int,
    seats: Sequence[tuple[int, int, int, bool]],
) -> MatchFact:
    """The fact of one match from (entry id, place, penalty, forfeited) of its seats, in order."""
    return MatchFact.of_seats(
        block,
        seating,
        number,
        [seat[0] for seat in seats],
        [seat[1] for seat in seats],
        [seat[2] for seat in seats],
        [index for index, seat in enumerate(seats) if seat[3]],
        int(tournament.rules.get("teams") or 0) or None,
    )


def facts(session: Session, tournament: Tournament) -> Iterator[MatchFact]:
    """Every match of the tournament that counts, in the order in which they were recorded; entries by id."""
    matches, seats = table(Match), table(Seat)
    query = (
        select(
            matches.c.id,
            matches.c.block,
            matches.c.seating,
            matches.c.number,
            seats.c.entry_id,
            seats.c.place,
            seats.c.penalty,
            seats.c.cause,
        )
        .join(seats, seats.c.match_id == matches.c.id)
        .where(matches.c.tournament_id == key_of(tournament), matches.c.state == MatchState.DONE)
        .order_by(matches.c.id, seats.c.seat)
        .execution_options(yield_per=5_000)
    )
    for (_, block, seating, number), rows in groupby(session.execute(query), key=lambda row: tuple(row[:4])):
        outcome = [(row.entry_id, row.place, row.penalty, row.cause != "completed") for row in rows]
        yield fact(tournament, block, seating, number, outcome)
