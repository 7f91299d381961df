"""Accounts, tokens, allowances and the audit log."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from referee.errors import NotFound
from referee.store.commands.accounts import quota_of
from referee.store.engine import Store
from referee.store.models import AuditRecord, Setting, Token, User
from referee.store.queries.tournaments import PAGE


def users(store: Store) -> list[dict[str, Any]]:
    """All accounts by name."""

    def work(session: Session) -> list[dict[str, Any]]:
        return [_user(session, user) for user in session.exec(select(User).order_by(col(User.name)))]

    return store.fetch(work)


def user(store: Store, name: str) -> dict[str, Any]:
    """One account with its allowances, or `NotFound`."""

    def work(session: Session) -> dict[str, Any]:
        row = session.exec(select(User).where(User.name == name)).one_or_none()
        if row is None:
            raise NotFound("user", name)
        return _user(session, row)

    return store.fetch(work)


def tokens(store: Store, user: str = "") -> list[dict[str, Any]]:
    """Tokens, newest first, of one user or of all; never the token itself."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = select(Token, User.name).join(User, col(User.id) == col(Token.user_id)).order_by(col(Token.id).desc())
        if user:
            query = query.where(User.name == user)
        return [
            {
                "token": token.id,
                "user": name,
                "label": token.label,
                "created_at": token.created_at,
                "last_used_at": token.last_used_at,
                "revoked_at": token.revoked_at,
            }
            for token, name in session.exec(query)
        ]

    return store.fetch(work)


def audit(store: Store, *, target: str = "", before: int = 0, limit: int = PAGE) -> list[dict[str, Any]]:
    """Who did what, newest first; the next page is `before` the last `key`."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = select(AuditRecord).order_by(col(AuditRecord.id).desc()).limit(min(limit, PAGE))
        if target:
            query = query.where(AuditRecord.target == target)
        if before:
            query = query.where(col(AuditRecord.id) < before)
        return [
            {
                "key": row.id,
                "at": row.at,
                "actor": row.actor,
                "action": row.action,
                "target": row.target,
                "reason": row.reason,
                "details": row.details,
            }
            for row in session.exec(query)
        ]

    return store.fetch(work)


def setting(store: Store, key: str) -> Any:
    """The league-wide setting's JSON value; None if it is not set."""

    def work(session: Session) -> Any:
        row = session.get(Setting, key)
        return row.value if row is not None else None

    return store.fetch(work)


def _user(session: Session, row: User) -> dict[str, Any]:
    return {
        "name": row.name,
        "user_id": row.id,
        "role": row.role,
        "created_at": row.created_at,
        "banned_at": row.banned_at,
        "ban_reason": row.ban_reason,
        "quota": quota_of(session, row),
    }
