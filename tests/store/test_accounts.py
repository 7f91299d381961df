"""Accounts, tokens and allowances."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta

import pytest

from referee.errors import Conflict, NotFound, QuotaExceeded, UsageError
from referee.store.commands import accounts, submissions, tournaments
from referee.store.engine import Store
from referee.store.queries import accounts as queries
from tests.store import league as small


def test_a_token_opens_until_it_is_revoked(store: Store) -> None:
    user = accounts.add_user(store, "ann", "author", by="org")
    token = accounts.create_token(store, "ann", label="laptop", by="ann")
    found = accounts.authenticate(store, token)
    assert found is not None
    assert (found.name, found.user_id, found.organiser) == ("ann", user, False)
    row = queries.tokens(store, "ann")[0]
    assert row["last_used_at"] is not None
    assert token not in str(row)
    assert accounts.authenticate(store, token + "x") is None
    assert accounts.authenticate(store, "\udcff") is None
    with pytest.raises(NotFound):
        accounts.revoke_token(store, row["token"], by="eve", owner="eve")
    accounts.revoke_token(store, row["token"], by="ann", owner="ann")
    accounts.revoke_token(store, row["token"], by="ann", owner="ann")
    assert accounts.authenticate(store, token) is None


def test_a_banned_author_is_shut_out_and_let_in_again(store: Store) -> None:
    accounts.add_user(store, "ann", "author", by="org")
    token = accounts.create_token(store, "ann", by="org")
    accounts.set_banned(store, "ann", True, reason="cheating", by="org")
    assert accounts.authenticate(store, token) is None
    assert queries.user(store, "ann")["ban_reason"] == "cheating"
    accounts.set_banned(store, "ann", False, reason="mistake", by="org")
    assert accounts.authenticate(store, token) is not None
    assert [row["action"] for row in queries.audit(store, target="ann")][:2] == ["user unban", "user ban"]


def test_names_and_roles_are_checked(store: Store) -> None:
    accounts.add_user(store, "ann", "author", by="org")
    for name, role, error in (("ann", "author", Conflict), ("A b", "author", UsageError), ("bob", "king", UsageError)):
        with pytest.raises(error):
            accounts.add_user(store, name, role, by="org")
    with pytest.raises(NotFound):
        accounts.create_token(store, "nobody", by="org")


def test_quotas_say_when_there_is_room_again(store: Store) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    store._clock = lambda: moment[0]
    user = accounts.add_user(store, "ann", "author", by="org")
    accounts.set_quota(store, "ann", {"submissions_per_hour": 2, "queued_builds": 9, "archive_mib": 1}, by="org")
    with pytest.raises(QuotaExceeded, match=r"1 MiB an archive is used up; an organiser .* quota USER archive_mib=N`"):
        submissions.submit(store, user, "a" * 64, 2**21)
    first = submissions.submit(store, user, "a" * 64, 5, request_id="r")
    assert submissions.submit(store, user, "a" * 64, 5, request_id="r") == first  # the same upload, sent twice
    moment[0] += timedelta(minutes=10)
    submissions.submit(store, user, "a" * 64, 5)
    with pytest.raises(QuotaExceeded, match=r"2 submissions per hour .* room again at 2026-01-01T01:00:00.*, and an organiser can raise it"):
        submissions.submit(store, user, "a" * 64, 5)
    moment[0] += timedelta(minutes=51)
    submissions.submit(store, user, "a" * 64, 5)
    accounts.set_quota(store, "ann", {"queued_builds": 3, "submissions_per_hour": 99}, by="org")
    with pytest.raises(QuotaExceeded, match="builds at once"):
        submissions.submit(store, user, "a" * 64, 5)
    with pytest.raises(UsageError, match=r"'bot' is unknown \(did you mean 'bots'\?\); known are"):
        accounts.set_quota(store, "ann", {"bot": 3}, by="org")


def test_challenges_have_quotas_that_say_when_there_is_room_again_and_who_can_raise_them(store: Store) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    store._clock = lambda: moment[0]
    small.league(store, bots=("a", "b"))
    assert accounts.QUOTAS["challenges_per_hour"] >= accounts.QUOTAS["challenges_at_once"] > 0
    accounts.set_quota(store, "ann", {"challenges_per_hour": 3, "challenges_at_once": 2}, by="org")

    def challenge(number: int, by: str = "ann", request_id: str = "") -> int:
        new = tournaments.NewTournament(f"challenge-{number}", "nines", small.RULES, blocks=1, kind="challenge")
        return tournaments.create_tournament(store, new, by=by, bots=("a", "b"), request_id=request_id)

    first = challenge(1, request_id="r")
    assert challenge(1, request_id="r") == first  # the same challenge, sent twice
    moment[0] += timedelta(minutes=10)
    challenge(2)
    with pytest.raises(QuotaExceeded, match=r"2 challenges at once .* the end of your oldest challenge, and an organiser can raise it: .* USER challenges_at_once=N`"):
        challenge(3)
    challenge(3, by="bob")  # another's do not count, nor do tournaments
    tournaments.cancel(store, "challenge-1", by="ann")
    challenge(4)
    tournaments.cancel(store, "challenge-2", by="ann")
    with pytest.raises(QuotaExceeded, match=r"3 challenges per hour .* room again at 2026-01-01T01:00:00.* USER challenges_per_hour=N`"):
        challenge(5)
    moment[0] += timedelta(minutes=51)
    challenge(5)
    tournaments.cancel(store, "challenge-4", by="ann")
    accounts.set_quota(store, "ann", {"challenges_per_hour": 0}, by="org")
    with pytest.raises(QuotaExceeded, match="an organiser can raise it") as refused:
        challenge(6)
    assert "room again" not in str(refused.value)


def test_frozen_submissions_are_refused_with_the_reason(store: Store) -> None:
    user = accounts.add_user(store, "ann", "author", by="org")
    accounts.freeze_submissions(store, True, by="org", reason="final week")
    with pytest.raises(Conflict, match="final week"):
        submissions.submit(store, user, "a" * 64, 5)
    accounts.freeze_submissions(store, False, by="org")
    assert submissions.submit(store, user, "a" * 64, 5)


def test_nobody_but_the_owner_can_read_the_file(sqlite_url: str) -> None:
    store = Store(sqlite_url)
    with store.read():
        pass
    import os

    assert not os.stat(store.place).st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    store.close()


def test_the_last_organiser_cannot_be_shut_out(store: Store) -> None:
    accounts.add_user(store, "org", "organiser", by="up")
    with pytest.raises(Conflict, match="the last organiser"):
        accounts.set_banned(store, "org", True, reason="", by="org")
    accounts.add_user(store, "olga", "organiser", by="org")
    accounts.set_banned(store, "org", True, reason="", by="olga")
    with pytest.raises(Conflict, match="the last organiser"):
        accounts.set_banned(store, "olga", True, reason="", by="olga")
