"""What the browser fetches by itself: the viewer's script, matches as steps, replays, tables, live events.

All of it is public; a match id contains slashes, so it comes last in a path. Every refusal is one sentence that the
viewer shows as it is.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from dashboard import assets, exports, live, source
from referee.errors import NinefoldError

FOR_EVER = "public, max-age=31536000, immutable"
UNTIL_REVEALED = "no-cache"
"""A replay changes once: when its block is complete its seed is added."""


def compressed(request: Request, body: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """The body, under gzip where the browser takes it."""
    headers = {**headers, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, 6, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(body, media_type=media_type, headers=headers)


def answered(work: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """The route for `work`, which runs in a thread; errors become sentences, never a stack trace."""

    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(work, request)
        except source.Missing as missing:
            return PlainTextResponse(str(missing), status_code=404)
        except exports.BadQuery as wrong:
            return PlainTextResponse(str(wrong), status_code=400)
        except NinefoldError as error:
            return PlainTextResponse(str(error), status_code=503, headers={"retry-after": "3"})

    return endpoint


def viewer(request: Request) -> Response:
    """The viewer's script; its name holds the hash of its content."""
    if request.path_params["name"] != assets.viewer_name():
        raise source.Missing("This page was made by another version of the dashboard: reload it.")
    body = assets.viewer_js().encode()
    return compressed(request, body, "text/javascript", {"cache-control": FOR_EVER})


def dumps(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def steps(request: Request) -> Response:
    """The match as the viewer plays it."""
    document = source.match_steps(request.path_params["match_id"])
    return compressed(request, dumps(document), "application/json", {"cache-control": UNTIL_REVEALED})


def replay(request: Request) -> Response:
    """The replay file (REPLAY.md); the seed is left out until its block is complete."""
    match_id = request.path_params["match_id"]
    body = dumps(source.replay(match_id))
    headers = {
        "cache-control": UNTIL_REVEALED,
        "content-disposition": f'attachment; filename="{file_name(match_id)}.json"',
    }
    return compressed(request, body, "application/json", headers)


def page(request: Request) -> Response:
    """The match as one HTML file that plays offline."""
    match_id = request.path_params["match_id"]
    body = assets.offline_page(source.match_steps(match_id)).encode()
    headers = {
        "cache-control": UNTIL_REVEALED,
        "content-disposition": f'attachment; filename="{file_name(match_id)}.html"',
    }
    return compressed(request, body, "text/html", headers)


def export(request: Request) -> Response:
    """A table of a tournament as CSV or JSON."""
    what, name, kind = (request.path_params[key] for key in ("what", "name", "kind"))
    if what not in exports.TABLES or kind not in ("csv", "json"):
        raise source.Missing(f"there is no table {what!r} as {kind!r}; take standings or crosstable, as csv or json")
    columns, rows = exports.TABLES[what](name)
    body = exports.as_csv(columns, rows) if kind == "csv" else exports.as_json(rows)
    headers = {
        "cache-control": "no-cache",
        "content-disposition": f'attachment; filename="{file_name(name)}-{what}.{kind}"',
    }
    return compressed(request, body, "text/csv; charset=utf-8" if kind == "csv" else "application/json", headers)


def matches(request: Request) -> Response:
    """A page of a tournament's matches as JSON."""
    found = exports.matches(request.path_params["name"], dict(request.query_params))
    return compressed(request, dumps(found), "application/json", {"cache-control": "no-cache"})


def seeds(request: Request) -> Response:
    """What anyone needs to check a tournament's deals."""
    name = request.path_params["name"]
    headers = {
        "cache-control": "no-cache",
        "content-disposition": f'attachment; filename="{file_name(name)}-seeds.json"',
    }
    return compressed(request, exports.as_json(exports.seeds(name)), "application/json", headers)


def file_name(match_id: str) -> str:
    """A name for a download: letters, digits, dots and dashes of the match id, which is plain by its making."""
    return "".join(c if c.isascii() and (c.isalnum() or c in ".-") else "_" for c in match_id)[:100]


async def watch(request: Request) -> Response:
    """Server-sent events of a fixture that is being played."""
    events = live.events(request.path_params["fixture"], request.is_disconnected)
    return StreamingResponse(
        events, media_type="text/event-stream", headers={"cache-control": "no-store", "x-accel-buffering": "no"}
    )


ROUTES: list[BaseRoute] = [
    Route("/assets/{name}", answered(viewer)),
    Route("/data/steps/{match_id:path}.json", answered(steps)),
    Route("/data/replay/{match_id:path}.json", answered(replay)),
    Route("/data/replay/{match_id:path}.html", answered(page)),
    Route("/data/matches/{name}.json", answered(matches)),
    Route("/data/seeds/{name}.json", answered(seeds)),
    Route("/data/{what}/{name}.{kind}", answered(export)),
    Route("/data/live/{fixture:path}", watch),
]
