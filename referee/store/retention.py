"""What a league keeps no longer: rules of retention, and what has been removed by them so far.

Logs go by the age of their match; replays by the age of their tournament's end, so that a tournament is kept whole or
not at all. Results, sums, ratings and seeds are never touched: standings, exports and the verification of every replay
that is kept need nothing else. What was removed is written down in one row of the settings, in the transaction that
removes it, so that whoever misses something is told why. Blobs are removed by `sweep.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from sqlalchemy import and_, or_, select
from sqlmodel import Session

from referee.errors import NotFound, Removed, Silent
from referee.settings import Settings
from referee.store.engine import Store, now
from referee.store.models import Match, MatchLog, Replay, Setting, Tournament
from referee.store.rows import table
from referee.store.states import ENDED

KEY = "retention"
PAGE = 500
"""Matches a transaction: a writer that waits for it waits for a moment."""
DAY = 24 * 3600.0
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Policy:
    """For how many days things are kept; 0: for ever. A blob is set aside for `grace_seconds` before it is gone."""

    logs_days: float = 0.0
    replays_days: float = 0.0
    builds_days: float = 0.0
    grace_seconds: float = DAY

    @classmethod
    def of(cls, settings: Settings) -> Policy:
        grace = settings.blob_grace_hours * 3600
        return cls(settings.keep_logs_days, settings.keep_replays_days, settings.keep_builds_days, grace)


def noted(session: Session) -> dict[str, Any]:
    """What has been removed: by `logs`, `replays` and `builds` up to where, and how the `last` run went."""
    row = session.get(Setting, KEY)
    return dict(row.value) if row is not None else {}


def note(session: Session, **changes: Any) -> None:
    """The changes are written down with what was noted before."""
    row = session.get(Setting, KEY, with_for_update=True, populate_existing=True) or Setting(key=KEY, value={})
    row.value = {**row.value, **changes}
    session.add(row)


def note_failure(store: Store, trouble: str) -> None:
    """`status` tells that nothing could be removed, and why; the sizes that the last good run measured stay."""

    def work(session: Session) -> None:
        last = noted(session).get("last", {})
        sizes = {what: last[what] for what in ("blobs_kept", "blob_bytes") if what in last}
        note(session, last={**sizes, "at": now(session).isoformat(), "trouble": trouble})

    store.write(work)


def remove_logs(store: Store, days: float, stop: Stop = lambda: False) -> int:
    """No log is kept of a match that ended more than `days` days ago; how many were removed.

    Matches are numbered as they end, so one that a wrong clock dated ahead is as old as the next one that it did not.
    """

    def page(session: Session) -> tuple[int, bool]:
        at = now(session)
        limit = at - timedelta(days=days)
        matches, logs = table(Match), table(MatchLog)
        upto = int(noted(session).get("logs", {}).get("upto", 0))
        found = session.execute(
            select(matches.c.id, matches.c.ended_at)
            .where(matches.c.id > upto, matches.c.ended_at <= at)
            .order_by(matches.c.id)
            .limit(PAGE)
        ).all()
        old = list(takewhile(lambda row: row.ended_at < limit, found))
        if not old:
            return 0, False
        gone = session.execute(logs.delete().where(logs.c.match_id > upto, logs.c.match_id <= old[-1].id))
        note(session, logs={"upto": old[-1].id, "days": days, "before": old[-1].ended_at.isoformat()})
        return int(gone.rowcount), len(old) == PAGE  # type: ignore[attr-defined]

    return _pages(store, page, stop)


def remove_replays(store: Store, days: float, stop: Stop = lambda: False) -> int:
    """No replay is kept of a tournament that ended more than `days` days ago; how many were removed."""

    def page(session: Session) -> tuple[int, bool]:
        before: dict[str, Any] = noted(session).get("replays", {})
        ended, last, after = before.get("before"), int(before.get("tournament", 0)), int(before.get("after", 0))
        if ended is not None and datetime.fromisoformat(ended) > now(session):  # noted when a clock was wrong
            ended, last, after = None, 0, 0
        rows, matches, replays = table(Tournament), table(Match), table(Replay)
        query = select(rows.c.id, rows.c.ended_at).where(
            rows.c.state.in_(ENDED), rows.c.ended_at < now(session) - timedelta(days=days)
        )
        if ended is not None:
            at = datetime.fromisoformat(ended)
            done = rows.c.id > last if not after else rows.c.id >= last
            query = query.where(or_(rows.c.ended_at > at, and_(rows.c.ended_at == at, done)))
        tournament = session.execute(query.order_by(rows.c.ended_at, rows.c.id).limit(1)).one_or_none()
        if tournament is None:
            return 0, False
        if tournament.id != last:
            after = 0
        keys = list(
            session.execute(
                select(matches.c.id)
                .where(matches.c.tournament_id == tournament.id, matches.c.id > after)
                .order_by(matches.c.id)
                .limit(PAGE)
            ).scalars()
        )
        gone = session.execute(replays.delete().where(replays.c.match_id.in_(keys)))
        upto = keys[-1] if len(keys) == PAGE else 0  # 0: the tournament is done with
        place = {"before": tournament.ended_at.isoformat(), "tournament": tournament.id, "after": upto}
        note(session, replays={**place, "days": days})
        return int(gone.rowcount), True  # type: ignore[attr-defined]

    return _pages(store, page, stop)


def expire_builds(store: Store, days: float) -> datetime:
    """From now on nothing is owed of builds that ended before the moment returned, unless it may still be started.

    The moment never goes back, since what ended before it may be gone; nor does it lie ahead, as a clock or a setting
    that was wrong for a while may have left it: what is built from now on is owed for its days again.
    """

    def work(session: Session) -> datetime:
        at = now(session)
        limit = at - timedelta(days=days)
        known = noted(session).get("builds", {}).get("before")
        limit = min(max(limit, datetime.fromisoformat(known)), at) if known else limit
        note(session, builds={"before": limit.isoformat(), "days": days})
        return limit

    return store.write(work)


def why_no_replay(session: Session, match_id: str) -> NotFound:
    """What to say of a match that was played and has no replay (any more)."""
    days = noted(session).get("replays", {}).get("days")
    kind = "replay of match"
    return NotFound(kind, match_id) if days is None else Removed(kind, match_id, days)


def why_no_log(session: Session, match_id: str, bot: str) -> NotFound:
    """What to say of a match that the bot played and has no log of: nothing was printed, or it was long ago."""
    logs = noted(session).get("logs", {})
    key = session.execute(select(table(Match).c.id).where(table(Match).c.match_id == match_id)).scalar_one_or_none()
    if key is None or key > int(logs.get("upto", 0)):
        return Silent(bot, match_id)
    return Removed(f"log of {bot} in match", match_id, logs["days"])


def why_no_blob(store: Store, kind: str, name: object) -> NotFound:
    """What to say of an archive or build log that is no longer among the blobs."""
    days = store.fetch(lambda session: noted(session).get("builds", {}).get("days"))
    return NotFound(kind, name) if days is None else Removed(kind, name, days)


def _pages(store: Store, page: Callable[[Session], tuple[int, bool]], stop: Stop) -> int:
    removed, more = 0, True
    while more and not stop():
        count, more = store.write(page)
        removed += count
    return removed
