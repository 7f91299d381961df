"""Bots, their versions, and the uploads that became (or did not become) versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from referee.store.models.columns import BigId, Document, LongText, UtcDateTime


class Bot(SQLModel, table=True):
    """A name in the league, which belongs to its first submitter. A retired bot is entered in nothing new."""

    __tablename__ = "bots"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    name: str = Field(unique=True, max_length=32)
    owner_id: int = Field(foreign_key="users.id", index=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    retired_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    retire_reason: str = Field(default="", sa_type=LongText)


class Version(SQLModel, table=True):
    """`name@number`, numbered from 1 when its manifest was read. `image` is the image id where it was built;
    `content_digest` names the image archive in the blob store, `build_log` and `source` are blobs too."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    bot_id: int = Field(foreign_key="bots.id")
    number: int
    digest: str = Field(max_length=64, index=True)
    state: str
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    progress_at: datetime = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    games: list[str] = Field(default_factory=list, sa_type=Document)
    runtime: str = "python"
    image: str = ""
    image_bytes: int = Field(default=0, sa_type=BigId)
    content_digest: str = ""
    build_log: str = ""
    source: str = ""


class Submission(SQLModel, table=True):
    """One upload on its way: `archive` is its blob. Its place in the queue is how many waiting ones came before it."""

    __tablename__ = "submissions"
    __table_args__ = (Index("ix_submissions_queue", "state", "id"), Index("ix_submissions_owner", "owner_id", "id"))

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    owner_id: int = Field(foreign_key="users.id")
    name: str = Field(default="", max_length=64)
    archive: str = Field(max_length=64)
    archive_bytes: int = 0
    state: str
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    created_at: datetime = Field(sa_type=UtcDateTime)
    progress_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    bot_id: int | None = Field(default=None, foreign_key="bots.id", index=True)
    version_id: int | None = Field(default=None, foreign_key="versions.id")
    build_log: str = ""
    attempt: int = 0
    lease_owner: str = ""
    lease_expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    details: dict[str, Any] = Field(default_factory=dict, sa_type=Document)
