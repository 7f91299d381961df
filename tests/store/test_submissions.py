"""Uploads: waiting, judged, named after their first submitter, refused without harm, given back when we fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from referee.errors import Conflict, NotFound, Refused
from referee.service.league.bots import list_bots
from referee.store.commands import accounts, submissions, tournaments
from referee.store.engine import Store
from referee.store.queries import bots
from tests.store import league as small


def claim(store: Store, key: int) -> submissions.ClaimedSubmission:
    found = submissions.claim_submission(store, key, worker="b")
    assert found is not None
    return found


def named(store: Store, held: submissions.ClaimedSubmission, name: str = "greedy") -> tuple[str, int] | None:
    return submissions.name_submission(store, held, name=name, digest="d" * 64, games=["nines"], runtime="python")


def test_waiting_authors_see_their_place(store: Store) -> None:
    ann = small.author(store)
    keys = [submissions.submit(store, ann, "a" * 64, 1) for _ in range(3)]
    assert [bots.submission(store, key)["queue_place"] for key in keys] == [1, 2, 3]
    assert bots.waiting_submissions(store) == keys
    claim(store, keys[0])
    assert submissions.claim_submission(store, keys[0], worker="other") is None
    assert [bots.submission(store, key)["queue_place"] for key in keys] == [0, 1, 2]
    with pytest.raises(NotFound):
        bots.submission(store, 999)


def test_the_last_good_version_stays_active(store: Store) -> None:
    ann = small.author(store)
    assert small.admit(store, "greedy", owner=ann) == 1
    held = claim(store, submissions.submit(store, ann, "a" * 64, 1))
    assert named(store, held) == ("greedy", 2)
    assert named(store, held) == ("greedy", 2)
    assert submissions.progress_submission(store, held, "build")
    assert submissions.refuse_submission(store, held, stage="build", reason="no wheel", build_log="f" * 64)
    assert submissions.refuse_submission(store, held, stage="build", reason="no wheel")  # told twice
    assert not submissions.admit_submission(store, held, image="late")
    page = bots.bot(store, "greedy")
    assert page["version"] == 1
    assert [(v["version"], v["state"], v["stage"], v["reason"]) for v in page["versions"]] == [
        (2, "refused", "build", "no wheel"),
        (1, "admitted", "admitted", ""),
    ]
    assert bots.submissions(store, owner="ann")[0]["build_log"] == "f" * 64


def test_the_list_of_bots_says_where_each_stands_and_to_others_no_refusals(store: Store) -> None:
    ann = small.author(store)
    for name in ("good", "gone", "good-once"):
        small.admit(store, name, owner=ann)
    submissions.set_retired(store, "gone", True, by="ann")
    for name, stage in (("good-once", "build"), ("bad", "trial"), ("bad", "build")):
        held = claim(store, submissions.submit(store, ann, "a" * 64, 1))
        named(store, held, name)
        submissions.refuse_submission(store, held, stage=stage, reason="no")
    named(store, claim(store, submissions.submit(store, ann, "a" * 64, 1)), "new")

    def states(name: str, organiser: bool) -> dict[str, str | None]:
        caller: Any = SimpleNamespace(name=name, organiser=organiser)
        league: Any = SimpleNamespace(store=store)
        rows = list_bots(league, caller, SimpleNamespace(mine=False))
        return {row["name"]: row["state"] for row in rows}

    public = {"bad": None, "gone": "retired", "good": "admitted", "good-once": "admitted", "new": None}
    assert states("bob", False) == public
    assert states("ann", False) == states("org", True)
    assert states("ann", False) == public | {"bad": "refused: build", "new": states("ann", False)["new"]}
    assert str(states("ann", False)["new"]).startswith("building")


def test_a_name_belongs_to_its_first_submitter(store: Store) -> None:
    ann, bob = small.author(store), small.author(store, "bob")
    small.admit(store, "greedy", owner=ann)
    held = claim(store, submissions.submit(store, bob, "b" * 64, 1))
    with pytest.raises(Refused, match="belongs to another author"):
        named(store, held)
    accounts.set_quota(store, "bob", {"bots": 0}, by="org")
    with pytest.raises(Refused, match="quota of 0 bots"):
        named(store, held, "fresh")


def test_a_worker_that_falls_silent_holds_no_upload_for_ever(store: Store) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    store._clock = lambda: moment[0]
    key = submissions.submit(store, small.author(store), "a" * 64, 1)
    old = claim(store, key)
    moment[0] += timedelta(seconds=61)
    assert submissions.expire_submissions(store) == 1
    assert bots.submission(store, key)["queue_place"] == 1
    new = claim(store, key)
    assert not submissions.progress_submission(store, old, "build")
    assert named(store, old) is None
    assert named(store, new) == ("greedy", 1)


def test_our_own_failures_are_not_held_against_the_author(store: Store) -> None:
    key = submissions.submit(store, small.author(store), "a" * 64, 1)
    for cause in ("shutdown", "docker", "shutdown", "internal"):
        assert submissions.release_submission(store, claim(store, key), cause=cause, reason="broken")
    assert bots.submission(store, key)["state"] == "waiting"
    submissions.release_submission(store, claim(store, key), cause="docker", reason="broken")
    page = bots.submission(store, key)
    assert page["state"] == "refused"
    assert "send it again" in page["reason"]


def test_a_retired_bot_is_entered_in_nothing_new(store: Store) -> None:
    small.admit(store, "greedy", owner=small.author(store))
    tournaments.create_tournament(store, tournaments.NewTournament("cup", "nines", small.RULES), by="org")
    for _ in range(2):
        submissions.set_retired(store, "greedy", True, by="ann", reason="old")
    with pytest.raises(Conflict, match="retired"):
        tournaments.enter(store, "cup", "greedy", by="ann")
    submissions.set_retired(store, "greedy", False, by="ann")
    tournaments.enter(store, "cup", "greedy", by="ann")
    with pytest.raises(NotFound, match="no bot 'nobody'"):
        tournaments.enter(store, "cup", "nobody", by="ann")
    small.admit(store, "only-nine", owner=1, games=["nine"])
    with pytest.raises(Conflict, match="no admitted version that plays nines"):
        tournaments.enter(store, "cup", "only-nine", by="ann")


def test_an_image_over_its_authors_quota_is_refused_with_both_sizes(store: Store) -> None:
    owner = small.author(store)
    accounts.set_quota(store, "ann", {"image_mib": 3}, by="org")
    number = submissions.submit(store, owner, "0" * 64, 10)
    held = claim(store, number)
    assert named(store, held)
    assert not submissions.admit_submission(store, held, image="sha256:1", image_bytes=7 * 2**20)
    assert not submissions.admit_submission(store, held, image="sha256:1", image_bytes=7 * 2**20)
    found = bots.submission(store, number)
    assert (found["state"], found["stage"]) == ("refused", "build")
    assert "7.0 MiB and your quota is 3 MiB" in found["reason"]


def test_an_upload_that_names_anothers_bot_is_none_of_that_bots(store: Store) -> None:
    ann, bert = small.author(store), small.author(store, "bert")
    small.admit(store, "greedy", owner=ann)
    own = [row["submission"] for row in bots.submissions(store, bot="greedy")]
    held = claim(store, submissions.submit(store, bert, "b" * 64, 1, name="greedy"))
    with pytest.raises(Refused):
        named(store, held)
    submissions.refuse_submission(store, held, stage="manifest", reason="secret", build_log="f" * 64)
    assert [row["submission"] for row in bots.submissions(store, bot="greedy")] == own
    assert [row["reason"] for row in bots.submissions(store, owner="bert")] == ["secret"]


def test_what_an_organiser_retired_its_owner_cannot_bring_back(store: Store) -> None:
    small.admit(store, "greedy", owner=small.author(store))
    submissions.set_retired(store, "greedy", True, by="org", reason="spam")
    with pytest.raises(Conflict, match=r"retired by org \(spam\); ask an organiser"):
        submissions.set_retired(store, "greedy", False, by="ann", organiser=False)
    submissions.set_retired(store, "greedy", False, by="org")
    for retired in (True, False):
        submissions.set_retired(store, "greedy", retired, by="ann", organiser=False)
    assert bots.bot(store, "greedy")["retired_at"] is None
