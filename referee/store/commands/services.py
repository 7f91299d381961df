"""Heartbeats, machines that step back and come back, and jobs that one program at a time does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, delete, select

from referee.store.commands.transaction import audit
from referee.store.engine import Store, now
from referee.store.models import Lease, Machine, Request, Service
from referee.store.states import MachineState
from referee.wording import counted

STEP_BACK_FAILURES = 3
"""Voids in a row, of two fixtures or more, after which a machine steps back."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What a program says of itself. `slots`: fixtures it plays at once; `progress`: whether it got anything done."""

    name: str
    kind: str
    machine: str
    pid: int
    slots: int = 0
    state: str = "running"
    stage: str = ""
    reason: str = ""
    referee: str = ""
    progress: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)


def beat(store: Store, beat: Beat, *, patience: float = 5.0) -> str:
    """The program is known to be alive now; the state of its machine (`ready` or `stepped_back`)."""

    def work(session: Session) -> str:
        at = now(session)
        service = session.get(Service, beat.name, with_for_update=True)
        if service is None:
            service = Service(
                name=beat.name,
                kind=beat.kind,
                machine=beat.machine,
                state=beat.state,
                started_at=at,
                progress_at=at,
                heartbeat_at=at,
            )
        if service.pid != beat.pid:
            service.started_at = at
        service.kind, service.machine, service.pid, service.slots = beat.kind, beat.machine, beat.pid, beat.slots
        service.state, service.stage, service.reason = beat.state, beat.stage, beat.reason
        service.heartbeat_at, service.stopped_at = at, None
        service.details = dict(beat.details)
        if beat.progress:
            service.progress_at = at
        session.add(service)
        if beat.kind != "worker":
            return MachineState.READY
        machine = _machine(session, beat.machine)
        machine.heartbeat_at = at
        machine.referee = beat.referee or machine.referee
        session.add(machine)
        return machine.state

    return store.write(work, patience=patience)


def stopped(store: Store, name: str, *, reason: str) -> None:
    """The program has ended by itself and is not missed."""

    def work(session: Session) -> None:
        service = session.get(Service, name)
        if service is not None:
            at = now(session)
            service.state, service.stage, service.reason = "stopped", "ended", reason
            service.stopped_at = service.progress_at = at
            session.add(service)

    store.write(work)


def record_probe(
    store: Store, machine: str, *, ok: bool, reason: str = "", probe: Mapping[str, Any] | None = None
) -> None:
    """The machine's latest sandbox probe is known: with a clean one it plays (again), otherwise it steps back."""

    def work(session: Session) -> None:
        row = _machine(session, machine)
        row.probe = dict(probe or {})
        state = MachineState.READY if ok else MachineState.STEPPED_BACK
        if state != row.state:
            audit(session, machine, "machine ready" if ok else "machine step back", machine, reason)
        row.state, row.stage, row.reason = state, "playing" if ok else "waiting for a clean probe", "" if ok else reason
        if ok:
            row.failures = []
        row.progress_at = now(session)
        session.add(row)

    store.write(work)


def note_failure(session: Session, machine: str, fixture: int, cause: str, reason: str) -> None:
    """One more fixture failed on the machine; too many in a row, or a missing guarantee, and it steps back."""
    row = _machine(session, machine)
    failures = [*row.failures, fixture][-STEP_BACK_FAILURES:]
    row.failures = failures
    often = len(failures) >= STEP_BACK_FAILURES and len(set(failures)) > 1
    if row.state == MachineState.READY and (often or cause == "guarantee"):
        why = (
            f"{cause}: {reason}"
            if cause == "guarantee"
            else f"{len(failures)} fixtures in a row failed, last by {cause}: {reason}"
        )
        row.state, row.stage, row.reason = MachineState.STEPPED_BACK, "waiting for a clean probe", why
        row.progress_at = now(session)
        audit(session, machine, "machine step back", machine, why)
    session.add(row)


def note_success(session: Session, machine: str, speed: float) -> None:
    """A fixture was played on the machine; earlier failures there are forgotten."""
    row = _machine(session, machine)
    if row.failures or row.speed != speed:
        row.failures, row.speed = [], speed
        session.add(row)


def hold_lease(store: Store, name: str, owner: str, *, seconds: float) -> datetime | None:
    """Since when `owner` has held the job without a gap; None if another holds it."""

    def work(session: Session) -> datetime | None:
        at = now(session)
        lease = session.get(Lease, name, with_for_update=True)
        if lease is None:
            lease = Lease(name=name, owner=owner, since=at, expires_at=at)
        elif lease.owner != owner and lease.expires_at > at:
            return None
        if lease.owner != owner or lease.expires_at < at:
            lease.owner, lease.since = owner, at
        lease.expires_at = at + timedelta(seconds=seconds)
        session.add(lease)
        return lease.since

    return store.write(work)


def release_lease(store: Store, name: str, owner: str) -> None:
    """Another may take the job at once."""

    def work(session: Session) -> None:
        lease = session.get(Lease, name, with_for_update=True)
        if lease is not None and lease.owner == owner:
            lease.expires_at = now(session)
            session.add(lease)

    store.write(work)


def forget_silent(store: Store, *, days: float = 1.0, stopped_days: float = 30.0) -> None:
    """Programs silent for so long are missed no longer: their machine was taken away. Those that ended long ago are
    forgotten."""

    def work(session: Session) -> None:
        at = now(session)
        gone = col(Service.heartbeat_at) < at - timedelta(days=days)
        for service in session.exec(select(Service).where(Service.state != "stopped", gone).with_for_update()):
            service.state, service.stage, service.reason = "stopped", "ended", f"silent for {counted(days, 'day')}"
            service.stopped_at = at
            session.add(service)
        long_ago = col(Service.stopped_at) < at - timedelta(days=stopped_days)
        session.exec(delete(Service).where(col(Service.state) == "stopped", long_ago))

    store.write(work)


def forget_requests(store: Store, *, days: float = 30.0) -> None:
    """Ids of commands older than that are forgotten: nobody sends those again."""

    def work(session: Session) -> None:
        session.exec(delete(Request).where(col(Request.at) < now(session) - timedelta(days=days)))

    store.write(work)


def _machine(session: Session, name: str) -> Machine:
    row = session.get(Machine, name, with_for_update=True, populate_existing=True)
    if row is None:
        at = now(session)
        row = Machine(name=name, state=MachineState.READY, progress_at=at, heartbeat_at=at)
        session.add(row)
        session.flush()
    return row
