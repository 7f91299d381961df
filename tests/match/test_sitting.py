"""A fixture that is stopped, and stopped again while it ends, still ends in order."""

from __future__ import annotations

import asyncio

import pytest

from referee.match.sitting import _to_the_end


def test_what_is_being_closed_is_closed_however_often_it_is_cancelled() -> None:
    async def test() -> None:
        closing, closed = asyncio.Event(), asyncio.Event()

        async def close() -> None:
            await closing.wait()
            closed.set()

        waiting = asyncio.ensure_future(_to_the_end(close()))
        for _ in range(3):
            await asyncio.sleep(0)
            waiting.cancel()
        await asyncio.sleep(0)
        assert not waiting.done()
        closing.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert closed.is_set()

    asyncio.run(test())
