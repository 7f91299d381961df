"""Tables to take away: standings and crosstable as CSV and strict JSON, and the list of matches page by page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from dashboard import source
from dashboard.source import MatchFilter
from referee.errors import NinefoldError

STANDINGS = (
    "rank",
    "bot",
    "version",
    "matches",
    "points",
    "score",
    "won",
    "drawn",
    "lost",
    "forfeits",
    "mean_place",
    "mean_penalty",
    "mean_margin",
    "rating",
    "rating_low",
    "rating_high",
    "provisional",
    "blocks",
)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""The one way to write a day; Python's own reader knows others, such as weeks."""
CROSSTABLE = ("bot", "against", "matches", "blocks", "score", "margin", "low", "high", "significant")


def standings(name: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
    return STANDINGS, [{column: row[column] for column in STANDINGS} for row in source.standings(name)]


def crosstable(name: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
    table = source.crosstable(name, MOST_BOTS)
    bots = [row["bot"] for row in table["bots"]]
    return CROSSTABLE, [
        {
            **{column: cell.get(column) for column in CROSSTABLE},
            "bot": bots[cell["row"]],
            "against": bots[cell["column"]],
        }
        for cell in table["cells"]
    ]


MOST_BOTS = 200
"""The best placed of a field, of which a crosstable is handed out; of a thousand it would have a million lines."""
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2199, 12, 31)
MATCH = ("match_id", "tournament", "game", "state", "cause", "ended_at", "rounds", "plies", "canonical_sha256")
SEAT = ("seat", "bot", "version", "place", "points", "penalty", "cause", "detail", "decisions", "cpu_ms", "wall_ms")


def matches(name: str, asked: Mapping[str, str]) -> dict[str, Any]:
    """A page of a tournament's matches, newest first, and the address of the next (None at the end).

    `asked` is the query: `before` (the last `key` seen), `limit` (1 to 200), `bot`, `opponent`, `cause`, and the days
    `since` and `until`, both included.
    """
    known = ("before", "limit", "bot", "opponent", "cause", "since", "until")
    if odd := [key for key in asked if key not in known]:
        raise BadQuery(odd[0], asked[odd[0]], f"known are {', '.join(known)}")
    before, limit = _whole("before", asked, 0), _whole("limit", asked, 200)
    if not 1 <= limit <= 200:
        raise BadQuery("limit", str(limit), "take 1 to 200")
    since, until = _date("since", asked), _date("until", asked)
    wanted = MatchFilter(
        tournament=name,
        bot=asked.get("bot", ""),
        opponent=asked.get("opponent", ""),
        cause=asked.get("cause", ""),
        since=since,
        until=until + timedelta(days=1) if until else None,
    )
    found = source.matches(wanted, before=before, limit=limit)
    rows = [
        {
            "key": row["key"],
            **{field: row[field] for field in MATCH},
            "ended_at": row["ended_at"].isoformat(),
            "replay": f"/data/replay/{row['match_id']}.json" if row["has_replay"] else None,
            "seed_revealed": row["seed_revealed"],
            "seats": [{field: seat[field] for field in SEAT} for seat in row["seats"]],
        }
        for row in found
    ]
    following = None
    if len(rows) == limit:
        following = f"/data/matches/{quote(name)}.json?{urlencode({**asked, 'before': rows[-1]['key']})}"
    return {"tournament": name, "matches": rows, "next": following}


class BadQuery(NinefoldError):
    """A part of a query cannot be used: name, value, what can."""

    def __str__(self) -> str:
        return f"{self.args[0]}={self.args[1]!r} cannot be used; {self.args[2]}"


def _whole(key: str, asked: Mapping[str, str], default: int) -> int:
    text = asked.get(key, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadQuery(key, text, "write a whole number")
    return int(text)


def _date(key: str, asked: Mapping[str, str]) -> datetime | None:
    """The start of that day in UTC."""
    if key not in asked:
        return None
    found = day(asked[key])
    if found is None:
        raise BadQuery(key, asked[key], "write a day as 2026-05-31")
    return found


def day(text: str) -> datetime | None:
    """The start, in UTC, of the day written as 2026-05-31; None for anything else."""
    try:
        found = date.fromisoformat(text) if DAY.fullmatch(text) else date.min
    except ValueError:
        return None
    return datetime.combine(found, time(), UTC) if FIRST_DAY <= found <= LAST_DAY else None


def seeds(name: str) -> dict[str, Any]:
    """The chain of seeds as `ninefold replay verify --seeds` takes it; the master seed once all has ended."""
    return dict(source.seed_chain(name))


TABLES = {"standings": standings, "crosstable": crosstable}


def as_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1).encode()
