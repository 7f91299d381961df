"""Tournaments and what they consist of: entries, blocks, fixtures."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from referee.store.models.columns import BigId, Document, LongText, UtcDateTime


class Tournament(SQLModel, table=True):
    """A field, a game with its rules, a schedule. `master_seed` is secret until the tournament is done.

    `planned_blocks` says how far the schedule has been laid out; `final_fixtures` and the counters beside it are kept
    in the transaction that ends a fixture, so progress costs nothing to read.
    """

    __tablename__ = "tournaments"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    name: str = Field(unique=True, max_length=64)
    kind: str = "league"  # or "challenge": unrated
    format: str = "round-robin"
    game: str
    rules: dict[str, Any] = Field(sa_type=Document)
    profile: str | None = None
    table_size: int = 2
    blocks: int = 4
    matches_per_fixture: int = 5
    bank_ms: int = 10_000
    increment_ms: int = 100
    same_author: str = "free"
    options: dict[str, Any] = Field(default_factory=dict, sa_type=Document)
    until_separated: dict[str, Any] | None = Field(default=None, sa_type=Document)
    commitment: str = Field(max_length=64)
    master_seed: str = Field(max_length=64, repr=False)
    seed_chosen: bool = False
    salt: str = ""
    state: str = Field(index=True)
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    progress_at: datetime = Field(sa_type=UtcDateTime)
    created_by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    incomplete: bool = False
    planned_blocks: int = 0
    planned_fixtures: int = 0
    schedule_done: bool = False
    total_fixtures: int | None = None
    done_fixtures: int = 0
    cancelled_fixtures: int = 0
    dropped_fixtures: int = 0
    done_matches: int = 0
    fault_matches: int = 0
    rating_watermark: int = 0
    rated_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    rating_requested_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Entry(SQLModel, table=True):
    """One bot in one tournament; its version is frozen at the start. `number` is its index in the schedule, from 0."""

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("tournament_id", "bot_id"), UniqueConstraint("tournament_id", "number"))

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    tournament_id: int = Field(foreign_key="tournaments.id")
    bot_id: int = Field(foreign_key="bots.id", index=True)
    version_id: int | None = Field(default=None, foreign_key="versions.id")
    number: int | None = None
    bot: str = Field(max_length=32)
    version: int | None = None
    digest: str = ""
    owner_id: int
    state: str
    reason: str = Field(default="", sa_type=LongText)
    entered_at: datetime = Field(sa_type=UtcDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Block(SQLModel, table=True):
    """Fixtures that play the same deals. Seeds may be shown once `done_at` is set; `machine` plays all if it can."""

    __tablename__ = "blocks"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    tournament_id: int = Field(foreign_key="tournaments.id")
    number: int
    fixtures: int
    open_fixtures: int
    machine: str = ""
    done_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Fixture(SQLModel, table=True):
    """One seating of one block; `entries` are entry ids by seat. Its public name is `<tournament>/<block>/<seating>`.

    `attempt` counts claims: a result is taken only while its attempt is the current one. `parking_voids` counts the
    voids of `docker`, `internal` and `host_memory`.
    """

    __tablename__ = "fixtures"
    __table_args__ = (
        UniqueConstraint("tournament_id", "block", "seating"),
        Index("ix_fixtures_live", "tournament_id", "state", "id"),
        Index("ix_fixtures_state", "state", "id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    tournament_id: int = Field(foreign_key="tournaments.id")
    block_id: int = Field(foreign_key="blocks.id", index=True)
    block: int
    seating: int
    entries: list[int] = Field(sa_type=Document)
    state: str
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    cause: str = ""
    progress_at: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    queued_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    not_before: datetime | None = Field(default=None, sa_type=UtcDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    attempt: int = 0
    lease_owner: str = ""
    lease_expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    machine: str = ""
    referee: str = ""
    voids: int = 0
    parking_voids: int = 0


class VoidRecord(SQLModel, table=True):
    """An attempt that failed by our fault, kept to see which machine or fixture keeps failing."""

    __tablename__ = "voids"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    fixture_id: int = Field(foreign_key="fixtures.id", index=True)
    attempt: int
    machine: str
    worker: str
    cause: str
    reason: str = Field(default="", sa_type=LongText)
    at: datetime = Field(sa_type=UtcDateTime)
