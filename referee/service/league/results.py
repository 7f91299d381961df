"""Matches, replays and exports: what anyone may see, seeds only once they are revealed."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from referee.errors import NotFound, UsageError
from referee.service.league.bots import chunks
from referee.service.league.calls import Call, Caller, League, Needs
from referee.store.queries import crosstable as crosstable_queries
from referee.store.queries import matches as queries
from referee.store.queries import replays as replay_queries
from referee.store.queries import standings as standings_queries
from referee.store.queries import tournaments as tournament_queries
from referee.store.queries.certainty import certainty
from referee.store.queries.matches import MatchFilter
from referee.store.states import MatchState

PAGE = 200
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet takes for a formula."""


def list_matches(league: League, caller: Caller, request: Any) -> Any:
    """A page of matches, newest first, and the cursor of the next."""
    wanted = MatchFilter(tournament=request.tournament, bot=request.bot, opponent=request.opponent, cause=request.cause)
    limit = min(request.limit or PAGE, PAGE)
    before = _cursor(request.before)
    rows = queries.matches(league.store, wanted, before=before, limit=limit)
    return {"matches": rows, "next": str(rows[-1]["key"]) if len(rows) == limit else ""}


def _cursor(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise UsageError(f"{text[:40]!r} is no page of this list; go on from what the last page said")
    return int(text)


def get_replay(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """The replay of one match, as JSON; its seed only when its block is complete."""
    document = replay_queries.replay(league.store, request.match_id)
    yield from chunks(_json(document), f"{request.match_id.replace('/', '-')}.json")


def export(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """Everything of a tournament, file by file: results, standings, crosstable, seeds, and all replays there are.

    `missing.json` names the played matches whose replays retention has removed, with the reason. The order of files is
    fixed, so a download goes on after the files it has.
    """
    for name, data in itertools.islice(_files(league, request.name, request.replays), request.after, None):
        yield from chunks(data, name)


def _files(league: League, name: str, replays: bool) -> Iterator[tuple[str, bytes]]:
    store = league.store
    yield "tournament.json", _json(tournament_queries.tournament(store, name))
    yield "standings.json", _json(standings_queries.standings(store, name))
    yield "standings.csv", _csv(standings_queries.standings(store, name))
    yield "ratings.json", _json(standings_queries.ratings(store, name))
    yield "crosstable.json", _json(crosstable_queries.crosstable(store, name))
    yield "certainty.json", _json(certainty(store, name))
    yield "seeds.json", _json(replay_queries.seed_chain(store, name))
    rows = list(_all_matches(league, name))
    yield "matches.json", _json(rows)
    yield "matches.csv", _csv([_flat(row) for row in rows])
    if not replays:
        return
    missing = [row for row in rows if row["state"] == MatchState.DONE and not row["has_replay"]]
    yield "missing.json", _json([{"match_id": row["match_id"], "reason": row["reason"]} for row in missing])
    for row in rows:
        if row["has_replay"]:
            try:
                yield f"replays/{row['match_id']}.json", _json(replay_queries.replay(store, row["match_id"]))
            except NotFound as removed:  # a moment ago
                yield f"replays/{row['match_id']}.removed.txt", f"{removed}\n".encode()


def _all_matches(league: League, name: str) -> Iterator[dict[str, Any]]:
    before = 0
    while page := queries.matches(league.store, MatchFilter(tournament=name), before=before, limit=PAGE):
        yield from page
        before = page[-1]["key"]


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the CSV: the match, and for each seat its bot, place, points and penalty."""
    line = {k: v for k, v in row.items() if k not in ("seats", "key")}
    for seat in row["seats"]:
        for key in ("bot", "version", "place", "points", "penalty", "cause", "cpu_ms"):
            line[f"seat{seat['seat']}_{key}"] = seat.get(key)
    return line


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, default=str) + "\n").encode()


def _csv(rows: list[dict[str, Any]]) -> bytes:
    """The rows as CSV; a text that a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    names = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: f"'{v}" if isinstance(v, str) and v.startswith(FORMULA) else v for k, v in row.items()})
    return out.getvalue().encode()


CALLS: Mapping[str, Call] = {
    "ListMatches": Call(Needs.ACCOUNT, list_matches),
    "GetReplay": Call(Needs.ACCOUNT, get_replay, streams=True),
    "ExportTournament": Call(Needs.ACCOUNT, export, streams=True),
}
