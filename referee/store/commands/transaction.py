"""What every command shares: carried out once, written down, its rows found or missed with a sentence."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from sqlmodel import Session, col, select

from referee.errors import Conflict, NotFound
from referee.store.engine import PATIENCE_SECONDS, Store, now
from referee.store.models import AuditRecord, Bot, Request, Tournament, User


def once(
    store: Store,
    command: str,
    request_id: str,
    work: Callable[[Session], Any],
    *,
    patience: float | None = PATIENCE_SECONDS,
) -> Any:
    """What `work` returned the first time this request was carried out; a JSON value.

    Given twice, or again after a lost connection, a command changes the store once. Without a `request_id` that still
    holds for our own retries. The id's sender must keep it to one `command`; one that has a subject says so (`of`).
    """
    key = request_id or f"once/{uuid.uuid4().hex}"

    def transaction(session: Session) -> Any:
        done = session.get(Request, key)
        if done is not None:
            if done.command != command:
                raise Conflict(f"request {key!r} was already used for {done.command!r}", "send a fresh request id")
            return done.result
        result = work(session)
        session.add(Request(request_id=key, command=command, at=now(session), result=result))
        return result

    return store.write(transaction, patience=patience)


def of(command: str, *what: str) -> str:
    """A command with what it is about: a request id that comes with another thing is told, not taken for that one."""
    return " ".join((command, *what))


def audit(session: Session, actor: str, action: str, target: str, reason: str = "", **details: Any) -> None:
    """The audit log says who did what to which thing, when and why."""
    session.add(AuditRecord(at=now(session), actor=actor, action=action, target=target, reason=reason, details=details))


def the_user(session: Session, name: str) -> User:
    """The account of that name, or `NotFound`."""
    user = session.exec(select(User).where(User.name == name)).one_or_none()
    if user is None:
        raise NotFound("user", name)
    return user


def the_bot(session: Session, name: str) -> Bot:
    """The bot of that name, or `NotFound`."""
    bot = session.exec(select(Bot).where(Bot.name == name)).one_or_none()
    if bot is None:
        raise NotFound("bot", name)
    return bot


def the_tournament(session: Session, name: str, *, lock: bool = True) -> Tournament:
    """The tournament of that name, or `NotFound`. Locked, nothing else changes it or its fixtures until the commit:
    every command takes this lock first, so none can wait for another in a circle."""
    query = select(Tournament).where(Tournament.name == name)
    if lock:
        query = query.with_for_update()
    tournament = session.exec(query).one_or_none()
    if tournament is None:
        raise NotFound("tournament", name)
    return tournament


def lock_tournament(session: Session, tournament_id: int) -> Tournament:
    """The tournament, locked and as last committed (see `the_tournament`)."""
    query = select(Tournament).where(col(Tournament.id) == tournament_id).with_for_update()
    return session.exec(query.execution_options(populate_existing=True)).one()
