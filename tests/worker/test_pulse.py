"""The pulse of a worker process: nothing ends it but the process, and the process ends with it."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from worker import pulse
from worker.context import Context
from worker.pulse import Pulse


class FullDisk:
    """A log of which no line can be written."""

    def __getattr__(self, level: str) -> Any:
        def say(*_: Any, **__: Any) -> None:
            raise OSError(28, "No space left on device")

        return say


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "BEAT_SECONDS", 0.01)


def test_it_beats_on_when_neither_the_beat_nor_the_log_can_be_written(
    fast: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats, third = [], threading.Event()

    def beat(_: Pulse) -> None:
        beats.append(len(beats))
        if len(beats) >= 3:
            third.set()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pulse, "log", FullDisk())
    monkeypatch.setattr(Pulse, "beat", beat)
    one = Pulse(cast(Context, None), "worker")
    one.start()
    assert third.wait(20)
    assert one._thread.is_alive()
    one._done.set()
    one._thread.join(20)
    assert not one._thread.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_that_has_lost_its_pulse_ends(fast: None, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []

    def beat(_: Pulse) -> None:
        raise SystemExit

    monkeypatch.setattr("os._exit", codes.append)
    monkeypatch.setattr(Pulse, "beat", beat)
    one = Pulse(cast(Context, None), "worker")
    one.start()
    one._thread.join(20)
    assert codes == [1]
