"""A referee that was started again listens elsewhere; its worker finds it without being restarted."""

from __future__ import annotations

from pathlib import Path

from tests.worker.fake_referee import FakeReferee, serve
from worker.referee_client import GrpcReferee


def test_a_worker_finds_the_referee_that_was_started_again(tmp_path: Path) -> None:
    first, second = f"unix:{tmp_path}/1.sock", f"unix:{tmp_path}/2.sock"
    where = [first]
    server = serve(first, FakeReferee())
    referee = GrpcReferee(first, lambda: where[0])
    assert not referee.health().trouble
    server.stop(None).wait()
    assert not referee.health().reachable
    where[0] = second
    server = serve(second, FakeReferee())
    referee.health()
    assert referee.health().reachable
    assert referee.address == second
    server.stop(None).wait()
