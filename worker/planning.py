"""Which blocks of a tournament come next: the schedule, made as it is needed.

A tournament that plays until its bots are separated is decided pass by pass: once every fixture of a pass has ended,
the next pass is dealt to the pairs that are still undecided. What is decided depends on the records of earlier passes
alone, so a conductor that is restarted, or another one, comes to the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, islice

from referee.store.commands.schedule import PlannedBlock, Shortage
from referee.store.engine import Store
from referee.store.field import Field
from referee.store.field import field as field_of
from referee.store.queries.certainty import block_results
from referee.tournament.schedule import Block, Schedule

FIXTURES_AT_ONCE = 32
"""At most so many fixtures, or one block, are laid out in one transaction, so that a tick stays short."""
Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Next:
    """What `plan_blocks` is to be given."""

    blocks: tuple[PlannedBlock, ...]
    upto: int
    last: bool
    total_fixtures: int


@dataclass(slots=True)
class _Known:
    frozen: Field
    schedule: Schedule
    only: dict[int, Pairs] = field(default_factory=dict)
    """By pass: the pairs it is dealt to."""


class Planner:
    """Keeps the schedules of running tournaments; a field is frozen at the start, so they never change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, _Known] = {}

    def next(self, shortage: Shortage, target: int) -> Next | None:
        """The blocks after those already laid out, enough for `target` waiting blocks; None if not known yet."""
        known = self._known.get(shortage.tournament_id)
        if known is None:
            frozen = field_of(self._store, shortage.tournament)
            known = self._known[shortage.tournament_id] = _Known(frozen, frozen.schedule())
        schedule = known.schedule
        missing = max(target - shortage.waiting, 1)
        count = min(missing, max(FIXTURES_AT_ONCE // schedule.fixtures_per_block, 1))
        first = shortage.planned_blocks + 1
        if known.frozen.until_separated is not None:
            return self._until_separated(known, shortage, first, count)
        upto = min(shortage.planned_blocks + count, schedule.total_blocks)
        return self._planned(
            shortage,
            [schedule.block(number) for number in range(first, upto + 1)],
            upto,
            schedule.total_blocks,
            schedule,
        )

    def _until_separated(self, known: _Known, shortage: Shortage, first: int, count: int) -> Next | None:
        """The next blocks of the pass that `first` is in, leaving out pairs that are certain."""
        schedule = known.schedule
        turn = schedule.pass_of(first)
        end = turn * schedule.blocks_per_pass
        if turn <= known.frozen.blocks:
            upto = min(first + count - 1, end)
            blocks = [schedule.block(number) for number in range(first, upto + 1)]
            return self._planned(shortage, blocks, upto, schedule.total_blocks, schedule)
        if turn not in known.only:
            if shortage.live and first == end - schedule.blocks_per_pass + 1:
                return None  # the pass before is still being played
            known.only = {turn: self._undecided(known, turn)}
        only = known.only[turn]
        if not only:
            self._known.pop(shortage.tournament_id, None)
            return Next((), shortage.planned_blocks, True, shortage.planned_fixtures)
        coming = (block for block in schedule.iter(first, only=only) if block.number <= end)
        blocks = list(islice(coming, count + 1))
        upto = end if len(blocks) <= count else blocks[count - 1].number
        return self._planned(shortage, blocks[:count], upto, schedule.total_blocks, schedule)

    def _planned(self, shortage: Shortage, blocks: list[Block], upto: int, end: int, schedule: Schedule) -> Next:
        last = upto >= end
        if last:
            self._known.pop(shortage.tournament_id, None)
        made = tuple(PlannedBlock(block.number, block.seatings) for block in blocks)
        return Next(made, upto, last, schedule.total_fixtures)

    def _undecided(self, known: _Known, turn: int) -> Pairs:
        """The pairs that the results of all passes before `turn` leave open."""
        from referee.tournament import stopping  # numpy and scipy, which few conductors ever need

        schedule, before = known.schedule, (turn - 1) * known.schedule.blocks_per_pass
        results = self._store.fetch(lambda session: block_results(session, known.frozen, before))
        meeting = {
            pair
            for number in range(1, schedule.blocks_per_pass + 1)
            for pair in combinations(sorted(schedule.block(number).entries), 2)
        }
        found = stopping.undecided(stopping.differences(results, schedule), meeting, known.frozen.most_blocks)
        withdrawn = field_of(self._store, known.frozen.tournament).withdrawn
        return frozenset(pair for pair in found if withdrawn.isdisjoint(pair))
