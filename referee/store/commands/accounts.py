"""Accounts, their tokens and allowances, and league-wide switches."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlmodel import Session, col, select

from referee.errors import Conflict, NotFound, UsageError
from referee.store.commands.transaction import audit, of, once, the_user
from referee.store.engine import Store, now
from referee.store.models import Setting, Token, User
from referee.store.rows import key_of
from referee.store.states import Role
from referee.wording import meant

USER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
QUOTAS: Mapping[str, int] = {
    "bots": 10,
    "submissions_per_hour": 10,
    "submissions_per_day": 50,
    "archive_mib": 20,
    "image_mib": 500,
    "queued_builds": 3,
    "challenges_per_hour": 20,
    "challenges_at_once": 3,
}
"""What one author may use unless an organiser says otherwise."""
_TOUCH = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Account:
    """Who is calling: the owner of a token."""

    user_id: int
    name: str
    role: str
    token_id: int

    @property
    def organiser(self) -> bool:
        return self.role == Role.ORGANISER


def add_user(store: Store, name: str, role: str, *, by: str, request_id: str = "") -> int:
    """There is an account `name` with that role; its id. `Conflict` if the name is taken."""
    if not USER_NAME.fullmatch(name):
        raise UsageError(
            f"user name {name!r} cannot be used; use lower-case letters, digits, '.', '_' and '-', at most 63"
        )
    if role not in set(Role):
        raise UsageError(f"role {role!r} is unknown; use author or organiser")

    def work(session: Session) -> int:
        if session.exec(select(User).where(User.name == name)).first() is not None:
            raise Conflict(f"user {name!r} exists already", "choose another name")
        user = User(name=name, role=role, created_at=now(session))
        session.add(user)
        session.flush()
        audit(session, by, "user add", name, role=role)
        return key_of(user)

    return int(once(store, of("add_user", name), request_id, work))


def create_token(store: Store, user: str, *, label: str = "", by: str) -> str:
    """A new token of `user`, in clear for the only time; the store keeps its hash."""
    token = "nf_" + secrets.token_urlsafe(32)

    def work(session: Session) -> None:
        owner = the_user(session, user)
        session.add(Token(user_id=key_of(owner), label=label, token_sha256=_hash(token), created_at=now(session)))
        audit(session, by, "token create", user, label=label)

    once(store, "create_token", "", work)
    return token


def revoke_token(store: Store, token_id: int, *, by: str, owner: str | None = None) -> None:
    """The token opens nothing any more. With `owner`, only a token of that user is found."""

    def work(session: Session) -> None:
        token = session.get(Token, token_id)
        user = session.get(User, token.user_id) if token else None
        if token is None or user is None or (owner is not None and user.name != owner):
            raise NotFound("token", token_id)
        if token.revoked_at is None:
            token.revoked_at = now(session)
            session.add(token)
            audit(session, by, "token revoke", user.name, token=token_id, label=token.label)

    once(store, "revoke_token", "", work)


def authenticate(store: Store, token: str) -> Account | None:
    """Whose token this is; None if it is unknown or revoked or its owner banned. Its last use is kept to the minute."""

    def look(session: Session) -> tuple[Account, bool] | None:
        query = (
            select(Token, User)
            .join(User, col(User.id) == col(Token.user_id))
            .where(Token.token_sha256 == _hash(token), col(Token.revoked_at).is_(None), col(User.banned_at).is_(None))
        )
        row = session.exec(query).one_or_none()
        if row is None:
            return None
        found, user = row
        stale = found.last_used_at is None or now(session) - found.last_used_at > _TOUCH
        return Account(key_of(user), user.name, user.role, key_of(found)), stale

    seen = store.fetch(look)
    if seen is None:
        return None
    account, stale = seen
    if stale:

        def touch(session: Session) -> None:
            row = session.get(Token, account.token_id)
            if row is not None:
                row.last_used_at = now(session)
                session.add(row)

        store.write(touch)
    return account


def set_banned(store: Store, user: str, banned: bool, *, reason: str, by: str) -> None:
    """The account is shut (its tokens open nothing) or open again."""

    def work(session: Session) -> None:
        row = the_user(session, user)
        if (row.banned_at is not None) == banned:
            return
        if banned and row.role == Role.ORGANISER and not _other_organisers(session, user):
            raise Conflict(f"{user!r} is the last organiser; make another one first, or nobody can undo this")
        row.banned_at, row.ban_reason = (now(session), reason) if banned else (None, "")
        session.add(row)
        audit(session, by, "user ban" if banned else "user unban", user, reason)

    once(store, "set_banned", "", work)


def _other_organisers(session: Session, user: str) -> bool:
    query = select(User.id).where(User.role == Role.ORGANISER, User.name != user, col(User.banned_at).is_(None))
    return session.exec(query).first() is not None


def set_quota(store: Store, user: str, quota: Mapping[str, int], *, by: str) -> None:
    """The author's allowances are the defaults with these changes."""
    unknown = sorted(set(quota) - set(QUOTAS))
    if unknown:
        raise UsageError(f"quota {unknown[0]!r} is unknown{meant(unknown[0], QUOTAS)}; known are {', '.join(QUOTAS)}")

    def work(session: Session) -> None:
        row = the_user(session, user)
        row.quota = {**row.quota, **quota}
        session.add(row)
        audit(session, by, "user quota", user, quota=dict(quota))

    once(store, "set_quota", "", work)


def set_setting(store: Store, key: str, value: Any, *, by: str, reason: str = "") -> None:
    """The league-wide setting has that JSON value; None removes it."""

    def work(session: Session) -> None:
        row = session.get(Setting, key)
        if value is None:
            if row is not None:
                session.delete(row)
        else:
            row = row or Setting(key=key)
            row.value = value
            session.add(row)
        audit(session, by, "setting", key, reason, value=value)

    once(store, "set_setting", "", work)


def freeze_submissions(store: Store, frozen: bool, *, by: str, reason: str = "") -> None:
    """Uploads are refused with `reason`, or taken again."""
    set_setting(store, "submissions_frozen", {"reason": reason} if frozen else None, by=by, reason=reason)


def quota_of(session: Session, user: User) -> dict[str, int]:
    """The author's allowances: built-in defaults, the league's, then the author's own."""
    row = session.get(Setting, "quotas")
    league = row.value if row is not None and isinstance(row.value, dict) else {}
    return {**QUOTAS, **league, **user.quota}


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
