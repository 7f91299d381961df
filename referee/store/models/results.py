"""What was played: matches with seats, replays and logs, and the sums that standings are read from.

Sums hold whole numbers only (points in units of `states.POINT`), so their value does not depend on the order in which
results arrived. Replays and logs are rows of their own: listing matches never touches their pages, retention can
delete them, and a result lands with its replay or not at all.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from referee.store.models.columns import BigId, Bytes, Document, LongText, UtcDateTime

_FAULT = text("cause <> 'completed'")
"""Of indexes on the few rows that are not. A query must say this in so many words: SQLite looks at the text."""


class Match(SQLModel, table=True):
    """One match that reached its final state. `cause` is `completed`, the first forfeited seat's cause, or why it was
    never played; `match_id` is the public name `<tournament>/<block>/<seating>/<match>`."""

    __tablename__ = "matches"
    __table_args__ = (
        UniqueConstraint("fixture_id", "number"),
        Index("ix_matches_tournament", "tournament_id", "id"),
        Index("ix_matches_faults", "id", sqlite_where=_FAULT, postgresql_where=_FAULT),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    match_id: str = Field(unique=True, max_length=128)
    fixture_id: int = Field(foreign_key="fixtures.id")
    tournament_id: int = Field(foreign_key="tournaments.id")
    block: int
    seating: int
    number: int
    state: str
    cause: str
    reason: str = Field(default="", sa_type=LongText)
    canonical_sha256: str = Field(default="", max_length=64)
    rounds: int = 0
    plies: int = 0
    attempt: int = 0
    machine: str = ""
    speed: float | None = None
    ended_at: datetime = Field(sa_type=UtcDateTime)


class Seat(SQLModel, table=True):
    """What one seat took from one match. `sent` is for the bot's owner only. Place is None where nothing was played."""

    __tablename__ = "seats"
    __table_args__ = (
        Index("ix_seats_bot", "bot_id", "match_id"),
        Index("ix_seats_entry", "entry_id", "match_id"),
        Index("ix_seats_cause", "cause", "match_id", sqlite_where=_FAULT, postgresql_where=_FAULT),
        Index("ix_seats_faults", "bot_id", "cause", "match_id", sqlite_where=_FAULT, postgresql_where=_FAULT),
    )

    match_id: int = Field(foreign_key="matches.id", primary_key=True, sa_type=BigId)
    seat: int = Field(primary_key=True)
    entry_id: int = Field(foreign_key="entries.id")
    bot_id: int = Field(foreign_key="bots.id")
    place: int | None = None
    points: int = 0
    penalty: int | None = None
    cause: str
    detail: str = Field(default="", sa_type=LongText)
    sent: str = Field(default="", sa_type=LongText)
    decisions: int = 0
    wall_ms: float | None = None
    cpu_ms: float | None = None


class Replay(SQLModel, table=True):
    """The replay of one match: the REPLAY document under zstandard, its seed inside. Read through `queries.replays`,
    which withholds the seed while the block is open."""

    __tablename__ = "replays"

    match_id: int = Field(foreign_key="matches.id", primary_key=True, sa_type=BigId)
    data: bytes = Field(sa_type=Bytes)


class MatchLog(SQLModel, table=True):
    """What one seat's program printed during one match, under zstandard; for the bot's owner only."""

    __tablename__ = "logs"

    match_id: int = Field(foreign_key="matches.id", primary_key=True, sa_type=BigId)
    seat: int = Field(primary_key=True)
    data: bytes = Field(sa_type=Bytes)
    cut: bool = False


class SeatSum(SQLModel, table=True):
    """All that one entry did from one seat: a `tournament.standings.Tally`, and its places."""

    __tablename__ = "seat_sums"

    tournament_id: int = Field(primary_key=True, sa_type=BigId)
    entry_id: int = Field(primary_key=True, sa_type=BigId)
    seat: int = Field(primary_key=True)
    matches: int = 0
    points: int = Field(default=0, sa_type=BigId)
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeits: int = 0
    clean: int = 0
    penalty: int = Field(default=0, sa_type=BigId)
    margin: int = Field(default=0, sa_type=BigId)
    first_places: int = 0
    place_sum: int = 0


class PairSum(SQLModel, table=True):
    """What one entry did against one opponent from one seat: a `tournament.standings.Tally`."""

    __tablename__ = "pair_sums"

    tournament_id: int = Field(primary_key=True, sa_type=BigId)
    entry_id: int = Field(primary_key=True, sa_type=BigId)
    opponent_id: int = Field(primary_key=True, sa_type=BigId)
    seat: int = Field(primary_key=True)
    matches: int = 0
    points: int = Field(default=0, sa_type=BigId)
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeits: int = 0
    clean: int = 0
    penalty: int = Field(default=0, sa_type=BigId)
    margin: int = Field(default=0, sa_type=BigId)


class Pair(SQLModel, table=True):
    """One pair over all its blocks, seen from the lower entry id, with the squares that an interval from blocks needs.

    With block sums s (margin, in points of penalty) and n (clean matches): `margin` = Σs, `clean` = Σn,
    `margin_squares` = Σs², `margin_clean` = Σsn, `clean_squares` = Σn², and `blocks` counts those with n > 0. Halves
    are half wins over each other.
    """

    __tablename__ = "pairs"

    tournament_id: int = Field(primary_key=True, sa_type=BigId)
    low_id: int = Field(primary_key=True, sa_type=BigId)
    high_id: int = Field(primary_key=True, sa_type=BigId)
    blocks: int = 0
    matches: int = 0
    halves_low: int = 0
    halves_high: int = 0
    clean: int = 0
    margin: int = Field(default=0, sa_type=BigId)
    margin_squares: int = Field(default=0, sa_type=BigId)
    margin_clean: int = Field(default=0, sa_type=BigId)
    clean_squares: int = Field(default=0, sa_type=BigId)


class BlockPair(SQLModel, table=True):
    """One pair in one block, seen from the lower entry id: what ratings are fitted to and resampled from."""

    __tablename__ = "block_pairs"

    tournament_id: int = Field(primary_key=True, sa_type=BigId)
    block: int = Field(primary_key=True)
    low_id: int = Field(primary_key=True, sa_type=BigId)
    high_id: int = Field(primary_key=True, sa_type=BigId)
    matches: int = 0
    halves_low: int = 0
    halves_high: int = 0
    clean: int = 0
    margin: int = 0


class RatingSnapshot(SQLModel, table=True):
    """Ratings of a field as fitted once. `watermark` is how many matches they include."""

    __tablename__ = "ratings"
    __table_args__ = (UniqueConstraint("tournament_id", "watermark"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    tournament_id: int = Field(foreign_key="tournaments.id")
    watermark: int
    at: datetime = Field(sa_type=UtcDateTime)
    ratings: list[dict[str, Any]] = Field(sa_type=Document)
