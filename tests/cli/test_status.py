"""What `ninefold status` says of a league that starts, and of the disk: a figure is of now, or says of when."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.cli.client import find
from referee.cli.status import _disk
from referee.cli.up import locked
from referee.errors import Unreachable
from referee.service.league.about import status
from referee.settings import Settings
from referee.store.blobs import Blobs
from referee.store.schema import open_store


def test_blobs_are_measured_when_asked(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    store, blobs = open_store(settings), Blobs(settings)
    league: Any = SimpleNamespace(store=store, blobs=blobs, organiser=True)
    asked: Any = SimpleNamespace(deep=False)
    assert status(league, league, asked)["disk"]["blob_bytes"] == 0
    blobs.put(b"an archive")
    disk = status(league, league, asked)["disk"]
    assert (disk["blobs"], disk["blob_bytes"]) == (1, sum(blobs.sizes().values()))
    store.close()


def test_a_figure_that_is_not_of_now_says_so() -> None:
    def said(size: int | None, when: str | None) -> str:
        disk = {"database_bytes": 3 << 20, "blob_bytes": size, "blobs_at": when}
        return _disk({"at": "2026-05-10 12:00:00+00:00", "disk": disk, "retention": {}})

    assert said(None, None) == "disk: database 3.0 MiB, blobs not measured yet"
    assert said(2 << 20, "2026-05-10 12:00:00+00:00") == "disk: database 3.0 MiB, blobs 2.0 MiB"
    assert said(2 << 20, "2026-05-09 08:00:00.5+00:00") == "disk: database 3.0 MiB, blobs 2.0 MiB at 2026-05-09 08:00:00"


def test_a_league_that_is_being_started_is_not_called_missing(tmp_path: Path) -> None:
    def said() -> str:
        with pytest.raises(Unreachable) as caught:
            find(tmp_path)
        return str(caught.value)

    assert said().startswith(f"no league runs in {tmp_path}; start one with")
    with locked(tmp_path):
        assert said() == f"the league in {tmp_path} is just starting; try again in a moment"
    assert said().startswith(f"no league runs in {tmp_path}; start one with")
