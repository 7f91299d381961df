"""What retention removed, as users meet it: by the command line, from a running league; and folders and logs stay small."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from protos.ninefold.v1 import league_pb2 as pb
from referee.cli.client import Declined
from referee.cli.download import save_files
from referee.cli.up import _bound
from referee.service import leftovers
from referee.service.league import uploads
from referee.settings import Settings
from referee.store import retention, sweep
from referee.store.blobs import Blobs
from referee.store.commands import fixtures, submissions
from referee.store.retention import Policy
from referee.store.schema import open_store
from tests.league.conftest import Served
from tests.store import league as small


def test_who_misses_something_is_told(served: Served, tmp_path: Path) -> None:
    store = open_store(Settings(served.data))
    blobs = Blobs(Settings(served.data))
    owner = small.author(store, "cleo")
    number = submissions.submit(store, owner, blobs.put(b"archive"), 7)
    claim = submissions.claim_submission(store, number, worker="w")
    assert claim is not None
    submissions.refuse_submission(store, claim, stage="manifest", reason="no", build_log=blobs.put(b"the log"))
    small.create(store, ["anna-bot", "bert-bot"], rules={"cutoff": 100, "first_dealer": "cut"})
    small.lay_out(store)
    for fixture_id in small.fixture_ids(store):
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m")
        assert spec is not None
        assert fixtures.record_fixture(store, spec, small.play(spec, log=b"hello"))
    match = f"{fixture_id}/1"

    def answer(method: str, request: Any) -> bytes:
        with served.as_("olga") as league:
            return b"".join(chunk.data for chunk in league.stream(method, request))

    asked = {
        "replay": ("GetReplay", pb.MatchKey(match_id=match)),
        "log": ("MatchLogs", pb.MatchLogsRequest(name="anna-bot", match_id=match)),
        "build log": ("BuildLog", pb.BuildLogRequest(submission=number)),
    }
    assert all(answer(*call) for call in asked.values())

    soon = 1e-6  # a tenth of a second
    time.sleep(0.3)
    for _ in range(2):
        done = sweep.tidy(store, blobs, Policy(soon, soon, soon, grace_seconds=0))
        assert done["trouble"] == ""
    store.close()
    for call in asked.values():
        with pytest.raises(Declined, match="was removed by retention after 1e-06 days"):
            answer(*call)
    with served.as_("anna") as anna:
        count = save_files(anna, "MatchLogs", lambda after: pb.MatchLogsRequest(name="anna-bot", after=after), tmp_path / "logs")
        assert count == 1
        assert "removed by retention" in (tmp_path / "logs" / "REMOVED.txt").read_text()
        make = lambda after: pb.ExportRequest(name="cup", replays=True, after=after)  # noqa: E731
        save_files(anna, "ExportTournament", make, tmp_path / "export")
        missing = json.loads((tmp_path / "export" / "missing.json").read_text())
        assert len(missing) == len(json.loads((tmp_path / "export" / "matches.json").read_text())) == 8
        assert "removed by retention" in missing[0]["reason"]
        assert not (tmp_path / "export" / "replays").exists()
        assert len(json.loads((tmp_path / "export" / "standings.json").read_text())) == 2
        status = anna.read("Status", pb.StatusRequest(deep=True))
        assert status["retention"]["last"]["replays"] == 0
        assert not any("differs" in problem or "retention" in problem for problem in status["problems"])
        with pytest.raises(Declined, match="there is no"):
            list(anna.stream("GetReplay", pb.MatchKey(match_id="cup/77/1/1")))
        with pytest.raises(Declined) as others:
            list(anna.stream("MatchLogs", pb.MatchLogsRequest(name="bert-bot", match_id=match)))
        assert "removed" not in str(others.value), "of others' logs not even that is told"


def test_half_done_uploads_of_one_account_are_few(served: Served) -> None:
    with served.as_("bert") as league:
        for number in range(uploads.KEEP_PARTS + 4):
            data = str(number).encode()
            key = pb.UploadKey(sha256=hashlib.sha256(data).hexdigest(), size=10_000)
            with pytest.raises(Declined, match="arrived"):
                league.call("Submit", iter([pb.SubmitPart(key=key), pb.SubmitPart(data=b"x" * 100)]))
        assert league.call("UploadOffset", key).offset == 100, "the newest goes on"
    assert len(list((served.data / "uploads").iterdir())) == uploads.KEEP_PARTS


def test_what_broken_builds_left_goes_after_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    old, new = tmp_path / "builds" / "upload-old", tmp_path / "builds" / "upload-new"
    scratch, other = tmp_path / "tmp" / "nf-upload-x", tmp_path / "tmp" / "somebody-elses"
    for folder in (old, new, scratch, other):
        folder.mkdir(parents=True)
        (folder / "archive").write_text("x")
    (tmp_path / "uploads").mkdir()
    (tmp_path / "uploads" / "1-abc").write_text("x")
    long_ago = time.time() - leftovers.KEEP_SECONDS - 60
    for path in (old, scratch, other, tmp_path / "uploads" / "1-abc"):
        os.utime(path, (long_ago, long_ago))
    assert leftovers.clear(tmp_path) == 3
    assert [path.exists() for path in (old, new, scratch, other)] == [False, True, False, True]


def test_a_parts_log_is_bounded_while_the_part_runs(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with log.open("ab", buffering=0) as out:
        for _ in range(30):
            out.write(b"x" * 99_999 + b"\n")
            _bound(log, 1.0)
            assert log.stat().st_size <= 1.1 * 2**20
    assert (tmp_path / "worker.log.1").stat().st_size <= 1.2 * 2**20
    assert log.read_bytes()[:1] == b"x", "the program appends where the log begins anew"


def test_a_description_of_an_image_is_read_as_it_is_written() -> None:
    """The store may not import the sandbox, so it knows the format by itself."""
    from referee.sandbox.layers import FORMAT, Description, Layer

    assert FORMAT == sweep.IMAGE_FORMAT
    assert json.loads(Description("i", "{}", (Layer("0" * 64, 3),)).to_json())["layers"] == [["0" * 64, 3]]
    assert retention.Policy.of(Settings(Path())).grace_seconds == 24 * 3600
