"""What is alive, what waits, and what is stuck: each problem one sentence that names the part."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, text
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.store.commands.schedule import playing_slots
from referee.store.commands.sums import differences
from referee.store.engine import Store, now, store_of
from referee.store.models import Fixture, Machine, Service, Submission, Tournament
from referee.store.queries.tournaments import find
from referee.store.retention import noted
from referee.store.rows import table
from referee.store.states import LIVE, FixtureState, MachineState, SubmissionState, TournamentState
from referee.wording import counted

SILENT_SECONDS = 30.0
"""A program without a heartbeat for so long is named as dead or stuck."""
STUCK_SECONDS = 45.0
"""A live part without progress for so long, with work waiting, is named as stuck."""
STARTING_SECONDS = 20.0
"""So long after the league has started its parts come up one by one, and none is missed."""


def status(store: Store, *, serving_since: datetime | None = None) -> dict[str, Any]:
    """Services, machines, queue, and `problems`: an empty list means that all is well.

    `starting`: the asker serves the league since a moment ago, so that no part is called missing, silent or stuck yet.
    """

    def work(session: Session) -> dict[str, Any]:
        at = now(session)
        starting = serving_since is not None and at < serving_since + timedelta(seconds=STARTING_SECONDS)
        services = list(session.exec(select_rows(Service).order_by(col(Service.kind), col(Service.name))))
        machines = list(session.exec(select_rows(Machine).order_by(col(Machine.name))))
        queue = _queue(session)
        slots = playing_slots(session)
        kept = noted(session)
        return {
            "at": at,
            "starting": starting,
            "services": [_service(row, at) for row in services],
            "machines": [_machine(row, at, slots) for row in machines],
            "queue": queue,
            "disk": {"database_bytes": _database_bytes(session), **_sizes(kept)},
            "retention": kept,
            "problems": [
                *([] if starting else _amiss(session, services, machines, slots, queue, at)),
                *_parked(session),
                *_unkept(kept),
            ],
        }

    return store.fetch(work)


def deep(store: Store, tournament: str = "") -> list[str]:
    """One sentence for each sum that differs from a recomputation from the match records; empty when all agree."""

    def work(session: Session) -> list[str]:
        rows = [find(session, tournament)] if tournament else list(session.exec(select_rows(Tournament)))
        return [f"{row.name}: {sentence}" for row in rows for sentence in differences(session, row)]

    return store.fetch(work, patience=60.0)


def _queue(session: Session) -> dict[str, int]:
    fixtures, submissions = table(Fixture), table(Submission)
    counts = dict.fromkeys((f"fixtures_{state}" for state in LIVE), 0)
    live = select(fixtures.c.state, func.count()).where(fixtures.c.state.in_(LIVE)).group_by(fixtures.c.state)
    counts |= {f"fixtures_{state}": int(count) for state, count in session.execute(live)}
    for state in (SubmissionState.WAITING, SubmissionState.RUNNING):
        query = select(func.count()).where(submissions.c.state == state)
        counts[f"submissions_{state}"] = int(session.execute(query).scalar_one())
    return counts


def _amiss(
    session: Session,
    services: list[Service],
    machines: list[Machine],
    slots: dict[str, int],
    queue: dict[str, int],
    at: datetime,
) -> list[str]:
    """What is dead, stuck or missing now, by what has been heard of it."""
    return [
        *_silent(services, at),
        *_troubled(services, at),
        *_stepped_back(machines, at),
        *_missing(session, services, slots, queue, at),
        *_stuck(session, at, slots),
    ]


def _silent(services: list[Service], at: datetime) -> list[str]:
    return [
        f"{row.kind} {row.name} (pid {row.pid} on {row.machine}) has been silent for {_ago(row.heartbeat_at, at)}: "
        "it is dead or stuck; restart it"
        for row in services
        if row.state != "stopped" and row.heartbeat_at < at - timedelta(seconds=SILENT_SECONDS)
    ]


def _troubled(services: list[Service], at: datetime) -> list[str]:
    return [
        f"{row.kind} {row.name} is alive and can do nothing: {row.reason}"
        for row in services
        if row.reason and row.state != "stopped" and row.heartbeat_at >= at - timedelta(seconds=SILENT_SECONDS)
    ]


def _stepped_back(machines: list[Machine], at: datetime) -> list[str]:
    return [
        f"machine {row.name} stepped back {_ago(row.progress_at, at)} ago: {row.reason}"
        for row in machines
        if row.state == MachineState.STEPPED_BACK
    ]


def _missing(
    session: Session, services: list[Service], slots: dict[str, int], queue: dict[str, int], at: datetime
) -> list[str]:
    alive = {
        row.kind
        for row in services
        if row.state != "stopped" and row.heartbeat_at >= at - timedelta(seconds=SILENT_SECONDS)
    }
    running = table(Tournament)
    playing = session.execute(
        select(func.count()).where(running.c.state == TournamentState.RUNNING, running.c.progress_at < _before(at))
    ).scalar_one()
    problems = []
    if playing and "conductor" not in alive:
        problems.append("no conductor is alive, so nothing is handed out: start one (`ninefold up`)")
    if playing and not slots:
        problems.append("no worker can play: start one (`ninefold up`) or see why its machine stepped back")
    if queue["submissions_waiting"] and "builder" not in alive:
        problems.append(
            f"{counted(queue['submissions_waiting'], 'submission')} waiting and no builder is alive: start one"
        )
    return problems


def _stuck(session: Session, at: datetime, slots: dict[str, int]) -> list[str]:
    fixtures, tournaments = table(Fixture), table(Tournament)
    problems = []
    stale = session.execute(
        select(fixtures.c.lease_owner, fixtures.c.block, fixtures.c.seating, tournaments.c.name, fixtures.c.progress_at)
        .join(tournaments, tournaments.c.id == fixtures.c.tournament_id)
        .where(fixtures.c.state == FixtureState.RUNNING, fixtures.c.progress_at < _before(at))
        .order_by(fixtures.c.id)
        .limit(20)
    )
    for worker, block, seating, name, seen in stale:
        problems.append(f"fixture {name}/{block}/{seating} on worker {worker} has not moved for {_ago(seen, at)}")
    busy = session.execute(select(func.count()).where(fixtures.c.state == FixtureState.RUNNING)).scalar_one()
    waiting = session.execute(
        select(func.count(), func.min(fixtures.c.progress_at))
        .join(tournaments, tournaments.c.id == fixtures.c.tournament_id)
        .where(
            fixtures.c.state.in_((FixtureState.PLANNED, FixtureState.QUEUED)),
            tournaments.c.state == TournamentState.RUNNING,
            tournaments.c.progress_at < _before(at),
        )
    ).one()
    started = session.execute(
        select(func.max(table(Service).c.started_at)).where(table(Service).c.kind.in_(("worker", "conductor")))
    ).scalar_one()
    just_started = started is not None and started > _before(at)  # nothing has been handed out yet, and will be
    if waiting[0] and slots and not busy and not just_started:
        problems.append(
            f"{counted(waiting[0], 'fixture')} waiting and no worker takes any, "
            f"though {sum(slots.values())} could be played: "
            "the broker or the conductor is stuck"
        )
    submissions = table(Submission)
    for key, owner, stage, seen in session.execute(
        select(submissions.c.id, submissions.c.lease_owner, submissions.c.stage, submissions.c.progress_at).where(
            submissions.c.state == SubmissionState.RUNNING, submissions.c.lease_expires_at < at
        )
    ):
        problems.append(f"submission {key} at {stage} on {owner} has not moved for {_ago(seen, at)}")
    return problems


def _parked(session: Session) -> list[str]:
    fixtures = table(Fixture)
    parked = session.execute(select(func.count()).where(fixtures.c.state == FixtureState.PARKED)).scalar_one()
    fix = "`ninefold tournament retry FIXTURE` or `drop FIXTURE`"
    return [f"{counted(parked, 'fixture')} parked: {fix}"] if parked else []


def _unkept(kept: dict[str, Any]) -> list[str]:
    trouble = kept.get("last", {}).get("trouble")
    return [f"retention cannot remove what is kept no longer: {trouble}"] if trouble else []


def _sizes(kept: dict[str, Any]) -> dict[str, Any]:
    last = kept.get("last", {})
    return {"blobs": last.get("blobs_kept"), "blob_bytes": last.get("blob_bytes"), "blobs_at": last.get("at")}


def _database_bytes(session: Session) -> int:
    if not store_of(session).sqlite:
        return int(session.execute(select(func.pg_database_size(func.current_database()))).scalar_one())
    pages, size = (session.execute(text(f"PRAGMA {what}")).scalar_one() for what in ("page_count", "page_size"))
    return int(pages) * int(size)


def _before(at: datetime) -> datetime:
    return at - timedelta(seconds=STUCK_SECONDS)


def _ago(moment: datetime, at: datetime) -> str:
    return f"{max((at - moment).total_seconds(), 0):.0f} s"


def _service(row: Service, at: datetime) -> dict[str, Any]:
    silent = row.state != "stopped" and row.heartbeat_at < at - timedelta(seconds=SILENT_SECONDS)
    return {
        "name": row.name,
        "kind": row.kind,
        "machine": row.machine,
        "pid": row.pid,
        "slots": row.slots,
        "state": "silent" if silent else row.state,
        "stage": row.stage,
        "reason": row.reason,
        "started_at": row.started_at,
        "progress_at": row.progress_at,
        "heartbeat_at": row.heartbeat_at,
        "details": row.details,
    }


def _machine(row: Machine, at: datetime, slots: dict[str, int]) -> dict[str, Any]:
    return {
        "name": row.name,
        "state": row.state,
        "stage": row.stage,
        "reason": row.reason,
        "progress_at": row.progress_at,
        "heartbeat_at": row.heartbeat_at,
        "referee": row.referee,
        "speed": row.speed,
        "slots": slots.get(row.name, 0),
        "probe": row.probe,
    }
