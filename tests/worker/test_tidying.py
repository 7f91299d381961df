"""Whatever keeps the conductor from removing what is old, `status` tells it, until a run has gone well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.errors import UsageError
from referee.settings import Settings
from referee.store import retention
from referee.store.commands import services
from referee.store.engine import Store
from referee.store.queries import status
from worker.conductor import Conductor

KEPT = "retention cannot remove what is kept no longer: "


def told(store: Store) -> list[str]:
    return [problem for problem in status.status(store)["problems"] if problem.startswith(KEPT)]


def fail(error: Exception) -> Any:
    def raising(*_: Any, **__: Any) -> None:
        raise error

    return raising


@pytest.mark.parametrize(
    ("where", "name", "error", "says"),
    [
        (retention.Policy, "of", RuntimeError("no such day"), "RuntimeError: no such day"),
        (services, "forget_silent", UsageError("nobody is silent"), "nobody is silent"),
        (services, "forget_requests", OSError(28, "No space left on device"), "No space left on device"),
    ],
    ids=["policy", "our own error", "any error"],
)
def test_a_run_that_failed_is_told(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, error: Exception, says: str
) -> None:
    conductor = Conductor(store, Settings(tmp_path))
    conductor._remove_old()
    before = status.status(store)["disk"]
    assert told(store) == []
    with monkeypatch.context() as patch:
        patch.setattr(where, name, fail(error))
        conductor._remove_old()
    found = told(store)
    assert len(found) == 1
    assert says in found[0]
    after = status.status(store)["disk"]
    assert (after["blobs"], after["blob_bytes"]) == (before["blobs"], before["blob_bytes"]) == (0, 0)
    conductor._remove_old()
    assert told(store) == []


def test_blobs_that_cannot_be_opened_are_told(store: Store, tmp_path: Path) -> None:
    conductor = Conductor(store, Settings(tmp_path, blob_url="nowhere://u:secret@h/blobs"))
    conductor._remove_old()
    assert "blob_url 'nowhere://…@h/blobs' cannot be used" in told(store)[0]
