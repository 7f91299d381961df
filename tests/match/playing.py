"""Whole matches played at random, with faults, as documents: what verifying, steps and leak tests are tried on."""

from __future__ import annotations

import random
from typing import Any

from referee.games import registry
from referee.games.base import Rules
from referee.games.match import Fault, Match
from referee.match import replay

KINDS = ("illegal", "malformed", "protocol", "timeout", "memory", "crash", "exit")


def document_of(match: Match, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "match_id": "local/test/1/1",
        "profile": None,
        "clock": {"bank_ms": 10000, "increment_ms": 100, "charged": "cpu"},
        "played": {"at": "2026-01-02T03:04:05Z", "attempt": 1, "machine": "test", "speed": 1.0},
        "seats": [{"bot": f"bot-{seat}", "version": 1, "digest": "ab" * 32} for seat in range(match.players)],
        "notes": [],
    }
    return replay.document(match, **{**given, **fields})


def play(
    game: str,
    rules: Rules,
    players: int,
    seed: bytes,
    rng: random.Random,
    *,
    fault_share: float = 0.0,
    late: bool = True,
) -> Match:
    """A match of random choices; with `fault_share` a bot fails now and then, also at the start or between rounds."""
    start = [Fault(seat, "start", "never connected") for seat in range(players) if rng.random() < fault_share * 3]
    match = Match(registry.get(game), rules, players, seed, start_faults=start, pausing=True)
    while not match.finished:
        alive = [seat for seat in range(players) if seat not in match.forfeited]
        if alive and rng.random() < fault_share:
            failed = rng.sample(alive, rng.choice([1, 1, 1, min(2, len(alive))]))
            match.forfeit([Fault(seat, rng.choice(KINDS), "limit", 1.5, None, 10.0) for seat in failed])
        elif match.turn is None:
            match.proceed()
        else:
            match.choose(rng.choice(match.legal()), rng.random() * 10, rng.choice([None, 0.5, 3]))
    return match


def mix(rng: random.Random, game: str) -> tuple[dict[str, Any], int]:
    """A random mix of options that go together, with a number of players; short enough for tests."""
    players = rng.randint(2, 6)
    pick = rng.choice
    if game == "nine":
        teams = {4: pick([0, 2]), 6: pick([0, 3])}.get(players, 0)
        return {
            "skin": pick(["numbered", "french", "tarot"]),
            "teams": teams,
            "overcall": pick(["forbidden", "penalised"]),
            "max_goarounds": pick([1, 2, 5, 12]),
            "first_dealer": pick(["seat", "cut"]),
            "cutoff": pick([20, 45, 90, 99]),
        }, players
    return {
        "decks": pick([1, 2]) if players >= 5 else 1,
        "draw": pick(["one", "until_playable"]),
        "powers": pick([True, False]),
        "ace_keeps_turn": pick([True, False]),
        "hard_nines": pick([True, False]),
        "no_nine_out": pick([True, False]),
        "stacking_nines": pick([True, False]),
        "first_dealer": pick(["seat", "cut"]),
        "match_end": pick(["cutoff", "rounds"]),
        "cutoff": pick([1, 40, 100]),
        "rounds": pick([1, 2]),
        "ties": pick(["share", "playoff"]),
        "max_turns": pick([1, 7, 60, 2000]),
    }, players
