"""Retention: what is old goes, what anything needs stays, and whoever misses something is told why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.errors import Conflict, NotFound, Removed, StoreFault
from referee.settings import Settings
from referee.store import retention, sweep
from referee.store.backup import backup, restore
from referee.store.blobs import Blobs
from referee.store.commands import fixtures, submissions, tournaments
from referee.store.engine import Store
from referee.store.queries import matches, replays, standings, status
from referee.store.retention import Policy
from referee.store.schema import open_store
from tests.store import league as small

DAYS = 10.0


@dataclass
class Clock:
    """The store's time, which a test moves on."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.moment

    def pass_days(self, days: float) -> None:
        self.moment += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(store_url: str, clock: Clock) -> Iterator[Store]:
    opened = Store(store_url, clock=clock)
    yield opened
    opened.close()


def play(store: Store, name: str = "cup", *, limit: int = 1_000) -> list[str]:
    """Fixtures of the tournament are played; the matches."""
    played = []
    for fixture_id in small.fixture_ids(store, name)[:limit]:
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        assert fixtures.record_fixture(store, spec, small.play(spec, log=b"hello"))
        played += [match.match_id for match in spec.matches]
    return played


def everything(store: Store, name: str = "cup") -> dict[str, Any]:
    """What standings, ratings and exports are made of, as JSON."""
    from referee.store.commands.ratings import rating_data

    rows = [{k: v for k, v in row.items() if k not in ("has_replay", "reason")} for row in matches.matches(store)]
    data = rating_data(store, name)
    found = [standings.standings(store, name), rows, replays.seed_chain(store, name), data and data.rows]
    return dict(enumerate(json.loads(json.dumps(found, default=str))))


def test_logs_go_by_their_match_and_results_stay(store: Store, clock: Clock) -> None:
    small.league(store)
    small.lay_out(store)
    early = play(store, limit=3)
    clock.pass_days(7)
    late = play(store, limit=3)
    before = everything(store)
    clock.pass_days(4)
    assert retention.remove_logs(store, DAYS) == 12
    assert retention.remove_logs(store, DAYS) == 0
    assert everything(store) == before
    assert status.deep(store) == []
    assert [log.data for log in replays.logs(store, late[0])] == [b"hello", b"hello"]
    bot = matches.match(store, early[0])["seats"][0]["bot"]
    why = replays.no_log(store, early[0], bot)
    assert isinstance(why, Removed)
    assert "removed by retention after 10 days" in str(why)
    played = matches.match(store, late[0])["seats"][0]["bot"]
    assert str(replays.no_log(store, late[0], played)) == f"{played} printed nothing in match {late[0]!r}"
    assert type(replays.no_log(store, early[0], "nobody")) is NotFound, "whose match it was is not told"
    assert replays.logs_removed(store, bot) is not None
    assert replays.replay(store, early[0])["match_id"] == early[0], "replays have a time of their own"


@pytest.mark.parametrize("page", [1, 2, 500])
def test_a_match_dated_ahead_keeps_no_log_of_another(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(retention, "PAGE", page)
    small.league(store)
    small.lay_out(store)
    early = play(store, limit=1)
    clock.pass_days(1000)
    ahead = play(store, limit=1)
    clock.pass_days(-1000)  # the clock was wrong for a while
    early += play(store, limit=1)
    clock.pass_days(DAYS + 1)
    late = play(store, limit=1)
    assert retention.remove_logs(store, DAYS) == 2 * len(early + ahead)
    assert retention.remove_logs(store, DAYS) == 0
    assert [len(replays.logs(store, match)) for match in (*early, *ahead, *late)] == [0] * 6 + [2, 2]
    clock.pass_days(DAYS + 1)
    assert retention.remove_logs(store, DAYS) == 2 * len(late)


def test_many_logs_go_page_by_page_and_a_stop_is_heeded(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "PAGE", 5)
    small.league(store)
    small.lay_out(store)
    play(store)
    clock.pass_days(DAYS + 1)
    turns = iter([False, False, True])
    assert retention.remove_logs(store, DAYS, lambda: next(turns)) == 20
    assert retention.remove_logs(store, DAYS) == 28


def test_a_tournament_keeps_all_replays_or_none(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "PAGE", 5)
    small.league(store)
    small.lay_out(store)
    cup = play(store, limit=3)
    clock.pass_days(DAYS + 1)
    assert retention.remove_replays(store, DAYS) == 0, "it is under way"
    cup += play(store)
    assert small.state(store) == "done"
    names = [row["bot"] for row in standings.standings(store, "cup")]
    for name in ("two", "three"):
        small.create(store, names, name=name)
        small.lay_out(store, name)
        play(store, name)
    small.create(store, names, name="on")
    small.lay_out(store, "on")
    kept = play(store, "on", limit=2)
    before = everything(store)
    clock.pass_days(DAYS - 1)
    assert retention.remove_replays(store, DAYS) == 0
    clock.pass_days(2)
    assert retention.remove_replays(store, DAYS) == 72
    assert retention.remove_replays(store, DAYS) == 0
    assert everything(store) == before
    with pytest.raises(Removed, match="removed by retention after 10 days"):
        replays.replay(store, cup[0])
    with pytest.raises(NotFound, match="ninefold replay list"):
        replays.replay(store, "cup/9/9/9")
    page = matches.match(store, cup[0])
    assert (page["state"], page["has_replay"]) == ("done", False)
    assert "removed by retention after 10 days" in page["reason"]
    assert matches.match(store, kept[0])["reason"] == ""
    assert list(replays.replays(store, "cup")) == []
    assert len(list(replays.replays(store, "on"))) == len(kept)
    tournaments.cancel(store, "on", by="org")
    clock.pass_days(DAYS + 1)
    assert retention.remove_replays(store, DAYS) == len(kept), "one that was cancelled has ended too"


# ---- blobs


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(Settings(tmp_path / "data"))


def image(blobs: Blobs, *layers: bytes) -> str:
    """A kept image of these layers; the digest of its description."""
    from referee.sandbox.layers import Description, Layer

    made = tuple(Layer(blobs.put(layer), len(layer)) for layer in layers)
    return blobs.put(Description("sha256:1", "{}", made).to_json())


def upload(
    store: Store, blobs: Blobs, owner: int, name: str, word: str, games: tuple[str, ...] = ("nines",)
) -> set[str]:
    """One more version of the bot is admitted; its blobs."""
    archive, log = blobs.put(f"archive {word}".encode()), blobs.put(f"log {word}".encode())
    content = image(blobs, b"base", f"own {word}".encode())
    number = submissions.submit(store, owner, archive, 10)
    claim = submissions.claim_submission(store, number, worker="test")
    assert claim is not None
    digest = blobs.put(word.encode())
    blobs.delete(digest)
    submissions.name_submission(store, claim, name=name, digest=digest, games=list(games), runtime="python")
    assert submissions.admit_submission(store, claim, image=word, content_digest=content, build_log=log)
    return {archive, log, content, blobs.put(f"own {word}".encode())}


def swept(store: Store, blobs: Blobs, grace: float = 0.0) -> set[str]:
    """What is in its place after two runs."""
    for _ in range(2):
        sweep.sweep(store, blobs, DAYS, grace)
    return set(blobs.sizes())


def test_what_may_still_be_started_keeps_its_blobs(store: Store, clock: Clock, blobs: Blobs) -> None:
    owner = small.author(store)
    base = {blobs.put(b"base")}
    old = upload(store, blobs, owner, "anna", "a1", ("nine",))
    entered = upload(store, blobs, owner, "anna", "a2")
    other = upload(store, blobs, owner, "bert", "b1")
    small.create(store, ["anna", "bert"])
    newest = upload(store, blobs, owner, "anna", "a3")
    clock.pass_days(DAYS - 1)
    assert swept(store, blobs) == base | old | entered | other | newest, "all are recent"
    clock.pass_days(2)
    assert swept(store, blobs) == base | old | entered | other | newest, "a1 is the newest for nine; a2 plays"
    submissions.set_retired(store, "bert", True, by="org")
    tournaments.cancel(store, "cup", by="org")
    assert swept(store, blobs) == base | old | other | newest, "only a2 is of no use any more"
    clock.pass_days(DAYS + 1)
    assert swept(store, blobs) == base | old | newest, "bert has been retired for long"
    assert blobs.aside() == []
    with pytest.raises(Conflict, match="removed by retention after 10 days of retirement; submit the bot again"):
        submissions.set_retired(store, "bert", False, by="org")
    upload(store, blobs, owner, "bert", "b2")
    submissions.set_retired(store, "bert", False, by="org")
    why = retention.why_no_blob(store, "build log of", "bert")
    assert isinstance(why, Removed)
    waiting = blobs.put(b"an upload that waits")
    submissions.submit(store, owner, waiting, 10)
    clock.pass_days(100)
    assert waiting in swept(store, blobs)


def test_an_upload_that_comes_during_a_sweep_is_safe(store: Store, clock: Clock, blobs: Blobs) -> None:
    """At every step of a removal the same archive is sent again: it can be built from, whatever the step."""
    owner = small.author(store)
    archive = blobs.put(b"sent again and again")

    def expired() -> None:
        clock.pass_days(DAYS + 1)
        for digest in blobs.sizes():
            blobs.set_aside(digest)

    def readable(digest: str) -> bool:
        return blobs.get(digest) == b"sent again and again"

    # put, then set aside by a sweep that read the rows before, then the row
    assert blobs.put(b"sent again and again") == archive
    sweep.sweep(store, blobs, DAYS, 3600)
    assert list(blobs.sizes()) == []
    assert readable(archive), "it reads while it is aside"
    first = submissions.submit(store, owner, archive, 10)
    assert swept(store, blobs, 3600) == {archive}, "the row has it put back"
    assert blobs.aside() == []
    # aside for long, put again just before it would go: the sweep's list is older than that
    claim = submissions.claim_submission(store, first, worker="w")
    assert claim is not None
    submissions.refuse_submission(store, claim, stage="manifest", reason="no")
    expired()
    ((since, _),) = blobs.aside()
    assert blobs.put(b"sent again and again") == archive
    blobs.forget(since, archive)
    assert readable(archive)
    # gone just before it is asked for: it is stored anew
    blobs.set_aside(archive)
    blobs.forget(blobs.aside()[0][0], archive)
    assert not blobs.exists(archive)
    assert blobs.put(b"sent again and again") == archive
    assert readable(archive)
    assert blobs.digests() == [archive]


def test_a_sweep_that_breaks_off_anywhere_is_made_good_by_the_next(
    store: Store, clock: Clock, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = small.author(store)
    wanted = upload(store, blobs, owner, "anna", "a1") | {blobs.put(b"base")}
    for number in range(4):
        blobs.put(f"rubbish {number}".encode())
    clock.pass_days(DAYS + 1)
    for fails in ("set_aside", "put_back", "forget"):
        real, calls = getattr(Blobs, fails), iter([False, False, True])

        def broken(self: Blobs, *arguments: Any, real: Any = real, calls: Any = calls) -> Any:
            if next(calls, False):
                raise OSError("the disk went away")
            return real(self, *arguments)

        for digest in wanted:
            blobs.set_aside(digest)
        with monkeypatch.context() as patch:
            patch.setattr(Blobs, fails, broken)
            for _ in range(2):
                with pytest.MonkeyPatch.context(), _allowed(OSError):
                    sweep.sweep(store, blobs, DAYS, 0)
        assert all(blobs.exists(digest) for digest in wanted), fails
    assert swept(store, blobs) == wanted


@contextmanager
def _allowed(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kind:
        return


def test_another_leagues_blobs_are_left_alone(store: Store, clock: Clock, blobs: Blobs, tmp_path: Path) -> None:
    rubbish = blobs.put(b"rubbish")
    sweep.sweep(store, blobs, DAYS, 0)
    assert [digest for _, digest in blobs.aside()] == [rubbish]
    backup(store, Settings(tmp_path / "data"), tmp_path / "b.tar")
    twin = Settings(tmp_path / "twin", blob_url=blobs.place)
    restore(tmp_path / "b.tar", twin)
    opened = open_store(twin)
    with pytest.raises(StoreFault, match="another league's, so none is removed"):
        sweep.sweep(opened, blobs, DAYS, 0)
    done = sweep.tidy(opened, blobs, Policy(builds_days=DAYS))
    assert "another league's" in str(done["trouble"])
    assert any("retention cannot remove" in problem for problem in status.status(opened)["problems"])
    opened.close()
    assert blobs.exists(rubbish)


def test_an_image_that_cannot_be_read_stops_the_sweep(store: Store, clock: Clock, blobs: Blobs) -> None:
    owner = small.author(store)
    upload(store, blobs, owner, "anna", "a1")
    content = next(iter({row["content_digest"] for row in _versions(store, "anna")}))
    blobs.delete(content)
    kept = set(blobs.sizes())
    clock.pass_days(DAYS + 1)
    done = sweep.tidy(store, blobs, Policy(builds_days=DAYS, grace_seconds=0))
    assert content in str(done["trouble"])
    assert set(blobs.sizes()) == kept


def _versions(store: Store, bot: str) -> list[dict[str, Any]]:
    from referee.store.queries.bots import bot as page

    found: list[dict[str, Any]] = page(store, bot)["versions"]
    return found


def test_a_run_is_noted_and_nothing_is_removed_without_being_asked(store: Store, clock: Clock, blobs: Blobs) -> None:
    small.league(store)
    small.lay_out(store)
    play(store)
    blobs.put(b"rubbish")
    clock.pass_days(10_000)
    done = sweep.tidy(store, blobs, Policy())
    assert (done["logs"], done["replays"], done["blobs"], done["trouble"]) == (0, 0, 0, "")
    assert len(blobs.sizes()) == 1
    sweep.tidy(store, blobs, Policy(logs_days=DAYS, replays_days=DAYS, builds_days=DAYS))
    page = status.status(store)
    assert page["retention"]["last"]["logs"] == 48
    assert page["retention"]["last"]["replays"] == 24
    assert page["disk"]["database_bytes"] > 100_000
    assert page["disk"]["blob_bytes"] is not None


def test_whatever_goes_wrong_is_shown_and_the_rest_is_removed(
    store: Store, clock: Clock, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.league(store)
    small.lay_out(store)
    play(store)
    clock.pass_days(DAYS + 1)
    policy = Policy(logs_days=DAYS, replays_days=DAYS, builds_days=DAYS)

    def broken(*_: Any) -> int:
        raise OverflowError("date value out of range")

    for name, shown in (("remove_logs", ""), ("remove_replays", "logs"), ("expire_builds", "replays")):
        with monkeypatch.context() as patch:
            patch.setattr(retention, name, broken)
            sweep.tidy(store, blobs, policy)
        page = status.status(store)
        said = [problem for problem in page["problems"] if "retention cannot remove" in problem]
        assert [problem.partition(": ")[2] for problem in said] == ["OverflowError: date value out of range"], name
        assert not shown or shown in page["retention"]["last"]
    assert page["retention"]["last"]["logs"] == 0, "removed by the second run"
    sweep.tidy(store, blobs, policy)
    assert not any("retention" in problem for problem in status.status(store)["problems"])


def test_a_moment_that_lay_ahead_once_does_not_stay(store: Store, clock: Clock, blobs: Blobs) -> None:
    real = clock.moment
    clock.pass_days(30_000)  # a clock that was wrong for a while
    retention.expire_builds(store, DAYS)
    clock.moment = real
    assert retention.expire_builds(store, DAYS) == real
    clock.pass_days(1)
    assert retention.expire_builds(store, DAYS) == real, "what ended before may be gone"
    clock.pass_days(DAYS)
    assert retention.expire_builds(store, DAYS) == clock.moment - timedelta(days=DAYS)
    owner = small.author(store)
    kept = upload(store, blobs, owner, "anna", "a1")
    clock.pass_days(DAYS - 1)
    assert swept(store, blobs) >= kept


def test_replays_go_though_their_place_lay_ahead_once(store: Store, clock: Clock) -> None:
    small.league(store)
    small.lay_out(store)
    play(store)
    ahead = (clock.moment + timedelta(days=30_000)).isoformat()
    store.write(
        lambda session: retention.note(session, replays={"before": ahead, "tournament": 7, "after": 0, "days": DAYS})
    )
    clock.pass_days(DAYS + 1)
    assert retention.remove_replays(store, DAYS) == 24
    assert retention.remove_replays(store, DAYS) == 0
