"""A small league for tests: bots admitted, tournaments started, fixtures played by a fixed rule instead of by bots."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import zstandard

from referee.match.fixture import FixtureResult, FixtureSpec, MatchResult, SeatResult
from referee.store.commands import accounts, schedule, services, submissions, tournaments
from referee.store.engine import Store
from referee.store.field import field
from referee.store.queries.tournaments import tournament as tournament_page

RULES: dict[str, Any] = {"cutoff": 100, "first_dealer": "cut"}


def admit(store: Store, name: str, *, owner: int, games: Sequence[str] = ("nines",), code: str = "") -> int:
    """One more version of the bot is admitted; its number."""
    sid = submissions.submit(store, owner, "0" * 64, 1)
    claim = submissions.claim_submission(store, sid, worker="builder")
    assert claim is not None
    digest = hashlib.sha256(f"{name}/{code}".encode()).hexdigest()
    named = submissions.name_submission(store, claim, name=name, digest=digest, games=list(games), runtime="python")
    assert named is not None
    assert submissions.admit_submission(store, claim, image=f"image-{name}")
    return named[1]


def author(store: Store, name: str = "ann") -> int:
    """An author without limits."""
    user = accounts.add_user(store, name, "author", by="test")
    limits = dict.fromkeys(("bots", "submissions_per_hour", "submissions_per_day", "queued_builds"), 10_000)
    accounts.set_quota(store, name, limits, by="test")
    return user


def league(store: Store, bots: Sequence[str] = ("a", "b", "c"), name: str = "cup", **settings: Any) -> None:
    """A tournament of these bots runs, with one worker of four slots on machine m1."""
    owner = author(store)
    for bot in bots:
        admit(store, bot, owner=owner)
    create(store, bots, name, **settings)
    worker(store)


def create(store: Store, bots: Sequence[str], name: str = "cup", **settings: Any) -> None:
    """A tournament of these bots, which exist, runs."""
    values: dict[str, Any] = {"blocks": 2, "matches_per_fixture": 2, "rules": RULES, "seed": bytes(32), **settings}
    tournaments.create_tournament(store, tournaments.NewTournament(name=name, game="nines", **values), by="org")
    for bot in bots:
        tournaments.enter(store, name, bot, by="org")
    tournaments.start(store, name, by="org")


def worker(store: Store, machine: str = "m1", slots: int = 4, name: str = "") -> None:
    """The worker of a machine is alive."""
    services.beat(store, services.Beat(name or f"w@{machine}", "worker", machine, 1, slots=slots))


def lay_out(store: Store, name: str = "cup") -> int:
    """The whole schedule is laid out; how many fixtures there are."""
    found = field(store, name)
    plan = found.schedule()
    blocks = [schedule.PlannedBlock(block.number, block.seatings) for block in plan.iter()]
    return schedule.plan_blocks(
        store,
        found.tournament_id,
        seen=0,
        upto=plan.total_blocks,
        blocks=blocks,
        last=True,
        total_fixtures=plan.total_fixtures,
    )


def play(
    spec: FixtureSpec, *, faults: Mapping[tuple[str, int], str] | None = None, machine: str = "m1", log: bytes = b"hi"
) -> FixtureResult:
    """A result that depends on bots and seeds only; `faults` maps (bot, match number) to the cause of its forfeit."""
    faults = faults or {}
    matches = []
    for number, match in enumerate(spec.matches, start=1):
        causes = [faults.get((seat.bot, number), "completed") for seat in spec.seats]
        penalties = [_penalty(match.seed, seat.digest) for seat in spec.seats]
        clean = [penalty for penalty, cause in zip(penalties, causes, strict=True) if cause == "completed"]
        places = [
            sorted(clean).index(penalty) + 1 if cause == "completed" else len(clean) + 1
            for penalty, cause in zip(penalties, causes, strict=True)
        ]
        seats = tuple(
            SeatResult(
                seat=i,
                place=places[i],
                points=_points(i, places, causes),
                penalty=penalties[i],
                cause=causes[i],
                detail="" if causes[i] == "completed" else "N2.1",
                sent="" if causes[i] == "completed" else "secret move",
                decisions=7,
                wall_ms=1.5,
                cpu_ms=float("nan") if i else 0.5,
                log=log,
            )
            for i in range(len(spec.seats))
        )
        document = {
            "format": "ninefold-replay/1",
            "match_id": match.match_id,
            "seed": match.seed.hex(),
            "totals": penalties,
        }
        data = json.dumps(document, sort_keys=True).encode()
        matches.append(
            MatchResult(
                match_id=match.match_id,
                canonical_sha256=hashlib.sha256(data).hexdigest(),
                replay=zstandard.compress(data),
                rounds=3,
                plies=99,
                seats=seats,
            )
        )
    return FixtureResult(spec.fixture_id, spec.attempt, machine, 1.0, tuple(matches))


def _penalty(seed: bytes, digest: str) -> int:
    return hashlib.sha256(seed + digest.encode()).digest()[0] % 40


def _points(me: int, places: Sequence[int], causes: Sequence[str]) -> float:
    if causes[me] != "completed":
        return 0.0
    others = [place for seat, place in enumerate(places) if seat != me]
    return sum(1.0 if place > places[me] else 0.5 if place == places[me] else 0.0 for place in others) / len(others)


def fixture_ids(store: Store, name: str = "cup") -> list[str]:
    """All fixtures that are laid out and have not ended."""
    from referee.store.queries.tournaments import fixtures

    found: list[dict[str, Any]] = []
    while page := fixtures(store, name, after=found[-1]["key"] if found else 0):
        found += page
    return [row["fixture_id"] for row in found]


def state(store: Store, name: str = "cup") -> str:
    """The tournament's state."""
    return str(tournament_page(store, name)["state"])
