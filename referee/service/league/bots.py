"""Bots and submissions: everything of one's own, and of others' what is public."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from protos.ninefold.v1 import league_pb2
from referee.errors import NotFound
from referee.service.league.calls import Call, Caller, League, Needs, Pause
from referee.store.commands import submissions as commands
from referee.store.queries import bots as queries
from referee.store.queries import replays as replay_queries
from referee.store.queries.replays import Log
from referee.store.retention import why_no_blob
from referee.wording import counted

CHUNK = 256 * 1024
FOLLOW_SECONDS = 0.3
LOG_PAGE = 50


def list_bots(league: League, caller: Caller, request: Any) -> Any:
    """Bots with their active version and `state`; `mine` only the caller's.

    The state is `admitted` or `retired`; without an admitted version it is what became of the newest one, such as
    `refused: trial`, for the owner and organisers only.
    """
    rows = queries.bots(league.store, owner=caller.name if request.mine else "")
    unknown = [r["name"] for r in rows if r["version"] is None and (caller.organiser or r["owner"] == caller.name)]
    newest = queries.newest(league.store, unknown) if unknown else {}
    return [{**row, "state": _state(row, newest.get(row["name"]))} for row in rows]


def _state(row: dict[str, Any], newest: tuple[str, str] | None) -> str | None:
    if row["retired_at"]:
        return "retired"
    if row["version"] is not None:
        return "admitted"
    if newest is None:
        return None
    state, stage = newest
    return f"{state}: {stage}" if stage else state


def show(league: League, caller: Caller, request: Any) -> Any:
    """One bot: versions, and for its owner the submissions too."""
    bot = queries.bot(league.store, request.name)
    if caller.organiser or bot["owner"] == caller.name:
        bot["submissions"] = queries.submissions(league.store, bot=request.name)
    else:
        public = ("version", "state", "digest", "games", "runtime", "created_at")
        bot["versions"] = [{k: v[k] for k in public} for v in bot["versions"] if v["state"] == "admitted"]
    return bot


def follow(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """The submission's state, again whenever it changes, until it is final."""
    last: Any = None
    while True:
        state = _own_submission(league, caller, request.submission)
        if state != last:
            last = state
            yield state
        if state["state"] in ("admitted", "refused"):
            return
        yield Pause(FOLLOW_SECONDS)


def _own_submission(league: League, caller: Caller, number: int) -> dict[str, Any]:
    state = queries.submission(league.store, number)
    if not caller.organiser and state["owner"] != caller.name:
        raise NotFound("submission", number)
    return state


def own(league: League, caller: Caller, name: str) -> None:
    """The bot is the caller's, or the caller an organiser; else it is as if it did not exist."""
    if not caller.organiser and queries.bot(league.store, name)["owner"] != caller.name:
        raise NotFound("bot", name)


def build_log(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """The whole log of a build, for the bot's owner."""
    if request.submission:
        blob = _own_submission(league, caller, request.submission)["build_log"]
    else:
        blob = _build_log_of(league, caller, request.name, request.version)
    try:
        data = league.blobs.get(blob) if blob else b"(nothing was logged)\n"
    except NotFound:
        raise why_no_blob(league.store, "build log of", request.name or f"submission {request.submission}") from None
    yield from chunks(data, "build.log")


def match_logs(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """What the bot printed in one match, or in all of them, a file for each match.

    Of all of them, a last file says so if logs were removed by retention.
    """
    own(league, caller, request.name)
    logs: Iterable[Log]
    if request.match_id:
        logs = [log for log in replay_queries.logs(league.store, request.match_id) if log.bot == request.name]
        if not logs:
            raise replay_queries.no_log(league.store, request.match_id, request.name)
    else:
        logs = _all_logs(league, request.name, request.after)
    for log in logs:
        yield from chunks(log.text.encode(), f"{log.match_id}/seat-{log.seat}.log")
    if not request.match_id and (gone := replay_queries.logs_removed(league.store, request.name)):
        after = counted(gone["days"], "day")
        text = f"logs of matches that ended up to {gone['before']} were removed by retention after {after}\n"
        yield from chunks(text.encode(), "REMOVED.txt")


def replays(league: League, caller: Caller, request: Any) -> Iterator[Any]:
    """The replays of all matches of one of the caller's own bots, oldest first, but for the first `after`."""
    own(league, caller, request.name)
    key, skip = 0, request.after
    while page := replay_queries.bot_replays(league.store, request.name, after=key, limit=LOG_PAGE):
        for _, document in [found for found in page if found[1]][skip:]:
            data = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1).encode()
            yield from chunks(data, f"{document['match_id']}.json")
        skip = max(skip - sum(bool(document) for _, document in page), 0)
        key = page[-1][0]


def _all_logs(league: League, name: str, skip: int) -> Iterator[Log]:
    """The bot's logs, newest match first, without the first `skip`: read page by page."""
    before = 0
    while page := replay_queries.bot_logs(league.store, name, before=before, limit=LOG_PAGE):
        yield from page[skip:]
        skip = max(skip - len(page), 0)
        before = page[-1].key


def _build_log_of(league: League, caller: Caller, name: str, version: int) -> str:
    own(league, caller, name)
    if not version and (sent := queries.submissions(league.store, bot=name, limit=1)):
        return str(sent[0]["build_log"])  # also of an upload that became no version
    found = [v for v in queries.bot(league.store, name)["versions"] if version in (0, v["version"])]
    if not found:
        raise NotFound(f"version of {name}", version)
    return str(found[0]["build_log"])


def chunks(data: bytes, name: str) -> Iterator[Any]:
    """The file in pieces that fit a message; its name on the first."""
    for at in range(0, max(len(data), 1), CHUNK):
        first = at == 0
        yield league_pb2.Chunk(data=data[at : at + CHUNK], total=len(data) if first else 0, name=name if first else "")


def retire(league: League, caller: Caller, request: Any) -> Any:
    """The bot is entered in nothing new, or may be again."""
    own(league, caller, request.name)
    commands.set_retired(
        league.store,
        request.name,
        not request.undo,
        by=caller.name,
        organiser=caller.organiser,
        reason=request.reason[:500],
        request_id=caller.request(request.request_id),
    )
    return queries.bot(league.store, request.name)


CALLS: Mapping[str, Call] = {
    "ListBots": Call(Needs.ACCOUNT, list_bots),
    "ShowBot": Call(Needs.ACCOUNT, show),
    "FollowSubmission": Call(Needs.ACCOUNT, follow, streams=True),
    "BuildLog": Call(Needs.ACCOUNT, build_log, streams=True),
    "MatchLogs": Call(Needs.ACCOUNT, match_logs, streams=True),
    "BotReplays": Call(Needs.ACCOUNT, replays, streams=True),
    "RetireBot": Call(Needs.ACCOUNT, retire),
}
