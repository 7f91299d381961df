"""When a match ended, found by its key: keys are given in the order in which results are recorded.

Two transactions may record at once, so neighbours can be out of order by a little. `around` therefore is a hint for an
index, wide enough by `SLACK` keys, and goes together with the exact condition on the time.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlmodel import Session

from referee.store.models import Match
from referee.store.rows import table

SLACK = 1_000


def around(session: Session, since: datetime | None, until: datetime | None) -> tuple[int, int]:
    """Keys from the first to before the second hold all matches that ended from `since` on and before `until`."""
    rows = table(Match)
    # asked for one by one: both in one statement are read from every row instead of from the ends of the index
    least, most = (session.execute(select(end(rows.c.id))).scalar() for end in (func.min, func.max))
    if least is None or most is None:
        return 0, 0
    low, high = int(least), int(most) + 1
    first = _first(session, since, low, high) - SLACK if since is not None else low
    last = _first(session, until, low, high) + SLACK if until is not None else high
    return first, last


def _first(session: Session, moment: datetime, low: int, high: int) -> int:
    """The key from which on matches ended at `moment` or later, by halving: some twenty looks at a million matches."""
    rows = table(Match)
    while low < high:
        middle = (low + high) // 2
        row = session.execute(
            select(rows.c.id, rows.c.ended_at).where(rows.c.id >= middle, rows.c.id < high).order_by(rows.c.id).limit(1)
        ).one_or_none()
        if row is None or row.ended_at >= moment:
            high = middle
        else:
            low = int(row.id) + 1
    return low
