"""An organiser's commands: each may be given twice, at any time, and play goes on or ends as it should."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from protos.ninefold.v1 import league_pb2 as pb
from referee.errors import Conflict, NotFound, UsageError
from referee.service.league.tournaments import change
from referee.store.commands import accounts, fixtures, schedule, submissions, tournaments
from referee.store.engine import Store
from referee.store.queries import accounts as account_queries
from referee.store.queries import matches, standings, status
from referee.store.queries.tournaments import fixture, tournament, tournament_names
from tests.store import league as small


def play(store: Store, fixture_id: str) -> bool:
    spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
    return spec is not None and fixtures.record_fixture(store, spec, small.play(spec))


def test_a_request_is_carried_out_once(store: Store) -> None:
    new = tournaments.NewTournament("cup", "nines", small.RULES)
    first = tournaments.create_tournament(store, new, by="org", request_id="r1")
    assert tournaments.create_tournament(store, new, by="org", request_id="r1") == first
    assert tournament_names(store) == ["cup"]
    with pytest.raises(Conflict, match="exists already"):
        tournaments.create_tournament(store, new, by="org", request_id="r2")
    with pytest.raises(Conflict, match="already used"):
        tournaments.start(store, "cup", by="org", request_id="r1")
    with pytest.raises(Conflict, match="request 'r1' was already used for 'create_tournament cup'"):
        tournaments.create_tournament(
            store, tournaments.NewTournament("q2", "nines", small.RULES), by="org", request_id="r1"
        )
    assert [row["action"] for row in account_queries.audit(store, target="cup")] == ["tournament create"]


def test_a_bot_that_cannot_be_entered_leaves_no_tournament(store: Store) -> None:
    owner = small.author(store)
    for bot in "abc":
        small.admit(store, bot, owner=owner)
    submissions.set_retired(store, "c", True, by="ann")
    new = tournaments.NewTournament("cup", "nines", small.RULES)
    with pytest.raises(Conflict, match=r"'cup' is not created: there is no bot 'nosuch'.*; bot 'c' is retired"):
        tournaments.create_tournament(store, new, by="org", bots=("a", "nosuch", "c"))
    assert tournament_names(store) == []
    assert account_queries.audit(store, target="cup") == []
    tournaments.create_tournament(store, new, by="org", bots=("a", "b", "a"))
    assert [row["bot"] for row in tournament(store, "cup")["entries"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"name": "a/b"}, "name"),
        ({"name": "Cup"}, "name"),
        ({"table_size": 7}, "table size"),
        ({"blocks": 0}, "blocks"),
        ({"matches_per_fixture": 0}, "matches a fixture"),
        ({"same_author": "maybe"}, "same-author"),
        ({"seed": b"short"}, "32 bytes"),
    ],
)
def test_what_makes_no_sense_is_refused(store: Store, changed: dict[str, object], says: str) -> None:
    values: dict[str, object] = {"name": "cup", "game": "nines", "rules": small.RULES, **changed}
    with pytest.raises(UsageError, match=says):
        tournaments.create_tournament(store, tournaments.NewTournament(**values), by="org")  # type: ignore[arg-type]
    assert tournament_names(store) == []


def test_one_bot_alone_is_refused_at_the_start(store: Store) -> None:
    owner = small.author(store)
    small.admit(store, "a", owner=owner)
    with pytest.raises(Conflict, match="has 1 bot"):
        small.create(store, ["a"])
    assert small.state(store) == "draft"
    small.admit(store, "b", owner=owner)
    tournaments.enter(store, "cup", "b", by="org")
    tournaments.start(store, "cup", by="org")
    tournaments.start(store, "cup", by="org")  # given twice
    assert small.state(store) == "running"
    with pytest.raises(Conflict, match="entries are closed"):
        tournaments.enter(store, "cup", "b", by="org")


def test_who_cannot_play_is_named_at_the_start(store: Store) -> None:
    owner = small.author(store)
    for bot in "abc":
        small.admit(store, bot, owner=owner)
    tournaments.create_tournament(store, tournaments.NewTournament("cup", "nines", small.RULES), by="org", bots="abc")
    for bot in "bc":
        submissions.set_retired(store, bot, True, by="ann")
    with pytest.raises(Conflict, match=r"a table needs 2 \(entered and unable to play: 'b' \(retired\), 'c' \(retired\)\)"):
        tournaments.start(store, "cup", by="org")
    assert [entry["state"] for entry in tournament(store, "cup")["entries"]] == ["entered"] * 3


def test_a_request_id_belongs_to_one_request(store: Store) -> None:
    """One that comes again with another bot, tournament or account is told so, and nothing is taken for done."""
    owner = small.author(store)
    for bot in "ab":
        small.admit(store, bot, owner=owner)
    for cup in ("cup", "other"):
        tournaments.create_tournament(store, tournaments.NewTournament(cup, "nines", small.RULES), by="org")
    enter = tournaments.enter
    enter(store, "cup", "a", by="org", request_id="1")
    enter(store, "cup", "a", by="org", request_id="1")
    for cup, bot in (("cup", "b"), ("other", "a")):
        with pytest.raises(Conflict, match="already used for 'enter cup a'"):
            enter(store, cup, bot, by="org", request_id="1")
    submissions.set_retired(store, "b", True, by="ann", request_id="2")
    for bot, retired in (("a", True), ("b", False)):
        with pytest.raises(Conflict, match="already used for 'retire b'"):
            submissions.set_retired(store, bot, retired, by="ann", request_id="2")
    accounts.add_user(store, "bea", "author", by="org", request_id="3")
    with pytest.raises(Conflict, match="already used for 'add_user bea'"):
        accounts.add_user(store, "cleo", "author", by="org", request_id="3")


def test_a_version_is_frozen_at_the_start(store: Store) -> None:
    owner = small.author(store)
    for bot in "ab":
        small.admit(store, bot, owner=owner)
    tournaments.create_tournament(store, tournaments.NewTournament("cup", "nines", small.RULES), by="org")
    for bot in "ab":
        tournaments.enter(store, "cup", bot, by="org")
    assert small.admit(store, "a", owner=owner, code="2") == 2
    tournaments.start(store, "cup", by="org")
    assert small.admit(store, "a", owner=owner, code="3") == 3
    assert {row["bot"]: row["version"] for row in tournament(store, "cup")["entries"]} == {"a": 2, "b": 1}


def test_a_bot_without_a_working_version_is_not_scheduled(store: Store) -> None:
    owner = small.author(store)
    for bot in "abc":
        small.admit(store, bot, owner=owner)
    tournaments.create_tournament(store, tournaments.NewTournament("cup", "nines", small.RULES), by="org")
    for bot in "abc":
        tournaments.enter(store, "cup", bot, by="org")
    submissions.set_retired(store, "c", True, by="ann")
    tournaments.start(store, "cup", by="org")
    gone = tournament(store, "cup")["entries"][2]
    assert (gone["bot"], gone["state"], gone["reason"]) == ("c", "withdrawn", "the bot is retired")
    small.worker(store)
    assert small.lay_out(store) == 8  # one pair, 4 blocks, 2 seatings


def test_pause_and_resume_are_immediate(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    messages = schedule.dispatch(store, window=1)
    assert len(messages) == 4
    running = fixtures.claim_fixture(store, messages[0].fixture_id, worker="w", machine="m1")
    tournaments.pause(store, "cup", by="org", reason="lunch")
    tournaments.pause(store, "cup", by="org", reason="lunch")
    assert fixtures.claim_fixture(store, messages[1].fixture_id, worker="w", machine="m1") is None
    assert schedule.dispatch(store, window=1) == []
    assert running is not None
    assert fixtures.record_fixture(store, running, small.play(running))  # what was being played ends in its time
    tournaments.resume(store, "cup", by="org")
    tournaments.resume(store, "cup", by="org")
    again = schedule.dispatch(store, window=1)
    assert {m.fixture_id for m in again} >= {m.fixture_id for m in messages[1:]}
    assert all(play(store, fixture_id) for fixture_id in small.fixture_ids(store))
    assert small.state(store) == "done"


def test_cancel_stops_what_is_being_played(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    ids = small.fixture_ids(store)
    assert play(store, ids[0])
    running = fixtures.claim_fixture(store, ids[1], worker="w", machine="m1")
    assert running is not None
    tournaments.cancel(store, "cup", by="org", reason="rain")
    tournaments.cancel(store, "cup", by="org", reason="rain")
    assert not fixtures.renew_lease(store, running)
    assert not fixtures.record_fixture(store, running, small.play(running))
    page = tournament(store, "cup")
    assert (page["state"], page["done_fixtures"], page["cancelled_fixtures"]) == ("cancelled", 1, 11)
    assert len(matches.matches(store, matches.MatchFilter(cause="cancelled"))) == 22
    assert status.deep(store) == []
    with pytest.raises(Conflict, match="cancelled"):
        tournaments.resume(store, "cup", by="org")


def test_a_withdrawn_bot_keeps_its_history_and_plays_no_more(store: Store) -> None:
    small.league(store, bots="abcd")
    small.lay_out(store)
    ids = small.fixture_ids(store)
    for fixture_id in ids[:8]:
        assert play(store, fixture_id)
    before = {row["bot"]: row["matches"] for row in standings.standings(store, "cup")}
    played = len(matches.matches(store, matches.MatchFilter(bot="a")))
    tournaments.withdraw(store, "cup", "a", by="org", reason="bug")
    tournaments.withdraw(store, "cup", "a", by="org", reason="bug")
    after = {row["bot"]: row["matches"] for row in standings.standings(store, "cup")}
    assert after == {bot: count for bot, count in before.items() if bot != "a"}
    gone = [row for row in matches.matches(store, matches.MatchFilter(bot="a")) if row["state"] != "done"]
    assert gone
    assert all((row["cause"], row["reason"]) == ("withdrawn", "bug") for row in gone)
    assert len(matches.matches(store, matches.MatchFilter(bot="a"))) - len(gone) == played
    for fixture_id in small.fixture_ids(store):
        assert play(store, fixture_id)
    page = tournament(store, "cup")
    assert page["state"] == "done"
    assert page["done_fixtures"] + page["cancelled_fixtures"] == page["total_fixtures"] == 24
    assert status.deep(store) == []


def test_if_one_entry_is_left_the_tournament_ends(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    running = fixtures.claim_fixture(store, small.fixture_ids(store)[0], worker="w", machine="m1")
    assert running is not None
    tournaments.withdraw(store, "cup", "a", by="org")
    tournaments.withdraw(store, "cup", "b", by="org")
    assert small.state(store) == "running"  # what is being played ends first
    assert fixtures.record_fixture(store, running, small.play(running))
    page = tournament(store, "cup")
    assert (page["state"], page["done_fixtures"] + page["cancelled_fixtures"]) == ("done", 12)


def test_withdrawals_before_the_schedule_is_laid_out_are_counted_too(store: Store) -> None:
    small.league(store)
    tournaments.withdraw(store, "cup", "a", by="org")
    assert small.lay_out(store) == 12
    page = tournament(store, "cup")
    assert (page["cancelled_fixtures"], page["live"]["planned"]) == (8, 4)
    with pytest.raises(NotFound):
        tournaments.withdraw(store, "cup", "zz", by="org")


def test_two_conductors_lay_out_nothing_twice(store: Store) -> None:
    small.league(store)
    assert small.lay_out(store) == 12
    assert small.lay_out(store) == 0
    assert len(small.fixture_ids(store)) == 12


def test_unknown_names_are_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="no tournament 'cup'"):
        tournaments.start(store, "cup", by="org")
    with pytest.raises(NotFound, match="no fixture"):
        fixtures.claim_fixture(store, "rubbish", worker="w", machine="m")
    with pytest.raises(NotFound):
        fixture(store, "cup/1/1")


def test_tables_of_three_and_teams_of_two(store: Store) -> None:
    small.league(store, bots="abcd", table_size=3, blocks=1, rules={"teams": 0}, same_author="free")
    assert small.lay_out(store) == 12  # 4 sets of three, 3 seatings
    assert all(play(store, fixture_id) for fixture_id in small.fixture_ids(store))
    rows = standings.standings(store, "cup")
    assert sum(row["points"] for row in rows) == pytest.approx(24 * 1.5)
    small.create(store, "abcd", "teams", table_size=4, blocks=1, rules={"teams": 2}, same_author="free")
    assert small.lay_out(store, "teams") == 12  # 6 pairs, 2 seatings
    first = small.fixture_ids(store, "teams")[0]
    spec = fixtures.claim_fixture(store, first, worker="w", machine="m1")
    assert spec is not None
    names = [seat.bot for seat in spec.seats]
    assert names[:2] == names[2:]
    assert fixtures.record_fixture(store, spec, small.play(spec))
    assert [row["matches"] for row in standings.standings(store, "teams")] == [2, 2, 0, 0]
    assert status.deep(store) == []


def test_a_tournament_that_has_no_schedule_does_not_start(store: Store) -> None:
    owner = small.author(store)
    for bot in "abcde":
        small.admit(store, bot, owner=owner)
    new = tournaments.NewTournament("cup", "nines", small.RULES, table_size=3, options={"max_sets": 3}, same_author="free")
    tournaments.create_tournament(store, new, by="org", bots=tuple("abcde"))
    league: Any = SimpleNamespace(store=store)
    caller: Any = SimpleNamespace(name="org", organiser=True, request=lambda key: key)
    with pytest.raises(UsageError, match="3 sets cannot treat 5 bots alike"):
        change(league, caller, pb.TournamentChange(name="cup", change="start"))
    assert small.state(store) == "draft"
