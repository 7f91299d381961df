"""Events of a running fixture for the browser. Filled in by `watch`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable


async def events(fixture_id: str, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[str]:
    yield f"event: waiting\ndata: {json.dumps({'text': 'This match cannot be watched live yet.'})}\n\n"
