"""What `seen` tells of a recorded match is, message by message, what the driver sent that seat when it was played."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from referee.errors import BotFault, UsageError
from referee.games import registry
from referee.games.match import Fault
from referee.match.scripted import ScriptedSeat
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart, Turn
from referee.match.seen import Decision, decisions, seen
from referee.match.verify import Discrepancy
from tests.match.playing import mix
from tests.match.test_driver import document, new_match, play

FAULT_KINDS = ("illegal", "malformed", "crash", "timeout", "memory")


class Player(ScriptedSeat):
    """Plays at random; fails with a small chance when asked, or as soon as somebody else is."""

    def __init__(self, seat: int, rng: random.Random, share: float, others: list[Player]) -> None:
        super().__init__(seat, self.choose, cpu_per_turn_ms=rng.choice([0.5, 2.0]), note=rng.choice(["", "hm"]))
        self.rng, self.share, self.others = rng, share, others

    def choose(self, turn: Turn) -> Any:
        if self.rng.random() < self.share:
            return self.fault()
        if self.rng.random() < self.share:
            other = self.rng.choice(self.others)
            if other is not self and not other.stopped and not other.failing:
                other.fail(other.fault())
        return self.rng.randrange(len(turn.legal))

    def fault(self) -> BotFault:
        return BotFault(self.seat, self.rng.choice(FAULT_KINDS), "planted")


def record(game: str, options: dict[str, Any], players: int, number: int, share: float) -> tuple[dict[str, Any], list[Player]]:
    rng = random.Random(f"{game} {number}")
    seats: list[Player] = []
    seats += [Player(seat, rng, share, seats) for seat in range(players)]
    start = [Fault(seat, "start", "planted") for seat in range(players) if rng.random() < share]
    match = new_match(game, players, seed=rng.randbytes(32), faults=start, **options)
    return document(play(match, seats)), seats


def plain(items: list[Any]) -> list[Any]:
    """The messages as they can be compared: without clocks, lists as tuples."""
    found = []
    for item in items:
        if isinstance(item, Decision):
            item = item.turn
        if isinstance(item, Turn):
            item = item._replace(left_ms=0.0, charged_ms=0.0)
        elif isinstance(item, RoundStart):
            item = replace(item, cuts=tuple(item.cuts), scores=tuple(item.scores))
        found.append(item)
    return found


def without_withdrawn(sent: list[Any], mine: list[Any]) -> list[Any]:
    """A question that was open when the match ended has no answer in a replay; its events are the round end's then."""
    if len(sent) == len(mine) + 1 and [type(m) for m in sent[-3:]] == [Turn, RoundEnd, MatchEnd]:
        question, end, last = sent[-3:]
        assert end.reason == "forfeit"
        return [*sent[:-3], end._replace(events=question.events + end.events), last]
    return sent


def compare(recorded: dict[str, Any], seats: list[Player]) -> None:
    lost = {fault["seat"]: fault for fault in recorded["faults"]}
    for seat, client in enumerate(seats):
        items = seen(recorded, seat)
        for item in decisions(items):
            assert (item.chosen is None) == (item.fault is not None)
            assert item.fault in (None, lost.get(seat))
            assert item.fault is None or item is items[-1]
        mine = plain(items)
        sent = without_withdrawn(plain(client.received), mine)
        for number, (one, other) in enumerate(zip(mine, sent, strict=True)):
            assert one == other, (seat, number)


PROFILES = [(game, name) for game in ("nines", "nine") for name in registry.get(game).profiles]


@pytest.mark.parametrize(("game", "profile"), PROFILES)
def test_every_seat_of_every_profile(game: str, profile: str) -> None:
    players = 6 if registry.get(game).profiles[profile].get("decks") == 2 else 4
    options = dict(registry.get(game).profile(profile, players))
    recorded, seats = record(game, options, players, 0, 0.0)
    assert not recorded["faults"]
    compare(recorded, seats)


@pytest.mark.parametrize("game", ["nines", "nine"])
def test_mixed_rules_cuts_playoffs_teams_and_forfeits(game: str) -> None:
    rng = random.Random(f"mixes of {game}")
    met: set[str] = set()
    for number in range(45):
        options, players = mix(rng, game)
        if game == "nines" and number % 3 == 0:  # hands as dealt, so that some are level
            options |= {"ties": "playoff", "match_end": "rounds", "rounds": 1, "max_turns": 1}
        recorded, seats = record(game, options, players, number, rng.choice([0.0, 0.01, 0.05]))
        compare(recorded, seats)
        met |= {fault["kind"] for fault in recorded["faults"]} | {played["kind"] for played in recorded["rounds"]}
        met |= {"cuts"} if recorded.get("cuts") else set()
        met |= {"teams"} if options.get("teams") else set()
        met |= {"reshuffle"} if any(e["do"] == "reshuffle" for r in recorded["rounds"] for e in r["events"]) else set()
    assert met >= {"cuts", "start", "crash", "round", *(["playoff", "reshuffle"] if game == "nines" else ["teams"])}


def test_choices_are_what_the_seat_chose_and_times_are_its_own() -> None:
    recorded, seats = record("nines", {}, 2, 1, 0.0)
    for seat in range(2):
        found = decisions(seen(recorded, seat))
        own = [
            (number, at) for number, played in enumerate(recorded["rounds"]) for at, event in enumerate(played["events"])
            if event["seat"] == seat and "ms" in event
        ]  # fmt: skip
        assert [(d.round, d.event) for d in found] == own
        assert all(d.chosen in d.turn.legal for d in found)
        sent = [m for m in seats[seat].received if isinstance(m, Turn)]
        assert [d.turn.left_ms for d in found] == pytest.approx([t.left_ms for t in sent])
        assert [d.turn.charged_ms for d in found] == pytest.approx([t.charged_ms for t in sent])


def test_a_seat_that_fails_at_the_first_question_of_a_round_is_shown_it() -> None:
    for number in range(30):
        recorded, seats = record("nines", {"max_turns": 20}, 3, number, 0.1)
        for fault in recorded["faults"]:
            if fault["event"] == 0 and fault["kind"] != "start" and isinstance(seats[fault["seat"]].received[-1], Turn):
                last = seen(recorded, fault["seat"])[-1]
                assert isinstance(last, Decision)
                assert (last.chosen, last.at, last.fault) == (None, f"{fault['round']}/0", fault)
                assert fault["seat"] not in last.turn.view.forfeited
                return
    pytest.fail("no bot failed at the first question of a round")


def test_a_seat_that_is_not_there_is_named() -> None:
    recorded, _ = record("nine", {}, 2, 1, 0.0)
    with pytest.raises(UsageError, match="there is no seat 2; the match has seats 0 to 1"):
        seen(recorded, 2)


def test_a_replay_that_does_not_hold_is_told_as_by_verify() -> None:
    recorded, _ = record("nine", {}, 2, 1, 0.0)
    recorded["rounds"][0]["deal"]["upcard"] = recorded["rounds"][0]["deal"]["hands"]["0"][0]
    with pytest.raises(Discrepancy, match=r"round 0: S4"):
        seen(recorded, 0)


def test_without_the_seed_all_but_the_bots_own_randomness_is_the_same() -> None:
    recorded, _ = record("nine", {}, 3, 2, 0.0)
    hidden = {**recorded, "seed": None}
    first, *rest = seen(hidden, 1)
    whole, *same = seen(recorded, 1)
    assert isinstance(first, MatchStart)
    assert replace(first, bot_seed=whole.bot_seed) == whole
    assert plain(rest) == plain(same)
    assert isinstance(rest[-1], MatchEnd)
