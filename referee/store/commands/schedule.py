"""Laying out a schedule a little ahead of play, and handing fixtures to machines through a small window.

Nothing here depends on how long a schedule is: only fixtures that have not ended are looked at, and these are few.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from referee.match.fixture import PARKING_CAUSES
from referee.store.commands.endings import end_unplayed, settle
from referee.store.commands.transaction import lock_tournament
from referee.store.engine import Store, now
from referee.store.models import Block, Entry, Fixture, Machine, Service, Tournament, VoidRecord
from referee.store.rows import key_of, table
from referee.store.states import PENDING, EntryState, FixtureState, MachineState, TournamentState

SILENT_SECONDS = 30.0
"""A program without a heartbeat for so long is not counted on."""
RESEND_SECONDS = 10.0
"""A queued fixture that no idle worker picked up for so long is sent again: its message must have been lost."""


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """One block to lay out: `seatings[r][s]` is the number of the entry at seat s in seating r + 1."""

    number: int
    seatings: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A hint for the queue of `machine`: this fixture waits there."""

    fixture_id: str
    machine: str


@dataclass(frozen=True, slots=True)
class Shortage:
    """A running tournament whose window has room: its schedule is laid out up to block `planned_blocks`."""

    tournament_id: int
    tournament: str
    planned_blocks: int
    planned_fixtures: int
    waiting: int
    """Blocks of which a fixture waits."""
    live: int
    """Fixtures that have not ended."""


def shortages(session: Session, target: int) -> list[Shortage]:
    """The running tournaments with fewer than `target` blocks waiting, the emptiest first."""
    tournaments, fixtures = table(Tournament), table(Fixture)
    rows = session.execute(
        select(tournaments.c.id, tournaments.c.name, tournaments.c.planned_blocks, tournaments.c.planned_fixtures)
        .where(tournaments.c.state == TournamentState.RUNNING, tournaments.c.schedule_done.is_(False))
        .order_by(tournaments.c.id)
    ).all()
    live: Counter[int] = Counter()
    waiting: defaultdict[int, set[int]] = defaultdict(set)
    if rows:
        counts = select(fixtures.c.tournament_id, fixtures.c.block_id, fixtures.c.state, func.count()).where(
            fixtures.c.state.in_(("planned", "queued", "running", "parked")),
            fixtures.c.tournament_id.in_([row[0] for row in rows]),
        )
        each = (fixtures.c.tournament_id, fixtures.c.block_id, fixtures.c.state)
        for tournament, block, state, count in session.execute(counts.group_by(*each)):
            live[tournament] += count
            if state in PENDING:
                waiting[tournament].add(block)
    found = [Shortage(row[0], row[1], row[2], row[3], len(waiting[row[0]]), live[row[0]]) for row in rows]
    return sorted((short for short in found if short.waiting < target), key=lambda short: short.waiting)


def plan_blocks(
    store: Store,
    tournament_id: int,
    *,
    seen: int,
    upto: int,
    blocks: Sequence[PlannedBlock],
    last: bool,
    total_fixtures: int | None = None,
) -> int:
    """The schedule is laid out up to block `upto`; how many fixtures that made.

    `seen` is how far it was when `blocks` were chosen: if another conductor was faster, nothing happens. With `last`
    nothing comes after. Fixtures of withdrawn entries are cancelled at once, so that every one asked for ends.
    """

    def work(session: Session) -> int:
        row = lock_tournament(session, tournament_id)
        if row.state != TournamentState.RUNNING or row.planned_blocks != seen or row.schedule_done:
            return 0
        entries = {
            entry.number: entry
            for entry in session.exec(select_rows(Entry).where(Entry.tournament_id == tournament_id))
        }
        at = now(session)
        made = 0
        if total_fixtures is not None:
            row.total_fixtures = total_fixtures
        for block in blocks:
            new = Block(
                tournament_id=tournament_id,
                number=block.number,
                fixtures=len(block.seatings),
                open_fixtures=len(block.seatings),
            )
            session.add(new)
            session.flush()
            for seating, numbers in enumerate(block.seatings, start=1):
                seated = [entries[number] for number in numbers]
                fixture = Fixture(
                    tournament_id=tournament_id,
                    block_id=key_of(new),
                    block=block.number,
                    seating=seating,
                    entries=[key_of(entry) for entry in seated],
                    state=FixtureState.PLANNED,
                    stage="waiting",
                    progress_at=at,
                    created_at=at,
                )
                session.add(fixture)
                gone = [entry.bot for entry in seated if entry.state == EntryState.WITHDRAWN]
                if gone:
                    why = f"{gone[0]} was withdrawn"
                    end_unplayed(session, row, fixture, state=FixtureState.CANCELLED, cause="withdrawn", reason=why)
            made += len(block.seatings)
        row.planned_blocks = upto
        row.planned_fixtures += made
        if last:  # a tournament that plays until its bots are separated knows only now how long it was
            row.total_fixtures = row.planned_fixtures
        row.schedule_done = last
        if made:
            row.progress_at = at
        session.add(row)
        settle(session, row)
        return made

    return store.write(work)


def dispatch(
    store: Store,
    *,
    window: int,
    silent_seconds: float = SILENT_SECONDS,
    resend_seconds: float = RESEND_SECONDS,
) -> list[Message]:
    """Every machine that can play has up to `window` fixtures a slot queued; the messages to send for them.

    Of a block one fixture at a time is queued or in play: all of them are the same deals, and two containers of one bot
    that run at once could tell each other what they see, by the load they put on the machine if by nothing else.
    Fixtures of a block go to one machine while it lives, and not back to a machine on which they failed while there is
    another. What was queued for a machine that fell silent or stepped back goes to others. A fixture that an idle
    machine did not pick up is sent again.
    """

    def work(session: Session) -> list[Message]:
        at = now(session)
        slots = playing_slots(session, silent_seconds)
        fixtures, tournaments, blocks = table(Fixture), table(Tournament), table(Block)
        playing = session.execute(
            select(fixtures.c.machine, fixtures.c.block_id).where(fixtures.c.state == FixtureState.RUNNING)
        ).all()
        running, busy = Counter(row.machine for row in playing), {row.block_id for row in playing}
        waiting = session.execute(
            select(
                fixtures.c.id, fixtures.c.state, fixtures.c.machine, fixtures.c.queued_at, fixtures.c.block,
                fixtures.c.seating, fixtures.c.voids, fixtures.c.block_id, tournaments.c.name,
                blocks.c.machine.label("block_machine"),
            )
            .join(tournaments, tournaments.c.id == fixtures.c.tournament_id)
            .join(blocks, blocks.c.id == fixtures.c.block_id)
            .where(
                fixtures.c.state.in_(PENDING),
                tournaments.c.state == TournamentState.RUNNING,
                or_(fixtures.c.not_before.is_(None), fixtures.c.not_before <= at),
            )
            .order_by(fixtures.c.id)
            .with_for_update(of=fixtures, skip_locked=True)
        ).all()  # fmt: skip
        messages, room, idle = [], Counter[str](), Counter[str]()
        for name, count in slots.items():
            room[name] = window * count
            idle[name] = count - running[name]
        planned, late = [], []
        for row in waiting:
            if row.state == FixtureState.PLANNED or row.machine not in slots:
                planned.append(row)
                continue
            room[row.machine] -= 1
            busy.add(row.block_id)
            if row.queued_at < at - timedelta(seconds=resend_seconds):
                late.append(row)
            else:
                idle[row.machine] -= 1  # a message for it is on its way
        for row in late:
            if idle[row.machine] > 0:
                idle[row.machine] -= 1
                _queue(session, row.id, row.machine, at)
                messages.append(Message(_name(row), row.machine))
        failed = _failures(session, [row.id for row in planned if row.voids])
        for row in planned:
            home = row.block_machine
            machine = _choose(row.id, home, room, slots, failed)
            if machine is None or row.block_id in busy:
                if row.state == FixtureState.QUEUED:
                    _unqueue(session, row.id)
                continue
            if machine != home:
                session.execute(blocks.update().where(blocks.c.id == row.block_id).values(machine=machine))
            busy.add(row.block_id)
            room[machine] -= 1
            _queue(session, row.id, machine, at)
            messages.append(Message(_name(row), machine))
        return messages

    return store.write(work)


def playing_slots(session: Session, silent_seconds: float = SILENT_SECONDS) -> dict[str, int]:
    """How many fixtures each machine can play at once: live workers on machines that have not stepped back."""
    services, machines = table(Service), table(Machine)
    query = (
        select(services.c.machine, func.sum(services.c.slots))
        .join(machines, machines.c.name == services.c.machine)
        .where(
            services.c.kind == "worker",
            services.c.state == "running",
            services.c.heartbeat_at > now(session) - timedelta(seconds=silent_seconds),
            machines.c.state == MachineState.READY,
        )
        .group_by(services.c.machine)
        .order_by(services.c.machine)
    )
    return {machine: int(count) for machine, count in session.execute(query) if count}


def _choose(
    fixture: int, home: str, room: Counter[str], slots: Mapping[str, int], failed: Mapping[int, set[str]]
) -> str | None:
    bad = failed.get(fixture, set())
    good = [machine for machine in slots if machine not in bad] or list(slots)
    if home in good:
        return home if room[home] > 0 else None
    free = [machine for machine in good if room[machine] > 0]
    return max(free, key=lambda machine: (room[machine], machine)) if free else None


def _failures(session: Session, fixtures: Sequence[int]) -> dict[int, set[str]]:
    """The machines on which each of these fixtures failed by the machine's fault."""
    if not fixtures:
        return {}
    voids = table(VoidRecord)
    found: dict[int, set[str]] = {}
    for fixture, machine in session.execute(
        select(voids.c.fixture_id, voids.c.machine).where(
            voids.c.fixture_id.in_(fixtures), voids.c.cause.in_((*PARKING_CAUSES, "guarantee"))
        )
    ):
        found.setdefault(fixture, set()).add(machine)
    return found


def _queue(session: Session, fixture: int, machine: str, at: datetime) -> None:
    rows = table(Fixture)
    session.execute(
        rows.update()
        .where(rows.c.id == fixture, rows.c.state.in_(PENDING))
        .values(state=FixtureState.QUEUED, stage="queued", machine=machine, queued_at=at, progress_at=at)
    )


def _unqueue(session: Session, fixture: int) -> None:
    rows = table(Fixture)
    session.execute(
        rows.update()
        .where(rows.c.id == fixture, rows.c.state == FixtureState.QUEUED)
        .values(state=FixtureState.PLANNED, stage="waiting", machine="", queued_at=None)
    )


def _name(row: Any) -> str:
    return f"{row.name}/{row.block}/{row.seating}"


def unfinished(session: Session, tournament_id: int) -> int:
    """How many fixtures of the tournament are neither final nor parked."""
    query = (
        select_rows(func.count())
        .select_from(Fixture)
        .where(
            Fixture.tournament_id == tournament_id,
            col(Fixture.state).in_((FixtureState.PLANNED, FixtureState.QUEUED, FixtureState.RUNNING)),
        )
    )
    return int(session.exec(query).one())
