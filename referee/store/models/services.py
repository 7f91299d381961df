"""Who is alive: machines, the programs on them, and leases on jobs that one program at a time does."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Field, SQLModel

from referee.store.models.columns import Document, LongText, UtcDateTime


class Machine(SQLModel, table=True):
    """One machine that plays. `failures` holds the fixtures of its latest voids since its last success."""

    __tablename__ = "machines"

    name: str = Field(primary_key=True, max_length=128)
    state: str
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    progress_at: datetime = Field(sa_type=UtcDateTime)
    referee: str = ""
    speed: float | None = None
    probe: dict[str, Any] = Field(default_factory=dict, sa_type=Document)
    failures: list[int] = Field(default_factory=list, sa_type=Document)
    heartbeat_at: datetime = Field(sa_type=UtcDateTime)


class Service(SQLModel, table=True):
    """One running program: a worker, conductor, referee or dashboard. Silent for a minute, it is dead or stuck."""

    __tablename__ = "services"

    name: str = Field(primary_key=True, max_length=128)
    kind: str
    machine: str
    pid: int = 0
    slots: int = 0
    state: str
    stage: str = ""
    reason: str = Field(default="", sa_type=LongText)
    started_at: datetime = Field(sa_type=UtcDateTime)
    progress_at: datetime = Field(sa_type=UtcDateTime)
    heartbeat_at: datetime = Field(sa_type=UtcDateTime)
    stopped_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    details: dict[str, Any] = Field(default_factory=dict, sa_type=Document)


class Lease(SQLModel, table=True):
    """A job that one program at a time does, such as conducting."""

    __tablename__ = "leases"

    name: str = Field(primary_key=True, max_length=64)
    owner: str
    since: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
