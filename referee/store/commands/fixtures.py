"""One fixture from claim to record: leased by one worker, renewed by play, recorded whole or void and played again.

The attempt number guards everything: a result, renewal or void of any attempt but the current one changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlmodel import Session, select

from referee.errors import Conflict, NotFound
from referee.match.fixture import PARKING_CAUSES, Clock, FixtureResult, FixtureSpec, MatchSpec, SeatSpec
from referee.store.commands.endings import end_unplayed, settle
from referee.store.commands.records import store_matches
from referee.store.commands.services import note_failure, note_success
from referee.store.commands.transaction import audit, lock_tournament, of, once, the_tournament
from referee.store.engine import Store, now
from referee.store.models import Entry, Fixture, Machine, Tournament, Version, VoidRecord
from referee.store.rows import key_of
from referee.store.states import PENDING, FixtureState, MachineState, TournamentState
from referee.tournament import seeds

LEASE_SECONDS = 60.0
PARKING_VOIDS = 3
"""Voids of the parking causes after which a fixture waits for the organiser."""
EXPIRY_GRACE_SECONDS = 15.0
"""How long the store must have been writable before a lease is taken back: results kept meanwhile land first."""


def claim_fixture(
    store: Store,
    fixture_id: str,
    *,
    worker: str,
    machine: str,
    lease_seconds: float = LEASE_SECONDS,
    referee: str = "",
) -> FixtureSpec | None:
    """The fixture is being played by `worker` under a new attempt; what to play, seeds inside.

    None if there is nothing to do: it is final, parked, leased to another, or its tournament does not run; or if
    `machine` has stepped back.
    """

    def work(session: Session) -> FixtureSpec | None:
        fixture, tournament = _locked(session, fixture_id)
        home = session.get(Machine, machine)
        at = now(session)
        if (
            fixture.state not in PENDING
            or tournament.state != TournamentState.RUNNING
            or (fixture.not_before is not None and fixture.not_before > at)
            or (home is not None and home.state != MachineState.READY)
        ):
            return None
        fixture.state, fixture.stage, fixture.cause, fixture.reason = FixtureState.RUNNING, "starting", "", ""
        fixture.attempt += 1
        fixture.lease_owner, fixture.lease_expires_at = worker, at + timedelta(seconds=lease_seconds)
        fixture.machine, fixture.referee = machine, referee
        fixture.started_at = fixture.progress_at = at
        session.add(fixture)
        return _spec(session, fixture, tournament, fixture_id)

    return store.write(work)


def renew_lease(
    store: Store,
    spec: FixtureSpec,
    *,
    stage: str = "playing",
    lease_seconds: float = LEASE_SECONDS,
    give_up: Callable[[], bool] | None = None,
) -> bool:
    """The lease holds for another `lease_seconds`. False: the fixture is no longer this attempt's, stop playing it."""

    def work(session: Session) -> bool:
        fixture = _attempt(session, spec)
        if fixture is None:
            return False
        at = now(session)
        fixture.stage, fixture.progress_at = stage, at
        fixture.lease_expires_at = at + timedelta(seconds=lease_seconds)
        session.add(fixture)
        return True

    return store.write(work, patience=None, give_up=give_up)


def record_fixture(
    store: Store, spec: FixtureSpec, result: FixtureResult, *, give_up: Callable[[], bool] | None = None
) -> bool:
    """Matches, seats, replays, logs and sums are stored, all or nothing, if the attempt still holds; True if they are.

    Waits as long as it takes for a store that is locked or away, unless `give_up()`. Recording the same attempt again
    changes nothing and is True. Raises `PlatformFault` if the result is not one of this fixture.
    """

    def work(session: Session) -> bool:
        fixture, tournament = _locked(session, spec.fixture_id)
        if fixture.attempt != spec.attempt or result.attempt != spec.attempt:
            return False
        if fixture.state == FixtureState.DONE:
            return True  # our own earlier commit, whose answer was lost
        if fixture.state != FixtureState.RUNNING:
            return False
        store_matches(session, tournament, fixture, spec, result)
        note_success(session, fixture.machine, result.speed)
        settle(session, tournament)
        return True

    return store.write(work, patience=None, give_up=give_up)


def void_fixture(store: Store, spec: FixtureSpec, *, cause: str, reason: str) -> bool:
    """The attempt failed by our fault: the fixture waits to be played again on the same deals; nobody loses anything.

    After `PARKING_VOIDS` voids of docker, internal or host_memory it is parked for the organiser instead. A machine on
    which fixture after fixture fails steps back. False if the attempt was no longer the current one.
    """

    def work(session: Session) -> bool:
        fixture, _tournament = _locked(session, spec.fixture_id)
        if fixture.state != FixtureState.RUNNING or fixture.attempt != spec.attempt:
            return False
        _void(session, fixture, cause, reason)
        return True

    return store.write(work, patience=None)


def expire_leases(store: Store, *, writable_since: datetime | None = None) -> list[str]:
    """Fixtures whose worker fell silent wait to be played again; the workers.

    `writable_since` is when the caller last found the store locked or away: until `EXPIRY_GRACE_SECONDS` after that
    nothing is taken back, so that results kept by workers land first.
    """

    def work(session: Session) -> list[str]:
        at = now(session)
        if writable_since is not None and at < writable_since + timedelta(seconds=EXPIRY_GRACE_SECONDS):
            return []
        stale = session.exec(
            select(Fixture.id, Fixture.tournament_id).where(
                Fixture.state == FixtureState.RUNNING,
                Fixture.lease_expires_at < at,  # type: ignore[operator]
            )
        ).all()
        return _void_all(session, [(int(i), t) for i, t in stale if i is not None], at)

    return store.write(work)


def release_worker(store: Store, worker: str, *, reason: str) -> int:
    """Whatever this worker had leased waits to be played again: it was restarted or is being stopped; how many."""

    def work(session: Session) -> int:
        held = session.exec(
            select(Fixture.id, Fixture.tournament_id).where(
                Fixture.state == FixtureState.RUNNING, Fixture.lease_owner == worker
            )
        ).all()
        return len(_void_all(session, [(int(i), t) for i, t in held if i is not None], None, "shutdown", reason))

    return store.write(work)


def retry_fixture(store: Store, fixture_id: str, *, by: str, reason: str = "", request_id: str = "") -> None:
    """The parked fixture is played again, with all its chances. Retrying one that already waits changes nothing."""

    def work(session: Session) -> None:
        fixture, _tournament = _locked(session, fixture_id)
        if fixture.state in (FixtureState.PLANNED, FixtureState.QUEUED, FixtureState.RUNNING):
            return
        if fixture.state != FixtureState.PARKED:
            raise Conflict(f"fixture {fixture_id!r} is {fixture.state}; only a parked one can be retried")
        fixture.state, fixture.stage, fixture.parking_voids = FixtureState.PLANNED, "waiting", 0
        fixture.not_before, fixture.progress_at = None, now(session)
        session.add(fixture)
        audit(session, by, "fixture retry", fixture_id, reason)

    once(store, of("retry_fixture", fixture_id), request_id, work)


def drop_fixture(store: Store, fixture_id: str, *, by: str, reason: str = "", request_id: str = "") -> None:
    """The parked fixture is given up: its matches count for nothing and the tournament will end marked incomplete."""

    def work(session: Session) -> None:
        fixture, tournament = _locked(session, fixture_id)
        if fixture.state == FixtureState.DROPPED:
            return
        if fixture.state != FixtureState.PARKED:
            raise Conflict(f"fixture {fixture_id!r} is {fixture.state}; only a parked one can be dropped")
        why = reason or fixture.reason
        end_unplayed(session, tournament, fixture, state=FixtureState.DROPPED, cause=fixture.cause, reason=why)
        settle(session, tournament)
        audit(session, by, "fixture drop", fixture_id, reason)

    once(store, of("drop_fixture", fixture_id), request_id, work)


def void_by_hand(store: Store, fixture_id: str, *, by: str, reason: str, request_id: str = "") -> None:
    """The running fixture's attempt is void and it is played again; it does not count towards parking."""

    def work(session: Session) -> None:
        fixture, _tournament = _locked(session, fixture_id)
        if fixture.state != FixtureState.RUNNING:
            raise Conflict(f"fixture {fixture_id!r} is {fixture.state}; only a running one can be made void")
        _void(session, fixture, "shutdown", reason or f"made void by {by}")
        audit(session, by, "fixture void", fixture_id, reason)

    once(store, of("void_by_hand", fixture_id), request_id, work)


def _locked(session: Session, fixture_id: str) -> tuple[Fixture, Tournament]:
    name, _, place = fixture_id.partition("/")
    block, _, seating = place.partition("/")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in (block, seating)):
        raise NotFound("fixture", fixture_id)
    tournament = the_tournament(session, name)
    fixture = session.exec(
        select(Fixture)
        .where(Fixture.tournament_id == tournament.id, Fixture.block == int(block), Fixture.seating == int(seating))
        .with_for_update()
    ).one_or_none()
    if fixture is None:
        raise NotFound("fixture", fixture_id)
    return fixture, tournament


def _attempt(session: Session, spec: FixtureSpec) -> Fixture | None:
    """The fixture, locked alone: renewing must not wait for its tournament's lock."""
    name, block, seating = spec.fixture_id.split("/")
    fixture = session.exec(
        select(Fixture)
        .join(Tournament, Tournament.id == Fixture.tournament_id)  # type: ignore[arg-type]
        .where(Tournament.name == name, Fixture.block == int(block), Fixture.seating == int(seating))
        .with_for_update(of=Fixture)
    ).one_or_none()
    if fixture is None or fixture.state != FixtureState.RUNNING or fixture.attempt != spec.attempt:
        return None
    return fixture


def _spec(session: Session, fixture: Fixture, tournament: Tournament, fixture_id: str) -> FixtureSpec:
    seats = []
    for entry_id in fixture.entries:
        entry = session.get_one(Entry, entry_id)
        version = session.get_one(Version, entry.version_id)
        seats.append(
            SeatSpec(entry.bot, version.number, version.digest, version.image, version.runtime, version.content_digest)
        )
    master, salt = bytes.fromhex(tournament.master_seed), bytes.fromhex(tournament.salt)
    return FixtureSpec(
        fixture_id=fixture_id,
        attempt=fixture.attempt,
        game=tournament.game,
        rules=tournament.rules,
        profile=tournament.profile,
        seats=tuple(seats),
        matches=tuple(
            MatchSpec(f"{fixture_id}/{number}", seeds.match_seed(master, salt, fixture.block, number))
            for number in range(1, tournament.matches_per_fixture + 1)
        ),
        clock=Clock(tournament.bank_ms, tournament.increment_ms),
    )


def _void_all(
    session: Session, stale: list[tuple[int, int]], expired_at: datetime | None, cause: str = "", reason: str = ""
) -> list[str]:
    """These fixtures are void if they still run (and, with `expired_at`, their lease has still run out)."""
    workers = []
    for tournament_id in sorted({tournament for _, tournament in stale}):
        lock_tournament(session, tournament_id)
        for fixture_id in sorted(fixture for fixture, owner in stale if owner == tournament_id):
            query = select(Fixture).where(Fixture.id == fixture_id).with_for_update()
            fixture = session.exec(query.execution_options(populate_existing=True)).one()
            if fixture.state != FixtureState.RUNNING:
                continue
            if expired_at is not None and (fixture.lease_expires_at or expired_at) >= expired_at:
                continue
            workers.append(fixture.lease_owner)
            _void(session, fixture, cause or "lease_lost", reason or f"worker {fixture.lease_owner} fell silent")
    return workers


def _void(session: Session, fixture: Fixture, cause: str, reason: str) -> None:
    at = now(session)
    session.add(
        VoidRecord(
            fixture_id=key_of(fixture),
            attempt=fixture.attempt,
            machine=fixture.machine,
            worker=fixture.lease_owner,
            cause=cause,
            reason=reason,
            at=at,
        )
    )
    fixture.voids += 1
    fixture.cause, fixture.reason = cause, reason
    if cause in PARKING_CAUSES:
        fixture.parking_voids += 1
    if cause in PARKING_CAUSES or cause == "guarantee":
        note_failure(session, fixture.machine, key_of(fixture), cause, reason)
        fixture.not_before = at + timedelta(seconds=min(2.0**fixture.parking_voids, 60.0))
    if fixture.parking_voids >= PARKING_VOIDS:
        fixture.state, fixture.stage = FixtureState.PARKED, "parked"
    else:
        fixture.state, fixture.stage = FixtureState.PLANNED, "waiting to be played again"
    fixture.lease_owner, fixture.lease_expires_at, fixture.queued_at = "", None, None
    fixture.machine, fixture.progress_at = "", at
    session.add(fixture)
