"""Accounts, tokens, quotas, and what an organiser may do to them; each recorded in the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.errors import NotFound
from referee.service.league.calls import Call, Caller, League, Needs
from referee.store.commands import accounts as commands
from referee.store.commands.tournaments import cancel_challenges
from referee.store.queries import accounts as queries


def add_user(league: League, caller: Caller, request: Any) -> Any:
    """There is an account, and a first token of it, shown this once."""
    key = caller.request(request.request_id)
    commands.add_user(league.store, request.name, request.role, by=caller.name, request_id=key)
    token = commands.create_token(league.store, request.name, label="first", by=caller.name)
    return {"name": request.name, "role": request.role, "token": token}


def create_token(league: League, caller: Caller, request: Any) -> Any:
    """A new token, shown this once."""
    user = _self_or_organiser(caller, request.user)
    return {"user": user, "token": commands.create_token(league.store, user, label=request.label[:64], by=caller.name)}


def revoke_token(league: League, caller: Caller, request: Any) -> Any:
    """The token opens nothing any more."""
    owner = None if caller.organiser else caller.name
    commands.revoke_token(league.store, request.id, by=caller.name, owner=owner)
    return {"revoked": request.id}


def list_tokens(league: League, caller: Caller, request: Any) -> Any:
    """The tokens of an account, without the keys themselves."""
    return queries.tokens(league.store, _self_or_organiser(caller, request.name))


def ban(league: League, caller: Caller, request: Any) -> Any:
    """The account is shut, and the challenges it made are over; or it is open again."""
    commands.set_banned(league.store, request.user, not request.undo, reason=request.reason[:500], by=caller.name)
    cancelled = [] if request.undo else cancel_challenges(league.store, request.user, by=caller.name)
    return {"user": request.user, "banned": not request.undo, "cancelled": cancelled}


def set_quota(league: League, caller: Caller, request: Any) -> Any:
    """The author's allowances are changed."""
    commands.set_quota(league.store, request.user, dict(request.quota), by=caller.name)
    return {"user": request.user, "quota": dict(request.quota)}


def freeze(league: League, caller: Caller, request: Any) -> Any:
    """Uploads are refused with the reason, or taken again."""
    commands.freeze_submissions(league.store, not request.undo, by=caller.name, reason=request.reason[:500])
    return {"frozen": not request.undo, "reason": request.reason[:500]}


def _self_or_organiser(caller: Caller, name: str) -> str:
    if name and name != caller.name and not caller.organiser:
        raise NotFound("user", name)
    return name or caller.name


CALLS: Mapping[str, Call] = {
    "AddUser": Call(Needs.ORGANISER, add_user),
    "ListUsers": Call(Needs.ORGANISER, lambda league, caller, request: queries.users(league.store)),
    "CreateToken": Call(Needs.ACCOUNT, create_token),
    "RevokeToken": Call(Needs.ACCOUNT, revoke_token),
    "ListTokens": Call(Needs.ACCOUNT, list_tokens),
    "BanUser": Call(Needs.ORGANISER, ban),
    "SetQuota": Call(Needs.ORGANISER, set_quota),
    "FreezeSubmissions": Call(Needs.ORGANISER, freeze),
    "Audit": Call(
        Needs.ORGANISER, lambda league, caller, request: queries.audit(league.store, limit=request.limit or 100)
    ),
}
