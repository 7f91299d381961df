"""A fixture is played once and recorded once, whatever happens in between."""

from __future__ import annotations

import math

import pytest
from sqlmodel import Session

from referee.errors import Conflict, NotFound, PlatformFault
from referee.store.commands import fixtures, schedule, tournaments
from referee.store.engine import Store
from referee.store.models import Fixture, Machine
from referee.store.queries import matches, replays, standings, status
from referee.store.queries.tournaments import fixture, tournament
from referee.store.rows import table
from tests.store import league as small


def claim(store: Store, fixture_id: str, worker: str = "w@m1", machine: str = "m1") -> fixtures.FixtureSpec | None:
    return fixtures.claim_fixture(store, fixture_id, worker=worker, machine=machine)


def play_all(store: Store, name: str = "cup") -> None:
    for fixture_id in small.fixture_ids(store, name):
        spec = claim(store, fixture_id)
        assert spec is not None
        assert fixtures.record_fixture(store, spec, small.play(spec))


def test_a_tournament_is_played_to_its_end(store: Store) -> None:
    small.league(store)
    assert small.lay_out(store) == 12  # 3 pairs, 2 blocks, 2 seatings
    assert tournament(store, "cup")["master_seed"] is None
    play_all(store)
    page = tournament(store, "cup")
    assert (page["state"], page["done_fixtures"], page["done_matches"]) == ("done", 12, 24)
    assert page["master_seed"] == bytes(32).hex()
    assert status.deep(store) == []
    rows = standings.standings(store, "cup")
    assert [row["matches"] for row in rows] == [16, 16, 16]
    assert sum(row["points"] for row in rows) == 24
    assert len(matches.matches(store)) == 24


def test_recording_twice_changes_nothing(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    spec = claim(store, first)
    assert spec is not None
    result = small.play(spec)
    assert fixtures.record_fixture(store, spec, result)
    before = standings.standings(store, "cup")
    assert fixtures.record_fixture(store, spec, result)
    assert standings.standings(store, "cup") == before
    assert claim(store, first) is None
    assert not fixtures.void_fixture(store, spec, cause="internal", reason="late")
    assert not fixtures.renew_lease(store, spec)
    assert status.deep(store) == []


def test_an_old_attempt_changes_nothing(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    old = claim(store, first)
    assert old is not None
    assert claim(store, first) is None  # leased
    assert fixtures.void_fixture(store, old, cause="shutdown", reason="stopped")
    new = claim(store, first, worker="w2")
    assert new is not None
    assert (old.attempt, new.attempt) == (1, 2)
    assert [m.seed for m in old.matches] == [m.seed for m in new.matches]  # the same deals
    assert not fixtures.record_fixture(store, old, small.play(old))
    assert fixtures.renew_lease(store, new)
    assert fixtures.record_fixture(store, new, small.play(new))
    assert matches.match(store, f"{first}/1")["attempt"] == 2


def test_duplicate_deals_and_seeds_shown_when_the_block_is_complete(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    one, two = claim(store, ids[0]), claim(store, ids[1])
    assert one is not None
    assert two is not None
    assert [m.seed for m in one.matches] == [m.seed for m in two.matches]
    assert [s.bot for s in one.seats] == [s.bot for s in two.seats][::-1]
    fixtures.record_fixture(store, one, small.play(one))
    assert replays.replay(store, f"{ids[0]}/1")["seed"] is None
    fixtures.record_fixture(store, two, small.play(two))
    assert replays.replay(store, f"{ids[0]}/1")["seed"] == one.matches[0].seed.hex()


def test_three_of_our_faults_park_and_shutdowns_never_do(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    for cause in ("shutdown", "lease_lost", "docker", "shutdown", "internal", "shutdown"):
        spec = fresh(store, first)
        assert fixtures.void_fixture(store, spec, cause=cause, reason="why")
    assert fixture(store, first)["state"] == "planned"
    assert fixtures.void_fixture(store, fresh(store, first), cause="host_memory", reason="the host ran out")
    page = fixture(store, first)
    assert (page["state"], page["cause"], page["reason"]) == ("parked", "host_memory", "the host ran out")
    assert claim(store, first) is None
    with pytest.raises(Conflict, match="parked"):
        _record_then_retry(store)
    fixtures.retry_fixture(store, first, by="org")
    fixtures.retry_fixture(store, first, by="org")
    assert fixture(store, first)["state"] == "planned"
    assert fresh(store, first)


def _record_then_retry(store: Store) -> None:
    last = small.fixture_ids(store)[-1]
    spec = claim(store, last)
    assert spec is not None
    fixtures.record_fixture(store, spec, small.play(spec))
    fixtures.retry_fixture(store, last, by="org")


def no_waiting(store: Store) -> None:
    """Fixtures that should wait after a void may be claimed at once, also on a machine that stepped back."""

    def work(session: Session) -> None:
        session.execute(table(Fixture).update().values(not_before=None))
        session.execute(table(Machine).update().values(state="ready", failures=[]))

    store.write(work)


def fresh(store: Store, fixture_id: str) -> fixtures.FixtureSpec:
    """The fixture is claimed although it should wait."""
    no_waiting(store)
    spec = claim(store, fixture_id)
    assert spec is not None
    return spec


def test_dropping_ends_a_tournament_marked_incomplete(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    for _ in range(3):
        fixtures.void_fixture(store, fresh(store, ids[0]), cause="docker", reason="no engine")
    for other in ids[1:]:
        spec = claim(store, other)
        assert spec is not None
        fixtures.record_fixture(store, spec, small.play(spec))
    assert small.state(store) == "running"
    fixtures.drop_fixture(store, ids[0], by="org", reason="beyond repair")
    fixtures.drop_fixture(store, ids[0], by="org", reason="beyond repair")
    page = tournament(store, "cup")
    assert (page["state"], page["incomplete"], page["dropped_fixtures"], page["done_fixtures"]) == ("done", True, 1, 11)
    lost = matches.match(store, f"{ids[0]}/1")
    assert (lost["state"], lost["cause"], lost["reason"]) == ("dropped", "docker", "beyond repair")
    assert status.deep(store) == []


def test_a_result_of_another_fixture_is_our_fault_and_stores_nothing(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    one, two = claim(store, ids[0]), claim(store, ids[1])
    assert one is not None
    assert two is not None
    with pytest.raises(PlatformFault, match="was asked to play"):
        fixtures.record_fixture(store, one, small.play(two))
    assert matches.matches(store) == []
    assert fixture(store, ids[0])["state"] == "running"


def test_faults_logs_and_odd_numbers_are_kept(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    first = small.fixture_ids(store)[0]
    spec = claim(store, first)
    assert spec is not None
    loser = spec.seats[1].bot
    log = b"caf\xc3\xa9 \xff\xfe\x00 cut in a character \xc3"
    assert fixtures.record_fixture(store, spec, small.play(spec, faults={(loser, 1): "timeout"}, log=log))
    page = matches.match(store, f"{first}/1")
    assert (page["cause"], page["seats"][1]["cause"], page["seats"][1]["place"]) == ("timeout", "timeout", 2)
    assert page["seats"][1]["cpu_ms"] is None  # not-a-number is no time
    assert "sent" not in page["seats"][1]
    assert replays.sent(store, f"{first}/1", owner="ann")[0]["sent"] == "secret move"
    assert replays.sent(store, f"{first}/1", owner="bob") == []
    found = replays.logs(store, f"{first}/1", owner="ann")
    assert found[0].data == log
    assert "café" in found[0].text
    assert replays.logs(store, f"{first}/1", owner="bob") == []
    assert [row["cause"] for row in matches.fault_counts(store, loser)] == ["timeout"]
    assert [row["match_id"] for row in matches.matches(store, matches.MatchFilter(cause="timeout"))] == [f"{first}/1"]
    assert all(math.isfinite(row["points"]) for row in standings.standings(store, "cup"))
    assert status.deep(store) == []


def test_pages_of_matches_in_every_state(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    assert matches.match(store, f"{ids[0]}/1")["state"] == "planned"
    schedule.dispatch(store, window=1)
    assert matches.match(store, f"{ids[0]}/1")["state"] == "queued"
    assert claim(store, ids[0])
    assert matches.match(store, f"{ids[0]}/2")["state"] == "running"
    for wrong in (
        f"{ids[0]}/3",
        f"{ids[0]}/0",
        f"{ids[0]}/x",
        "cup/99/1/1",
        "nope/1/1/1",
        "rubbish",
        "cup/1/1",
        "a/b/c/d",
    ):
        with pytest.raises(NotFound):
            matches.match(store, wrong)
    tournaments.cancel(store, "cup", by="org", reason="rain")
    page = matches.match(store, f"{ids[0]}/1")
    assert (page["state"], page["cause"], page["reason"]) == ("cancelled", "cancelled", "rain")
    assert page["seats"][0]["place"] is None
    assert len(matches.matches(store, matches.MatchFilter(cause="cancelled", bot="a"))) == 16
