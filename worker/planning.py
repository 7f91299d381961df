"""Which blocks of a tournament come next: the schedule, made as it is needed."""

from __future__ import annotations

from dataclasses import dataclass

from referee.store.commands.schedule import PlannedBlock, Shortage
from referee.store.engine import Store
from referee.store.field import Field, field
from referee.tournament.schedule import Schedule

BLOCKS_AT_ONCE = 16
"""At most so many blocks are laid out in one transaction, so that a tick stays short."""


@dataclass(frozen=True, slots=True)
class Next:
    """What `plan_blocks` is to be given."""

    blocks: tuple[PlannedBlock, ...]
    upto: int
    last: bool
    total_fixtures: int


class Planner:
    """Keeps the schedules of running tournaments; a field is frozen at the start, so they never change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, tuple[Field, Schedule]] = {}

    def next(self, shortage: Shortage, target: int) -> Next:
        """The blocks after those already laid out, enough for `target` waiting fixtures."""
        schedule = self._schedule(shortage)
        missing = max(target - shortage.pending, 1)
        count = min(-(-missing // schedule.fixtures_per_block), BLOCKS_AT_ONCE)
        first = shortage.planned_blocks + 1
        upto = min(shortage.planned_blocks + count, schedule.total_blocks)
        blocks = tuple(
            PlannedBlock(block.number, block.seatings) for block in map(schedule.block, range(first, upto + 1))
        )
        last = upto >= schedule.total_blocks
        if last:
            self._known.pop(shortage.tournament_id, None)
        return Next(blocks, upto, last, schedule.total_fixtures)

    def _schedule(self, shortage: Shortage) -> Schedule:
        found = self._known.get(shortage.tournament_id)
        if found is None:
            frozen = field(self._store, shortage.tournament)
            found = self._known[shortage.tournament_id] = frozen, frozen.schedule()
        return found[1]
