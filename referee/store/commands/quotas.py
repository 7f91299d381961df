"""What an author has used of the allowances, and what another upload or challenge would be too much."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlmodel import Session

from referee.errors import QuotaExceeded
from referee.store.commands.accounts import quota_of
from referee.store.engine import now
from referee.store.models import Submission, Tournament, User
from referee.store.rows import table
from referee.store.states import ENDED, SubmissionState

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def demand_submission(session: Session, user: User, archive_bytes: int) -> None:
    """The author has room for one more upload of that size, or `QuotaExceeded`."""
    limits, rows = quota_of(session, user), table(Submission)
    if archive_bytes > limits["archive_mib"] * 2**20:
        raise QuotaExceeded("archive_mib", limits["archive_mib"])
    mine = select(rows.c.created_at).where(rows.c.owner_id == user.id)
    building = mine.where(rows.c.state.in_([SubmissionState.WAITING, SubmissionState.RUNNING]))
    _demand_few(session, building, "queued_builds", limits, "the end of your oldest build")
    for quota, span in (("submissions_per_hour", HOUR), ("submissions_per_day", DAY)):
        _demand_rare(session, mine, rows.c.created_at, quota, limits, span)


def demand_challenge(session: Session, user: User) -> None:
    """The author has room for one more challenge, or `QuotaExceeded`."""
    limits, rows = quota_of(session, user), table(Tournament)
    mine = select(rows.c.created_at).where(rows.c.kind == "challenge", rows.c.created_by == user.name)
    playing = mine.where(rows.c.state.not_in(ENDED))
    _demand_few(session, playing, "challenges_at_once", limits, "the end of your oldest challenge")
    _demand_rare(session, mine, rows.c.created_at, "challenges_per_hour", limits, HOUR)


def _demand_few(session: Session, found: Select[Any], quota: str, limits: dict[str, int], clears: str) -> None:
    """Fewer are found than may be there at once."""
    count = session.execute(select(func.count()).select_from(found.subquery())).scalar_one()
    if count >= limits[quota]:
        raise QuotaExceeded(quota, limits[quota], clears if limits[quota] else "")


def _demand_rare(
    session: Session, found: Select[Any], created: Any, quota: str, limits: dict[str, int], span: timedelta
) -> None:
    """Fewer were made within the last `span` than may be."""
    limit, at = limits[quota], now(session)
    recent: list[datetime] = list(
        session.execute(found.where(created > at - span).order_by(created.desc()).limit(limit)).scalars()
    )
    if len(recent) >= limit:
        clears = (recent[-1] + span).isoformat(timespec="seconds") if limit else ""
        raise QuotaExceeded(quota, limit, clears)
