"""The driver against scripted seats: every fault and edge, no process, no wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from referee.errors import BotFault, PlatformFault
from referee.games import registry
from referee.games.base import Action
from referee.games.match import Fault, Match
from referee.match import replay
from referee.match.driver import MatchRecord, bot_seed, play_match
from referee.match.fixture import Clock
from referee.match.scripted import ScriptedSeat, Silence
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart, Turn
from referee.match.verify import verify

SEED = bytes(range(32))
GAMES = ("nines", "nine")
CLOCK = Clock()


def new_match(game: str, players: int, *, seed: bytes = SEED, faults: Sequence[Fault] = (), **options: Any) -> Match:
    played = registry.get(game)
    return Match(played, played.complete(options, players), players, seed, start_faults=faults, pausing=True)


def play(match: Match, seats: Sequence[ScriptedSeat], clock: Clock = CLOCK, **more: Any) -> MatchRecord:
    async def run() -> MatchRecord:
        async with asyncio.timeout(60):
            return await play_match(match, seats, seed=match.seed, clock=clock, **more)

    return asyncio.run(run())


def document(record: MatchRecord) -> dict[str, Any]:
    seats = [{"bot": f"bot{s}", "version": 1, "digest": "0" * 64} for s in range(record.match.players)]
    clock = {"bank_ms": 10_000, "increment_ms": 100, "charged": record.charged_as}
    return replay.document(
        record.match, match_id="local/1/1/1", profile=None, clock=clock, played=None, seats=seats, notes=record.notes
    )


def after(turns: int, what: Any) -> Callable[[Turn], Any]:
    """A policy: the last legal action, until so many answers have been given; then `what`."""
    given = 0

    def policy(turn: Turn) -> Any:
        nonlocal given
        given += 1
        return what if given > turns else len(turn.legal) - 1

    return policy


def last(turn: Turn) -> int:
    return len(turn.legal) - 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_to_its_end_and_verifies(game: str, players: int) -> None:
    record = play(new_match(game, players), [ScriptedSeat(s, last) for s in range(players)])
    assert record.match.finished
    assert not record.match.forfeited
    verify(document(record))
    for seat, client in enumerate(record.seats):
        assert client.decisions > 0, seat


@pytest.mark.parametrize("game", GAMES)
def test_seats_are_asked_only_where_there_is_a_choice(game: str) -> None:
    seats = [ScriptedSeat(s) for s in range(3)]
    play(new_match(game, 3), seats)
    turns = [m for client in seats for m in client.received if isinstance(m, Turn)]
    assert turns
    assert all(len(turn.legal) >= 2 for turn in turns)


@pytest.mark.parametrize("game", GAMES)
def test_messages_come_in_the_order_of_the_protocol(game: str) -> None:
    seats = [ScriptedSeat(s, last) for s in range(2)]
    record = play(new_match(game, 2), seats, number=3, profile="x")
    for seat, client in enumerate(seats):
        kinds = [type(m) for m in client.received]
        assert kinds[0] is MatchStart
        assert kinds[-1] is MatchEnd
        start = client.received[0]
        assert (start.seat, start.players, start.match, start.profile) == (seat, 2, 3, "x")
        assert start.bot_seed == bot_seed(SEED, seat)
        assert SEED.hex() not in repr(client.received)
        inside = [k for k in kinds[1:-1] if k is not Turn]
        assert inside == [RoundStart, RoundEnd] * len(record.match.rounds)
        assert client.received[-1] == MatchEnd(tuple(record.match.places or ()), tuple(record.match.totals), ())


@pytest.mark.parametrize("game", GAMES)
def test_every_event_reaches_every_seat_once(game: str) -> None:
    seats = [ScriptedSeat(s, last) for s in range(3)]
    match = new_match(game, 3)
    play(match, seats)
    for seat, client in enumerate(seats):
        told: list[list[dict[str, Any]]] = []
        for message in client.received:
            if isinstance(message, RoundStart):
                told.append([])
            elif isinstance(message, Turn | RoundEnd):
                told[-1].extend(message.events)
        for number, played in enumerate(match.rounds):
            secret = {"keep", "accept"}
            public = [(e["seat"], e["do"]) for e in played["events"] if e["do"] not in secret]
            assert [(e["seat"], e["do"]) for e in told[number]] == public, f"seat {seat}, round {number + 1}"


def test_scores_before_a_round_and_totals_after_it() -> None:
    seats = [ScriptedSeat(s, last) for s in range(2)]
    match = new_match("nines", 2)
    play(match, seats)
    starts = [m.scores for m in seats[0].received if isinstance(m, RoundStart)]
    ends = [m.totals for m in seats[0].received if isinstance(m, RoundEnd)]
    assert starts == [(0, 0), *ends[:-1]]
    assert list(ends[-1]) == match.totals


# ---------------------------------------------------------------- faults

FAULTS = [
    ("an action that is not legal", Action("play", ("XX",)), "illegal"),
    ("an index beyond the list", 99, "illegal"),
    ("a crash", BotFault(1, "crash", "killed by SIGSEGV"), "crash"),
    ("an exit", BotFault(1, "exit", "exited with code 0"), "exit"),
    ("memory", BotFault(1, "memory", "over 256 MiB"), "memory"),
    ("protocol", BotFault(1, "protocol", "a decision id never issued"), "protocol"),
    ("malformed", BotFault(1, "malformed", "an answer that is no action"), "malformed"),
]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("what", "kind"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_fault_of_one_of_two_ends_the_match(game: str, what: Any, kind: str) -> None:
    if game == "nine" and isinstance(what, Action):
        what = Action("discard", ("AC", "KD"))
    seats = [ScriptedSeat(0, last), ScriptedSeat(1, after(2, what))]
    match = new_match(game, 2)
    record = play(match, seats)
    (fault,) = match.faults
    assert (fault["seat"], fault["kind"]) == (1, kind)
    assert match.places == [1, 2]
    assert record.seats[1].decisions == (3 if kind == "illegal" else 2)
    assert match.rounds[-1]["end"]["reason"] == "forfeit"
    assert fault["event"] == len(match.rounds[-1]["events"])
    assert seats[1].stopped == "forfeit"
    assert seats[0].stopped == ""
    assert isinstance(seats[0].received[-1], MatchEnd)
    assert not isinstance(seats[1].received[-1], MatchEnd)
    verify(document(record))


def test_an_illegal_answer_names_the_rule_and_keeps_what_was_sent_apart() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1, after(0, Action("play", ("XX",))))]
    match = new_match("nines", 2)
    record = play(match, seats)
    (fault,) = match.faults
    assert fault["detail"] == "N1.1"
    assert record.seats[1].sent.startswith("play XX: 'XX' is no card of the pack; legal were play")


@pytest.mark.parametrize("game", GAMES)
def test_at_a_larger_table_a_stand_in_plays_on(game: str) -> None:
    fault = BotFault(1, "crash", "exited with code 1")
    seats = [ScriptedSeat(0, last), ScriptedSeat(1, after(1, fault)), ScriptedSeat(2, last)]
    match = new_match(game, 3)
    record = play(match, seats)
    assert match.forfeited == {1}
    assert match.places is not None
    assert match.places[1] == 3
    events = [e for played in match.rounds for e in played["events"] if e["seat"] == 1]
    assert any(e.get("standin") for e in events)
    told = [e for m in seats[0].received if isinstance(m, Turn | RoundEnd) for e in m.events if e["do"] == "forfeit"]
    assert told == [{"seat": 1, "do": "forfeit"}]
    assert seats[0].received[-1].forfeited == (1,)
    verify(document(record))


@pytest.mark.parametrize("game", GAMES)
def test_a_fault_noticed_while_another_is_asked_counts_at_that_moment(game: str) -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1), ScriptedSeat(2)]
    asked = 0

    def policy(turn: Turn) -> Any:
        nonlocal asked
        asked += 1
        if asked == 2:  # seat 2 dies while seat 0 thinks, and seat 0 answers only afterwards
            seats[2].fail(BotFault(2, "exit", "exited with code 0"))
            loop = asyncio.get_running_loop()
            loop.call_later(0.2, seats[0]._play, turn, seats[0]._open)
            return Silence()
        return 0

    seats[0].policy = policy
    match = new_match(game, 3)
    record = play(match, seats)
    (fault,) = match.faults
    assert (fault["seat"], fault["kind"]) == (2, "exit")
    decided = [i for i, e in enumerate(match.rounds[fault["round"]]["events"]) if e["seat"] == 0 and "ms" in e]
    assert fault["event"] in decided  # the very next thing that happened was seat 0's answer
    verify(document(record))


def test_two_that_fail_at_one_moment_both_forfeit() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1)]

    def policy(turn: Turn) -> Any:
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, seats[0].fail, BotFault(0, "crash", "exited with code 1"))
        seats[1].fail(BotFault(1, "crash", "exited with code 1"))
        return Silence()

    seats[0].policy = seats[1].policy = policy
    match = new_match("nines", 2)
    record = play(match, seats)
    assert match.forfeited == {0, 1}
    assert match.places == [1, 1]
    assert [(f["seat"], f["event"]) for f in match.faults] == [(0, match.faults[0]["event"]), (1, match.faults[0]["event"])]
    verify(document(record))


def test_after_the_last_event_nobody_forfeits() -> None:
    seats = [ScriptedSeat(0, last), ScriptedSeat(1, last)]
    match = new_match("nines", 2)

    def observer(seen: Match) -> None:
        if seen.finished:
            seats[1].fail(BotFault(1, "exit", "exited with code 0"))

    play(match, seats, observer=observer)
    assert match.faults == []


def test_a_bot_that_never_started_has_lost_before_the_deal() -> None:
    match = new_match("nines", 2, faults=[Fault(0, "start", "exited with code 1 before it was ready")], first_dealer="cut")
    seats = [ScriptedSeat(0), ScriptedSeat(1)]
    record = play(match, seats)
    assert match.places == [2, 1]
    assert match.rounds == []
    assert match.cuts
    assert [type(m) for m in seats[1].received] == [MatchStart, MatchEnd]
    assert seats[0].received == []
    verify(document(record))


def test_the_others_are_told_of_one_that_never_started() -> None:
    match = new_match("nine", 3, faults=[Fault(2, "start", "not ready within 20 s (idle time)")])
    seats = [ScriptedSeat(s, last) for s in range(3)]
    record = play(match, seats)
    for seat in (0, 1):
        events = [e for m in seats[seat].received if isinstance(m, Turn | RoundEnd) for e in m.events]
        assert events.count({"seat": 2, "do": "forfeit"}) == 1
    verify(document(record))


def test_one_after_another_until_one_side_is_left() -> None:
    seats = [ScriptedSeat(s, after(s + 1, BotFault(s, "crash", "x"))) for s in range(3)] + [ScriptedSeat(3, last)]
    match = new_match("nines", 4)
    record = play(match, seats)
    assert match.forfeited == {0, 1, 2}
    assert match.places == [2, 2, 2, 1]
    assert match.rounds[-1]["end"]["reason"] == "forfeit"
    verify(document(record))


# ---------------------------------------------------------------- clocks


def test_processor_time_runs_out() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1, cpu_per_turn_ms=40)]
    match = new_match("nine", 2)
    record = play(match, seats, Clock(100, 10))
    (fault,) = match.faults
    assert (fault["seat"], fault["kind"]) == (1, "timeout")
    assert record.seats[1].decisions == 3  # 110 − 40, + 10 − 40, + 10 − 40 = 10; the fourth has 20 and the grace
    assert (fault["cpu_ms"], fault["limit_ms"]) == (40, 20)
    verify(document(record))


def test_a_silent_bot_without_processor_time_is_charged_wall_time() -> None:
    seats = [ScriptedSeat(0, cpu_per_turn_ms=None), ScriptedSeat(1, after(1, Silence()), cpu_per_turn_ms=None)]
    match = new_match("nines", 2)
    record = play(match, seats, Clock(150, 0))
    (fault,) = match.faults
    assert (fault["seat"], fault["kind"]) == (1, "timeout")
    assert fault["ms"] >= fault["limit_ms"] > 100
    assert fault["cpu_ms"] is None
    assert record.charged_as == "wall"
    assert record.seats[0].cpu_ms is None
    verify(document(record))


def test_a_sleeper_is_caught_by_the_idle_clock() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1, after(0, Silence()))]
    match = new_match("nines", 2)
    play(match, seats, Clock(20, 0))  # 3 × 20 ms + 2 s
    (fault,) = match.faults
    assert (fault["seat"], fault["kind"]) == (1, "timeout")
    assert fault["limit_ms"] == 2_060
    assert fault["ms"] >= 2_060


def test_the_clock_that_is_told_is_the_one_that_is_kept() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1, cpu_per_turn_ms=7.0)]
    play(new_match("nine", 2, max_goarounds=3, cutoff=1), seats, Clock(1000, 10))
    turns = [m for m in seats[1].received if isinstance(m, Turn)]
    assert [round(t.left_ms, 3) for t in turns] == [1010 + 3 * n for n in range(len(turns))]
    assert [t.charged_ms for t in turns] == [0.0] + [7.0] * (len(turns) - 1)


def test_times_stand_on_decisions_and_only_there() -> None:
    record = play(new_match("nines", 2), [ScriptedSeat(s, cpu_per_turn_ms=2.0) for s in range(2)])
    events = [e for played in record.match.rounds for e in played["events"]]
    timed = [e for e in events if "ms" in e]
    assert len(timed) == sum(seat.decisions for seat in record.seats)
    assert all(e["cpu_ms"] == 2.0 and e["ms"] >= 0 for e in timed)
    assert record.seats[0].cpu_ms == pytest.approx(2.0 * record.seats[0].decisions)


# ---------------------------------------------------------------- ours, notes, sameness


def test_our_own_failure_is_no_bots_loss() -> None:
    seats = [ScriptedSeat(0), ScriptedSeat(1, after(1, PlatformFault("docker", "the container was removed by hand")))]
    match = new_match("nines", 2)
    with pytest.raises(PlatformFault, match="removed by hand"):
        play(match, seats)
    assert match.faults == []


def test_notes_mark_their_moment_and_are_cut() -> None:
    seats = [ScriptedSeat(0, last, note="x" * 300), ScriptedSeat(1, last)]
    record = play(new_match("nines", 2), seats)
    assert record.notes
    for note in record.notes:
        assert note["seat"] == 0
        assert len(note["text"]) == 200
        assert record.match.rounds[note["round"]]["events"][note["event"]]["seat"] == 0


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_canonical_record(game: str) -> None:
    records = [play(new_match(game, 4), [ScriptedSeat(s, last) for s in range(4)]) for _ in range(2)]
    assert len({replay.canonical_sha256(document(record)) for record in records}) == 1
    other = play(new_match(game, 4, seed=b"x" * 32), [ScriptedSeat(s, last) for s in range(4)])
    assert replay.canonical_sha256(document(other)) != replay.canonical_sha256(document(records[0]))


def test_cancelling_leaves_the_match_where_it_was() -> None:
    async def run() -> Match:
        match = new_match("nines", 2)
        seats = [ScriptedSeat(0, after(1, Silence())), ScriptedSeat(1)]
        task = asyncio.ensure_future(play_match(match, seats, seed=SEED, clock=Clock()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return match

    assert not asyncio.run(run()).finished
