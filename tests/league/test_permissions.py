"""Each call, by each kind of caller: allowed, refused, or invisible; and nothing tells whether a thing exists."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from protos.ninefold.v1 import league_pb2 as pb
from referee.service.listener import CALLS

OK, GONE, DENIED, UNKNOWN = "ok", "NOT_FOUND", "PERMISSION_DENIED", "UNAUTHENTICATED"
SHA = "a" * 64

# call, request, outcome for: nobody, stranger, banned, the owner anna, another author bert, organiser olga
TABLE: list[tuple[str, Callable[[], Any], str, str, str, str, str, str]] = [
    ("About", lambda: pb.AboutRequest(), OK, OK, OK, OK, OK, OK),
    ("Status", lambda: pb.StatusRequest(), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("UploadOffset", lambda: pb.UploadKey(sha256=SHA, size=1), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("FollowSubmission", lambda: pb.SubmissionKey(submission=1), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("ListBots", lambda: pb.ListBotsRequest(), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("ShowBot", lambda: pb.BotKey(name="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("BuildLog", lambda: pb.BuildLogRequest(name="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("MatchLogs", lambda: pb.MatchLogsRequest(name="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("BotReplays", lambda: pb.MatchLogsRequest(name="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("RetireBot", lambda: pb.RetireRequest(name="anna-bot", undo=True), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("CreateTournament", lambda: pb.NewTournament(name="t-perm", game="nines", request_id="p1"), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("ListTournaments", lambda: pb.ListTournamentsRequest(), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("ShowTournament", lambda: pb.TournamentKey(name="t-perm"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("EnterBot", lambda: pb.EntryKey(tournament="t-perm", bot="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("PlanTournament", lambda: pb.TournamentKey(name="t-two"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("WithdrawBot", lambda: pb.EntryKey(tournament="t-perm", bot="anna-bot"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("Standings", lambda: pb.TournamentKey(name="t-perm"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("Crosstable", lambda: pb.TournamentKey(name="t-perm"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("ExportTournament", lambda: pb.ExportRequest(name="t-perm"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("ListMatches", lambda: pb.MatchFilter(), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("GetReplay", lambda: pb.MatchKey(match_id="t-perm/1/1/1"), UNKNOWN, UNKNOWN, UNKNOWN, GONE, GONE, GONE),
    ("Challenge", lambda: pb.ChallengeRequest(bot="anna-bot", opponent="bert-bot", matches=2), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("ChangeTournament", lambda: pb.TournamentChange(name="t-perm", change="cancel"), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("WatchTournament", lambda: pb.TournamentKey(name="t-perm"), UNKNOWN, UNKNOWN, UNKNOWN, OK, OK, OK),
    ("AddUser", lambda: pb.NewUser(name="carl", role="author", request_id="p2"), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("ListUsers", lambda: pb.ListUsersRequest(), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("CreateToken", lambda: pb.NewToken(user="anna"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("ListTokens", lambda: pb.UserKey(name="anna"), UNKNOWN, UNKNOWN, UNKNOWN, OK, GONE, OK),
    ("RevokeToken", lambda: pb.TokenKey(id=999_999), UNKNOWN, UNKNOWN, UNKNOWN, GONE, GONE, GONE),
    ("BanUser", lambda: pb.BanRequest(user="vera", undo=False), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("SetQuota", lambda: pb.QuotaRequest(user="anna", quota={"bots": 11}), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("FreezeSubmissions", lambda: pb.FreezeRequest(undo=True), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
    ("Audit", lambda: pb.AuditRequest(), UNKNOWN, UNKNOWN, UNKNOWN, DENIED, DENIED, OK),
]  # fmt: skip
CALLERS = ("nobody", "stranger", "vera", "anna", "bert", "olga")
STREAMS = {"FollowSubmission", "BuildLog", "MatchLogs", "BotReplays", "WatchTournament", "ExportTournament", "GetReplay"}


def outcome(league: Any, call: str, request: Any) -> tuple[str, str]:
    """`ok`, or the status with its sentence."""
    try:
        answer = getattr(league.stub, call)(request, timeout=20, metadata=league.metadata)
        if call in STREAMS:
            list(answer)
    except grpc.RpcError as error:
        return error.code().name, error.details() or ""
    return OK, ""


def test_every_call_stands_in_the_table() -> None:
    assert {row[0] for row in TABLE} == set(CALLS)


@pytest.fixture(scope="module")
def _ready(served: Any) -> None:
    with served.as_("olga") as olga:
        for name in ("t-perm", "t-two"):
            olga.call("CreateTournament", pb.NewTournament(name=name, game="nines", request_id="p1" if name == "t-perm" else ""))
        for bot in ("anna-bot", "bert-bot"):
            olga.call("EnterBot", pb.EntryKey(tournament="t-two", bot=bot))


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
@pytest.mark.usefixtures("_ready")
def test_who_may_make_each_call(served: Any, row: Any) -> None:
    call, make, *expected = row
    for who, wanted in zip(CALLERS, expected, strict=True):
        with served.as_(who) as league:
            got, sentence = outcome(league, call, make())
        assert got == wanted, f"{call} by {who}: {got} ({sentence}), not {wanted}"


INVISIBLE = [
    ("BuildLog", lambda name: pb.BuildLogRequest(name=name)),
    ("MatchLogs", lambda name: pb.MatchLogsRequest(name=name)),
    ("BotReplays", lambda name: pb.MatchLogsRequest(name=name)),
    ("RetireBot", lambda name: pb.RetireRequest(name=name)),
    ("EnterBot", lambda name: pb.EntryKey(tournament="t-two", bot=name)),
    ("WithdrawBot", lambda name: pb.EntryKey(tournament="t-two", bot=name)),
    ("Challenge", lambda name: pb.ChallengeRequest(bot=name, opponent="bert-bot", matches=2)),
    ("ListTokens", lambda name: pb.UserKey(name=name.removesuffix("-bot"))),
    ("CreateToken", lambda name: pb.NewToken(user=name.removesuffix("-bot"))),
]


@pytest.mark.parametrize(("call", "make"), INVISIBLE, ids=[row[0] for row in INVISIBLE])
@pytest.mark.usefixtures("_ready")
def test_anothers_thing_and_no_thing_sound_the_same(served: Any, call: str, make: Any) -> None:
    with served.as_("bert") as league:
        theirs, none = outcome(league, call, make("anna-bot")), outcome(league, call, make("nope-bot"))
    assert theirs[0] == none[0] == GONE
    assert re.sub("anna", "X", theirs[1]) == re.sub("nope", "X", none[1])


@pytest.mark.usefixtures("_ready")
def test_others_see_no_reasons_images_or_logs_of_a_bot(served: Any) -> None:
    with served.as_("bert") as league:
        text = league.call("ShowBot", pb.BotKey(name="anna-bot")).json
    for secret in ("reason", "image", "build_log", "source", "submissions"):
        assert f'"{secret}"' not in text


def test_a_request_id_is_its_senders_alone(served: Any) -> None:
    """Another's id neither repeats their command's result nor stands in the way."""
    with served.as_("olga") as olga:
        first = olga.read("CreateTournament", pb.NewTournament(name="t-once", game="nines", request_id="same"))
        again = olga.read("CreateTournament", pb.NewTournament(name="t-once", game="nines", request_id="same"))
    assert first["commitment"] == again["commitment"]
    with served.as_("anna") as anna:
        made = anna.read("Challenge", pb.ChallengeRequest(bot="anna-bot", opponent="bert-bot", matches=2, request_id="same"))
    assert made["kind"] == "challenge"


def test_internals_never_reach_a_caller(served: Any) -> None:
    """What the server cannot do is answered with an incident, not with its insides."""
    with served.as_("anna") as league:
        code, sentence = outcome(league, "ListMatches", pb.MatchFilter(before="9" * 400))
    assert code in (OK, "INVALID_ARGUMENT", "INTERNAL")
    assert "Traceback" not in sentence
    assert "sqlite" not in sentence.lower()


def test_an_author_is_not_told_where_the_league_runs(served: Any) -> None:
    with served.as_("anna") as anna, served.as_("olga") as olga:
        mine, all_ = (league.read("Status", pb.StatusRequest()) for league in (anna, olga))
    assert [row["name"] for row in mine["services"]] == [row["name"] for row in all_["services"]]
    assert all(row["pid"] is None and not row["details"] for row in mine["services"])
    assert all(not row["referee"] and not row["probe"] for row in mine["machines"])


def test_a_challenge_is_called_off_by_who_made_it_and_ends_with_a_ban(served: Any) -> None:
    def cancel(who: str, name: str) -> str:
        with served.as_(who) as league:
            return outcome(league, "ChangeTournament", pb.TournamentChange(name=name, change="cancel"))[0]

    def challenge(who: str) -> str:
        with served.as_(who) as league:
            asked = pb.ChallengeRequest(bot=f"{who}-bot", opponent="anna-bot", matches=2)
            return str(league.read("Challenge", asked)["name"])

    def state(name: str) -> str:
        with served.as_("olga") as olga:
            return str(olga.read("ShowTournament", pb.TournamentKey(name=name))["state"])

    mine = challenge("bert")
    assert cancel("anna", mine) == DENIED
    assert state(mine) == "running"
    assert cancel("bert", mine) == OK
    assert state(mine) == "cancelled"
    left = challenge("bert")
    with served.as_("olga") as olga:
        assert olga.read("BanUser", pb.BanRequest(user="bert"))["cancelled"] == [left]
        olga.read("BanUser", pb.BanRequest(user="bert", undo=True))
    assert state(left) == "cancelled"


def test_a_challenge_that_cannot_be_leaves_no_tournament(served: Any) -> None:
    with served.as_("anna") as anna:
        before = [row["name"] for row in anna.read("ListTournaments", pb.ListTournamentsRequest())]
        got = outcome(anna, "Challenge", pb.ChallengeRequest(bot="anna-bot", opponent="no-such-bot", matches=2))
        assert (got[0], "no-such-bot" in got[1]) == (GONE, True)
        assert [row["name"] for row in anna.read("ListTournaments", pb.ListTournamentsRequest())] == before
