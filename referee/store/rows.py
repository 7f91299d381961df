"""Small ways between model classes and statements."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Table
from sqlmodel import SQLModel


def table(model: type[SQLModel]) -> Table:
    """The table of a model, for statements that touch many rows."""
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


def key_of(row: SQLModel) -> int:
    """The primary key of a row that is in the store."""
    key = cast("int | None", row.id)  # type: ignore[attr-defined]
    if key is None:
        raise ValueError(f"{row!r} is not in the store yet")
    return key
