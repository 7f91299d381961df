"""Matches to look at: played here by seeded random choices through the rules engine, with times, notes and faults."""

from __future__ import annotations

import hashlib
import random
from functools import cache
from typing import Any

from referee.games import registry
from referee.games.match import Fault, Match
from referee.match import replay

HOSTILE = (
    "<b>bold</b><img src=x onerror=alert(1)>",
    "[click](https://evil.example) :smile: $x^2$",
    "`code` **bold** _under_ ~~gone~~",
    "</script><script>alert(1)</script>",
    "\u202egnp.exe \U0001f600 Ünïcødé",
    "&lt;b&gt; &amp; {{x}} ${y}",
)
PROFILES = tuple(profile for name in registry.names() for profile in registry.get(name).profiles)


def players_of(profile: str) -> tuple[int, ...]:
    """Numbers of players the profile can be played with."""
    game = registry.get(profile.partition("/")[0])
    fitting = []
    for players in range(2, 7):
        try:
            game.complete(game.profiles[profile], players)
        except Exception:
            continue
        fitting.append(players)
    return tuple(fitting)


def played(
    profile: str,
    players: int,
    number: int = 0,
    *,
    names: tuple[str, ...] = (),
    rules: dict[str, Any] | None = None,
    fault_at: tuple[tuple[int, int], ...] = (),
    notes: bool = True,
    most: int = 100_000,
) -> dict[str, Any]:
    """A finished match as a replay. `fault_at` holds (decision, seat) pairs; `most` decisions, then everyone forfeits."""
    game = registry.get(profile.partition("/")[0])
    seed = hashlib.sha256(f"{profile} {players} {number}".encode()).digest()
    rng = random.Random(seed)
    match = Match(game, game.complete({**game.profiles.get(profile, {}), **(rules or {})}, players), players, seed)
    said: list[dict[str, Any]] = []
    decisions = 0
    while match.turn is not None:
        for at, seat in fault_at:
            if at == decisions and seat not in match.forfeited:
                match.forfeit([Fault(seat, "timeout", "the bank of 10 s", 10_000.0, 10_050.0, 10_000.0)])
        if decisions >= most and match.turn is not None:
            match.forfeit(
                [
                    Fault(s, "exit", "ended by itself", 1.0, 1.0, None)
                    for s in range(players)
                    if s not in match.forfeited
                ]
            )
        if match.turn is None:
            break
        seat, legal = match.turn, match.legal()
        if notes and rng.random() < 0.02 and match.round is not None:
            said.append(
                {
                    "seat": seat,
                    "round": len(match.rounds),
                    "event": match.round.event_count(),
                    "text": HOSTILE[decisions % len(HOSTILE)],
                }
            )
        calls = [action for action in legal if action.do == "call"]
        action = calls[0] if calls and rng.random() < 0.2 else rng.choice(legal)
        match.choose(action, round(2 ** rng.uniform(-3, 9), 2), round(2 ** rng.uniform(-3, 7), 2))
        decisions += 1
    seats = [
        {"bot": names[s] if s < len(names) else f"bot-{'abcdef'[s]}", "version": s + 1, "digest": f"{s:064x}"}
        for s in range(players)
    ]
    clock = {"bank_ms": 10_000, "increment_ms": 100, "charged": "cpu"}
    at = {"at": "2026-05-01T12:00:00Z", "attempt": 1, "machine": "here", "speed": 1.0}
    return replay.document(
        match,
        match_id=f"sample/{profile.replace('/', '-')}/{players}/{number}",
        profile=profile,
        clock=clock,
        played=at,
        seats=seats,
        notes=said,
    )


def length(document: dict[str, Any]) -> int:
    return sum(len(played_round["events"]) for played_round in document["rounds"])


@cache
def of_every_profile() -> tuple[dict[str, Any], ...]:
    """One match of each profile, the numbers of players taking turns; every third with a forfeit. Of some the shortest
    with two rounds or more, since every step of it is drawn several times."""
    matches = []
    for i, profile in enumerate(PROFILES):
        counts = players_of(profile)
        fault_at = ((7 + i, 0),) if i % 3 == 0 else ()
        tries = [played(profile, counts[i % len(counts)], number, fault_at=fault_at) for number in range(30)]
        matches.append(min(tries, key=lambda document: (len(document["rounds"]) < 2, length(document))))
    return tuple(matches)
