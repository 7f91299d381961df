"""Archives on their way in: kept piece by piece under their digest: a dropped connection costs only the rest."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from protos.ninefold.v1 import league_pb2
from referee.errors import Conflict, UsageError
from referee.service.league.bounds import demand_measure
from referee.service.league.calls import Border, Call, Caller, League, Needs
from referee.store.commands import submissions
from referee.store.queries import accounts as account_queries
from referee.store.queries import bots as bot_queries
from referee.submission.limits import MIB

_SHA = re.compile(r"[0-9a-f]{64}")
KEEP_SECONDS = 24 * 3600.0
KEEP_PARTS = 8
"""Uploads that one account may have half done; the oldest are given up for newer ones."""


def offset(league: League, caller: Caller, key: Any) -> Any:
    """How much of the archive has arrived."""
    path = _path(league, caller, key)
    return league_pb2.UploadAt(offset=path.stat().st_size if path.exists() else 0)


def _path(league: League, caller: Caller, key: Any) -> Path:
    if not _SHA.fullmatch(key.sha256):
        raise UsageError("an upload is named by the SHA-256 of its archive, 64 hex digits")
    limit = account_queries.user(league.store, caller.name)["quota"]["archive_mib"] * MIB
    if key.size > limit:
        raise UsageError(
            f"the archive has {key.size:,} bytes, the limit is {limit:,}; leave out what the bot does not need"
        )
    return league.uploads / f"{caller.account.user_id}-{key.sha256}"


async def submit(border: Border, parts: Any, context: Any) -> Any:
    """The archive is stored and its submission waits; sent again with its request id, it is the same submission."""
    async with border.errors("Submit", context):
        caller = await border.caller(context, Needs.ACCOUNT)
        path: Path | None = None
        first: Any = None
        received = 0
        async for part in parts:
            if first is None:
                first = part
                path = await border.run(_begin, border.league, caller, part)
                received = part.offset
            received += len(part.data)
            if received > first.key.size:
                raise UsageError(f"more than the {first.key.size:,} bytes announced arrived; send the archive again")
            if part.data and path is not None:
                await border.run(_append, path, part.data)
        if first is None or path is None:
            raise UsageError("nothing was sent; send an archive")
        return await border.run(_end, border.league, caller, first, path)


def _begin(league: League, caller: Caller, part: Any) -> Path:
    if league.closed:
        raise Conflict(league.closed, "submit again then")
    demand_measure(part)
    path = _path(league, caller, part.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent, path, f"{caller.account.user_id}-")
    have = path.stat().st_size if path.exists() else 0
    if part.offset != have:
        raise Conflict(f"the upload goes on at byte {have:,}, not {part.offset:,}", "ask for the offset first")
    path.touch()
    return path


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def _end(league: League, caller: Caller, first: Any, path: Path) -> Any:
    """The archive that has arrived is a submission; many that end at once take next to no memory."""
    size = path.stat().st_size if path.exists() else 0
    if size != first.key.size:
        raise Conflict(f"{size:,} of {first.key.size:,} bytes arrived", "go on from there")
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != first.key.sha256:
                raise UsageError("the archive was damaged on its way; send it again")
            if len(first.name) > 64:
                raise UsageError("a bot's name has at most 32 characters; choose a shorter one")
            file.seek(0)
            blob = league.blobs.put_stream(file)
    finally:
        path.unlink(missing_ok=True)
    number = submissions.submit(
        league.store,
        caller.account.user_id,
        blob,
        size,
        name=first.name,
        request_id=caller.request(first.request_id),
    )
    return league_pb2.Submitted(submission=number, place=bot_queries.submission(league.store, number)["queue_place"])


def sweep(folder: Path, coming: Path | None = None, mine: str = "-") -> int:
    """Uploads that nobody went on with are gone after a day, and the oldest of whose names begin with `mine` when
    `coming` would be one too many; how many."""
    found: list[tuple[float, Path]] = []
    for path in folder.iterdir() if folder.exists() else ():
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime, path))
    old = {path for at, path in found if at < time.time() - KEEP_SECONDS}
    own = sorted((at, path) for at, path in found if path.name.startswith(mine) and path != coming)
    old |= {path for _, path in own[: len(own) - KEEP_PARTS + 1]} if len(own) >= KEEP_PARTS else set()
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


CALLS: Mapping[str, Call] = {"UploadOffset": Call(Needs.ACCOUNT, offset)}
"""`Submit` takes a stream, and is served by `submit`."""
