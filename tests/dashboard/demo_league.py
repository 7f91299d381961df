"""A league with every kind of state, played here by simple policies through the real engine and the real store commands."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from referee.games import registry
from referee.games.base import Action
from referee.games.match import Fault, Match
from referee.match import replay
from referee.match.fixture import FixtureResult, FixtureSpec, MatchResult, SeatResult
from referee.settings import Settings
from referee.store.commands import accounts, fixtures, ratings, schedule, services, submissions, tournaments
from referee.store.engine import Store
from referee.store.field import field
from referee.store.queries import tournaments as queries
from referee.store.schema import open_store
from referee.tournament.ratings import rate
from referee.tournament.results import PairColumns

Policy = Callable[[random.Random, Sequence[Action]], Action]


def _first(rng: random.Random, legal: Sequence[Action]) -> Action:
    return legal[0]


def _last(rng: random.Random, legal: Sequence[Action]) -> Action:
    return legal[-1]


def _random(rng: random.Random, legal: Sequence[Action]) -> Action:
    return rng.choice(legal)


def _heavy(rng: random.Random, legal: Sequence[Action]) -> Action:
    def weight(action: Action) -> int:
        return sum(min("A23456789TJQK".find(card[0]) + 1, 10) for card in action.cards) + (
            40 if action.do == "call" else 0
        )

    return max(legal, key=weight)


def _mostly_heavy(rng: random.Random, legal: Sequence[Action]) -> Action:
    return _heavy(rng, legal) if rng.random() < 0.7 else rng.choice(legal)


POLICIES: dict[str, Policy] = {
    "greedy": _heavy,
    "half-greedy": _mostly_heavy,
    "random": _random,
    "first-in-line": _first,
    "last-resort": _last,
}
NOTES = ("<b>keeping</b> my nine", "hearts now, [spades](http://x.example) later", "`one` card **left**")


def play_fixture(spec: FixtureSpec, *, causes: dict[str, str] | None = None) -> FixtureResult:
    """The fixture played to its end; `causes` maps a bot to how it forfeits its matches, at the fifth decision."""
    found = []
    for match in spec.matches:
        found.append(_play(spec, match.match_id, match.seed, causes or {}))
    return FixtureResult(spec.fixture_id, spec.attempt, "here", 1.0, tuple(found))


def _play(spec: FixtureSpec, match_id: str, seed: bytes, causes: dict[str, str]) -> MatchResult:
    game, players = registry.get(spec.game), len(spec.seats)
    match = Match(game, game.complete(spec.rules, players), players, seed)
    rng = random.Random(seed + match_id.encode())
    times = [[0.0, 0.0, 0] for _ in range(players)]
    notes: list[dict[str, Any]] = []
    decisions = 0
    while match.turn is not None:
        if decisions == 5:
            failing = [
                Fault(i, causes[s.bot], "the limit that was named", 10_000.0, 10_020.0, 10_000.0)
                for i, s in enumerate(spec.seats)
                if s.bot in causes
            ]
            if failing:
                match.forfeit(failing)
        if match.turn is None:
            break
        seat = match.turn
        policy = POLICIES.get(spec.seats[seat].bot, _random)
        wall = round(2 ** rng.uniform(-2, 6) * (seat + 1), 2)
        if rng.random() < 0.03 and match.round is not None:
            notes.append(
                {
                    "seat": seat,
                    "round": len(match.rounds),
                    "event": match.round.event_count(),
                    "text": rng.choice(NOTES),
                }
            )
        match.choose(policy(rng, match.legal()), wall, round(wall * 0.7, 2))
        times[seat] = [times[seat][0] + wall, times[seat][1] + wall * 0.7, times[seat][2] + 1]
        decisions += 1
    document = replay.document(
        match,
        match_id=match_id,
        profile=spec.profile,
        clock={"bank_ms": spec.clock.bank_ms, "increment_ms": spec.clock.increment_ms, "charged": "cpu"},
        played={"at": "2026-05-01T12:00:00Z", "attempt": spec.attempt, "machine": "here", "speed": 1.0},
        seats=[{"bot": s.bot, "version": s.version, "digest": s.digest} for s in spec.seats],
        notes=notes,
    )
    faults = {fault["seat"]: fault for fault in document["faults"]}
    places, totals = document["result"]["places"], document["result"]["totals"]
    seats = tuple(
        SeatResult(
            seat=i,
            place=places[i],
            points=0.0,
            penalty=totals[i],
            cause=faults[i]["kind"] if i in faults else "completed",
            detail=faults[i]["detail"] if i in faults else "",
            sent="TOP-SECRET-MOVE" if i in faults else "",
            decisions=int(times[i][2]),
            wall_ms=times[i][0],
            cpu_ms=times[i][1],
            log=b"PRIVATE-LOG-LINE",
        )
        for i in range(players)
    )
    data = zstandard.compress(json.dumps(document).encode())
    return MatchResult(
        match_id,
        replay.canonical_sha256(document),
        data,
        len(document["rounds"]),
        sum(len(r["events"]) for r in document["rounds"]),
        seats,
    )


def admit(store: Store, owner: int, name: str, games: Sequence[str] = ("nines", "nine")) -> None:
    """One more version of the bot is admitted."""
    sid = submissions.submit(store, owner, "0" * 64, 1)
    claim = submissions.claim_submission(store, sid, worker="builder")
    assert claim is not None
    digest = hashlib.sha256(f"{name} {sid}".encode()).hexdigest()
    assert (
        submissions.name_submission(store, claim, name=name, digest=digest, games=list(games), runtime="python")
        is not None
    )
    assert submissions.admit_submission(store, claim, image=f"image-{name}")


def author(store: Store, name: str) -> int:
    user = accounts.add_user(store, name, "author", by="test")
    accounts.set_quota(
        store,
        name,
        dict.fromkeys(("bots", "submissions_per_hour", "submissions_per_day", "queued_builds"), 10_000),
        by="test",
    )
    return user


def begin(store: Store, name: str, bots: Sequence[str], profile: str, **more: Any) -> None:
    """A tournament of these bots runs, all fixtures laid out."""
    game = registry.get(profile.partition("/")[0])
    size = more.get("table_size", 2)
    rules = game.complete({**game.profiles[profile], **more.pop("rules", {})}, size)
    tournaments.create_tournament(
        store,
        tournaments.NewTournament(
            name=name,
            game=game.name,
            rules=dict(rules),
            profile=profile,
            **{
                "blocks": 2,
                "matches_per_fixture": 2,
                "same_author": "free",
                "seed": hashlib.sha256(name.encode()).digest(),
                **more,
            },
        ),
        by="org",
    )
    for bot in bots:
        tournaments.enter(store, name, bot, by="org")
    tournaments.start(store, name, by="org")
    found = field(store, name)
    plan = found.schedule()
    schedule.plan_blocks(
        store,
        found.tournament_id,
        seen=0,
        upto=plan.total_blocks,
        blocks=[schedule.PlannedBlock(b.number, b.seatings) for b in plan.iter()],
        last=True,
        total_fixtures=plan.total_fixtures,
    )


def play(store: Store, name: str, *, leave: int = 0, causes: dict[str, str] | None = None) -> None:
    """The tournament's fixtures are played and recorded, all but the last `leave`."""
    waiting = [row["fixture_id"] for row in _all(store, name)]
    for fixture_id in waiting[: len(waiting) - leave]:
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="here")
        assert spec is not None
        assert fixtures.record_fixture(store, spec, play_fixture(spec, causes=causes))


def _all(store: Store, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while page := queries.fixtures(store, name, states=("planned", "queued"), after=found[-1]["key"] if found else 0):
        found += page
    return found


def fit(store: Store, name: str) -> None:
    """The tournament's ratings include every result so far."""
    data = ratings.rating_data(store, name)
    if data is None:
        return
    columns = np.array(data.rows, dtype=np.int64).reshape(-1, 5)
    fitted = rate(
        PairColumns.from_arrays(*(columns[:, i] for i in range(5))),
        sides=data.sides,
        entries=data.entries,
        withdrawn=data.withdrawn,
    )
    names = ("entry", "rating", "low", "high", "games", "blocks", "provisional")
    ratings.store_ratings(store, data, [{n: getattr(row, n) for n in names} for row in fitted.rows.values()])


def build(data_dir: Path, database_url: str = "") -> Store:
    """The whole demo league in `data_dir`, or in another database: a finished cup, a running one with parked, void and live fixtures, forfeits of
    several causes, a withdrawn bot, a cancelled tournament, a draft."""
    data_dir.mkdir(parents=True, exist_ok=True)
    store = open_store(Settings(data_dir, database_url=database_url))
    ann, bob = author(store, "ann"), author(store, "bob")
    for i, name in enumerate([*POLICIES, "sleepy", "leaver"]):
        admit(store, ann if i % 2 else bob, name)
    admit(store, bob, "greedy")
    services.beat(store, services.Beat("w@here", "worker", "here", 1, slots=4))
    begin(store, "spring-cup", [*POLICIES, "sleepy"], "nines/strict", blocks=3)
    fit_half = [row["fixture_id"] for row in _all(store, "spring-cup")]
    play(store, "spring-cup", leave=len(fit_half) // 2, causes={"sleepy": "timeout"})
    fit(store, "spring-cup")
    play(store, "spring-cup", causes={"sleepy": "crash"})
    fit(store, "spring-cup")
    begin(
        store,
        "call-of-nine",
        ["greedy", "half-greedy", "random", "first-in-line"],
        "nine/standard",
        table_size=3,
        blocks=2,
        matches_per_fixture=1,
    )
    play(store, "call-of-nine", causes={"first-in-line": "illegal"})
    fit(store, "call-of-nine")
    begin(
        store,
        "close-race",
        ["greedy", "half-greedy", "random"],
        "nines/strict",
        blocks=1,
        matches_per_fixture=1,
        until_separated={"max_blocks": 2},
    )
    play(store, "close-race", leave=2)
    begin(store, "abandoned", ["greedy", "random"], "nines/powers")
    tournaments.cancel(store, "abandoned", by="org", reason="wrong rules")
    begin(store, "summer-league", [*POLICIES, "leaver"], "nines/double", table_size=5, blocks=1, matches_per_fixture=1)
    play(store, "summer-league", leave=12)
    tournaments.withdraw(store, "summer-league", "leaver", by="org", reason="asked to")
    fit(store, "summer-league")
    waiting = [row["fixture_id"] for row in _all(store, "summer-league")]
    for fixture_id in waiting[:1]:
        for _ in range(3):
            spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="")
            if spec is None:
                break
            fixtures.void_fixture(store, spec, cause="docker", reason="the engine did not answer")
    for fixture_id in waiting[1:3]:
        fixtures.claim_fixture(store, fixture_id, worker="w", machine="here", referee="127.0.0.1:1")
    spec = fixtures.claim_fixture(store, waiting[3], worker="w", machine="here")
    assert spec is not None
    fixtures.record_fixture(store, spec, play_fixture(spec))
    tournaments.create_tournament(
        store,
        tournaments.NewTournament(name="next-year", game="nines", rules=dict(registry.get("nines").complete({}, 2))),
        by="org",
    )
    return store


def waiting(store: Store, name: str) -> list[str]:
    """Fixtures of a tournament that nobody has begun."""
    return [row["fixture_id"] for row in _all(store, name)]


def build_small(data_dir: Path) -> Store:
    """A league with one tournament at tables of five, nothing played yet."""
    data_dir.mkdir(parents=True, exist_ok=True)
    store = open_store(Settings(data_dir))
    owner = author(store, "ann")
    for name in POLICIES:
        admit(store, owner, name)
    services.beat(store, services.Beat("w@here", "worker", "here", 1, slots=4))
    begin(store, "small", list(POLICIES), "nines/double", table_size=5, blocks=1, matches_per_fixture=1)
    return store
