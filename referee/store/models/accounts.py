"""Who may do what, what was done, and which commands have already been carried out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Field, SQLModel

from referee.store.models.columns import BigId, Document, LongText, UtcDateTime


class User(SQLModel, table=True):
    """An account. `quota` overrides the league's defaults key by key; empty means none are overridden."""

    __tablename__ = "users"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    name: str = Field(unique=True, max_length=64)
    role: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    banned_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ban_reason: str = Field(default="", sa_type=LongText)
    quota: dict[str, Any] = Field(default_factory=dict, sa_type=Document)


class Token(SQLModel, table=True):
    """A key to an account: shown once, kept as a SHA-256 hash."""

    __tablename__ = "tokens"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    user_id: int = Field(foreign_key="users.id", index=True)
    label: str = Field(default="", max_length=64)
    token_sha256: str = Field(unique=True, max_length=64, repr=False)
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class AuditRecord(SQLModel, table=True):
    """Who did what to which thing, when and why. Only ever added to."""

    __tablename__ = "audit"

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    at: datetime = Field(sa_type=UtcDateTime)
    actor: str
    action: str
    target: str = Field(default="", index=True)
    reason: str = Field(default="", sa_type=LongText)
    details: dict[str, Any] = Field(default_factory=dict, sa_type=Document)


class Request(SQLModel, table=True):
    """A command that was carried out, by the id its sender chose: sent again, it gives this result and does nothing."""

    __tablename__ = "requests"

    request_id: str = Field(primary_key=True, max_length=128)
    command: str
    at: datetime = Field(sa_type=UtcDateTime, index=True)
    result: Any = Field(default=None, sa_type=Document)


class Setting(SQLModel, table=True):
    """One thing an organiser has set for the whole league, such as default quotas or a freeze of submissions."""

    __tablename__ = "settings"

    key: str = Field(primary_key=True, max_length=64)
    value: Any = Field(default=None, sa_type=Document)
