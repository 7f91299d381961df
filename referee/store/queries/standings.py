"""The table of a tournament and its ratings, read from sums."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.store.engine import Store
from referee.store.models import Bot, Entry, PairSum, RatingSnapshot, SeatSum, Tournament
from referee.store.queries.tournaments import find
from referee.store.rows import key_of, table
from referee.store.states import POINT, EntryState
from referee.tournament.standings import Standing, Tally
from referee.tournament.standings import standings as ranked

TALLY = ("matches", "points", "won", "drawn", "lost", "forfeits", "clean", "penalty", "margin")


def standings(store: Store, tournament: str) -> list[dict[str, Any]]:
    """The table, best first, without withdrawn bots; numbers are None (a dash) where a bot has no such matches."""
    return store.fetch(lambda session: table_of(session, find(session, tournament)))


def table_of(session: Session, tournament: Tournament) -> list[dict[str, Any]]:
    """The rows of `standings` for a tournament at hand."""
    entries = list(session.exec(select_rows(Entry).where(Entry.tournament_id == tournament.id)))
    withdrawn = {key_of(entry) for entry in entries if entry.state == EntryState.WITHDRAWN}
    by_id = {key_of(entry): entry for entry in entries}
    tallies, places = _tallies(session, key_of(tournament))
    ratings = {row["entry"]: row for row in _latest_ratings(session, key_of(tournament))}
    rows = []
    for standing in ranked(tallies, by_id, withdrawn):
        entry = by_id[standing.entry]
        rating = ratings.get(standing.entry, {})
        rows.append(
            {
                **_standing(standing),
                "bot": entry.bot,
                "version": entry.version,
                "first_places": places.get(standing.entry, (0, 0))[0],
                "mean_place": _number(places[standing.entry][1], standing.tally.matches)
                if standing.entry in places
                else None,
                "rating": rating.get("rating"),
                "rating_low": rating.get("low"),
                "rating_high": rating.get("high"),
                "provisional": rating.get("provisional", True),
                "blocks": rating.get("blocks", 0),
            }
        )
    return rows


def ratings(store: Store, tournament: str) -> dict[str, Any] | None:
    """The latest fit: `at`, `watermark` (matches it includes), `matches` so far, `ratings`; None before the first."""

    def work(session: Session) -> dict[str, Any] | None:
        row = find(session, tournament)
        snapshot = session.exec(
            select_rows(RatingSnapshot)
            .where(RatingSnapshot.tournament_id == row.id)
            .order_by(col(RatingSnapshot.watermark).desc())
            .limit(1)
        ).one_or_none()
        if snapshot is None:
            return None
        return {
            "at": snapshot.at,
            "watermark": snapshot.watermark,
            "matches": row.done_matches,
            "ratings": snapshot.ratings,
        }

    return store.fetch(work)


def rating_history(store: Store, bot: str, *, tournament: str = "", limit: int = 500) -> list[dict[str, Any]]:
    """How a bot's ratings moved, oldest first: tournament, at, watermark, rating, low, high."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = (
            select_rows(RatingSnapshot, Tournament.name, Entry.id)
            .join(Tournament, col(Tournament.id) == col(RatingSnapshot.tournament_id))
            .join(Entry, col(Entry.tournament_id) == col(Tournament.id))
            .where(Entry.bot == bot)
            .order_by(col(RatingSnapshot.id).desc())
            .limit(limit)
        )
        if tournament:
            query = query.where(Tournament.name == tournament)
        history = []
        for snapshot, name, entry in session.exec(query):
            found = next((row for row in snapshot.ratings if row["entry"] == entry), None)
            if found is not None:
                history.append({"tournament": name, "at": snapshot.at, "watermark": snapshot.watermark, **found})
        return history[::-1]

    return store.fetch(work)


def record(
    store: Store, bot: str, *, tournament: str = "", after: int = 0, limit: int = 100
) -> dict[str, list[dict[str, Any]]]:
    """A bot's record: `seats` per seat, and `opponents` from entry `after` on, each with a tally, per tournament."""

    def work(session: Session) -> dict[str, list[dict[str, Any]]]:
        query = (
            select_rows(Entry, Tournament.name)
            .join(Tournament, col(Tournament.id) == col(Entry.tournament_id))
            .join(Bot, col(Bot.id) == col(Entry.bot_id))
            .where(Bot.name == bot)
            .order_by(col(Entry.id).desc())
        )
        if tournament:
            query = query.where(Tournament.name == tournament)
        seats: list[dict[str, Any]] = []
        opponents: list[dict[str, Any]] = []
        seat_sums, pair_sums, names = table(SeatSum), table(PairSum), table(Entry)
        for entry, name in session.exec(query.limit(limit)):
            mine = select(seat_sums).where(
                seat_sums.c.tournament_id == entry.tournament_id, seat_sums.c.entry_id == entry.id
            )
            for row in session.execute(mine.order_by(seat_sums.c.seat)).mappings():
                seats.append({"tournament": name, "seat": row["seat"], **_figures(_tally(row))})
            if len(opponents) >= limit:
                continue
            against = (
                select(
                    pair_sums.c.opponent_id,
                    names.c.bot,
                    names.c.version,
                    *(func.sum(pair_sums.c[field]).label(field) for field in TALLY),
                )
                .join(names, names.c.id == pair_sums.c.opponent_id)
                .where(
                    pair_sums.c.tournament_id == entry.tournament_id,
                    pair_sums.c.entry_id == entry.id,
                    pair_sums.c.opponent_id > after,
                )
                .group_by(pair_sums.c.opponent_id, names.c.bot, names.c.version)
                .order_by(pair_sums.c.opponent_id)
                .limit(limit - len(opponents))
            )
            for row in session.execute(against).mappings():
                tally = _figures(_tally(row))
                opponents.append(
                    {
                        "tournament": name,
                        "entry": row["opponent_id"],
                        "bot": row["bot"],
                        "version": row["version"],
                        **tally,
                    }
                )
        return {"seats": seats, "opponents": opponents}

    return store.fetch(work)


def _tallies(session: Session, tournament_id: int) -> tuple[dict[int, Tally], dict[int, tuple[int, int]]]:
    sums = table(SeatSum)
    query = (
        select(
            sums.c.entry_id,
            *(func.sum(sums.c[field]).label(field) for field in TALLY),
            func.sum(sums.c.first_places).label("first_places"),
            func.sum(sums.c.place_sum).label("place_sum"),
        )
        .where(sums.c.tournament_id == tournament_id)
        .group_by(sums.c.entry_id)
    )
    tallies, places = {}, {}
    for row in session.execute(query).mappings():
        tallies[row["entry_id"]] = _tally(row)
        places[row["entry_id"]] = int(row["first_places"]), int(row["place_sum"])
    return tallies, places


def _latest_ratings(session: Session, tournament_id: int) -> list[dict[str, Any]]:
    query = (
        select_rows(RatingSnapshot.ratings)
        .where(RatingSnapshot.tournament_id == tournament_id)
        .order_by(col(RatingSnapshot.watermark).desc())
        .limit(1)
    )
    return list(session.exec(query).one_or_none() or [])


def _tally(row: Any) -> Tally:
    return Tally(*(int(row[field]) for field in TALLY))


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "entry": standing.entry,
        "decided_by": standing.decided_by,
        **_figures(standing.tally),
    }


def _figures(tally: Tally) -> dict[str, Any]:
    return {
        "matches": tally.matches,
        "points": tally.points / POINT,
        "score": _float(tally.score),
        "won": tally.won,
        "drawn": tally.drawn,
        "lost": tally.lost,
        "forfeits": tally.forfeits,
        "clean": tally.clean,
        "mean_penalty": _float(tally.mean_penalty),
        "mean_margin": _float(tally.mean_margin),
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _number(total: int, count: int) -> float | None:
    return total / count if count else None
