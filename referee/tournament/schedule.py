"""Who plays whom, at which seat, in which order: a tournament as a numbered sequence of blocks, made as it is needed.

A schedule is a pure function of its arguments: two processes that build it see the same blocks under the same
numbers, and any block can be had without those before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

from referee.errors import UsageError
from referee.tournament.pairs import Pair, Pairs
from referee.wording import counted

if TYPE_CHECKING:
    from referee.tournament.tables import Tables

DEFAULT_MAX_SETS = 1_600
"""Above so many sets of bots, tables of three and more get a balanced choice of sets."""


@dataclass(frozen=True, slots=True)
class Block:
    """The fixtures that play the same deals.

    `number` counts from 1 and is the `<b>` of the seed path; `entries` are those at the table, in the cyclic order in
    which each sits to the left of the one before; `seatings[r][s]` is the entry at seat s in seating r. In a block
    every entry takes every seat once (with teams: every team's seats).
    """

    number: int
    entries: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]


class Schedule:
    """A round robin of `entries` bots (numbered from 0) at tables of `table_size`, each set of bots `blocks` times.

    It runs in passes: each pass deals one block to every set of bots, so pass p ends with block p * `blocks_per_pass`.
    `sides` is the number of teams, None for none: an entry then plays all seats s with the same s mod sides.
    `owners`, by entry, keeps two entries of one owner off one table. For tables of three and more, `max_sets` limits
    the number of different sets; a field that has more gets a balanced choice of at most so many. Raises `UsageError`
    if no such tournament exists.
    """

    def __init__(
        self,
        entries: int,
        table_size: int,
        blocks: int,
        *,
        sides: int | None = None,
        owners: Sequence[str] | None = None,
        max_sets: int | None = None,
    ) -> None:
        _check(entries, table_size, blocks, sides, owners, max_sets)
        self.entries, self.table_size, self.blocks = entries, table_size, blocks
        self.sides = sides or table_size
        self.owners = tuple(owners) if owners is not None and len(set(owners)) < entries else None
        self.max_sets = max_sets if max_sets is not None else max(DEFAULT_MAX_SETS, entries)
        self._pairs = Pairs(entries, self.owners) if self.sides == 2 else None
        self._tables = (
            _tables(entries, self.sides, blocks, self._authors(), self.max_sets) if self._pairs is None else None
        )

    @property
    def blocks_per_pass(self) -> int:
        """Blocks in one pass: one for each set of bots that meets."""
        return self._pairs.count if self._pairs is not None else self._known_tables.count

    @property
    def total_blocks(self) -> int:
        """Blocks in the whole tournament; their numbers are 1 to this."""
        return self.blocks_per_pass * self.blocks

    @property
    def fixtures_per_block(self) -> int:
        """Seatings in each block: one for each side of the table."""
        return self.sides

    @property
    def total_fixtures(self) -> int:
        """Fixtures in the whole tournament."""
        return self.total_blocks * self.sides

    @property
    def complete(self) -> bool:
        """Whether every set of bots that may meet does; False where a balanced choice stands for them."""
        return self._pairs is not None or self._known_tables.complete

    def block(self, number: int) -> Block:
        """Block `number`, from 1 to `total_blocks`; raises `IndexError` outside."""
        if not 1 <= number <= self.total_blocks:
            raise IndexError(f"block {number} is not one of 1 to {self.total_blocks}")
        turn, index = divmod(number - 1, self.blocks_per_pass)
        order = self._pairs[index] if self._pairs is not None else self._known_tables.order(turn, index)
        return Block(number, order, self._seatings(order))

    def pass_of(self, number: int) -> int:
        """The pass, from 1, in which block `number` is dealt."""
        return (number - 1) // self.blocks_per_pass + 1

    def iter(
        self, start: int = 1, *, withdrawn: Collection[int] = (), only: Collection[Pair] | None = None
    ) -> Iterator[Block]:
        """The blocks from number `start` on, in order of play, without those of `withdrawn` entries.

        With `only` (pairs of entries in either order), blocks at whose table none of these pairs meets are left out:
        so a tournament that plays until its bots are separated goes on. What is left out leaves a gap in the numbers,
        so a block keeps its number, and with it its deals, whatever happens to others.
        """
        out = frozenset(withdrawn)
        wanted = None if only is None else {frozenset(pair) for pair in only}
        for number in range(start, self.total_blocks + 1):
            block = self.block(number)
            if not out.isdisjoint(block.entries):
                continue
            if wanted is not None:
                here = frozenset(block.entries)
                if not (here in wanted if len(here) == 2 else any(pair <= here for pair in wanted)):
                    continue
            yield block

    def _authors(self) -> tuple[int, ...] | None:
        """Owners as numbers in order of appearance: their names must not sway the choice of sets."""
        numbers: dict[str, int] = {}
        return None if self.owners is None else tuple(numbers.setdefault(o, len(numbers)) for o in self.owners)

    def _seatings(self, order: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        sides = self.sides
        return tuple(tuple(order[(seat + turn) % sides] for seat in range(self.table_size)) for turn in range(sides))

    @property
    def _known_tables(self) -> Tables:
        assert self._tables is not None
        return self._tables


@lru_cache(maxsize=16)
def _tables(entries: int, size: int, blocks: int, owners: tuple[int, ...] | None, max_sets: int) -> Tables:
    """The tables of a schedule, kept: some take seconds of searching, and every call for a block asks for them."""
    from referee.tournament.tables import Tables  # numpy: not for who only plays pairs

    return Tables(entries, size, blocks, owners, max_sets)


def _check(
    entries: int, table_size: int, blocks: int, sides: int | None, owners: Sequence[str] | None, max_sets: int | None
) -> None:
    if not 2 <= table_size <= 6:
        raise UsageError(f"a table cannot have {table_size} seats; choose 2 to 6")
    if sides is not None and (sides < 2 or table_size % sides):
        raise UsageError(f"{table_size} seats cannot be split into {sides} equal teams; choose a divisor from 2 up")
    if blocks < 1:
        raise UsageError(f"{blocks} blocks cannot be played; choose 1 or more")
    needed = sides or table_size
    if entries < needed:
        raise UsageError(
            f"a table of {needed} {'teams' if sides else 'seats'} needs at least {needed} bots, "
            f"but {entries} {'is' if entries == 1 else 'are'} entered; enter {needed - entries} more"
        )
    if owners is not None:
        if len(owners) != entries:
            raise UsageError(f"{len(owners)} owners were given for {entries} entries; give one for each")
        if len(set(owners)) < needed:
            raise UsageError(
                f"a table of {needed} without two bots of one author needs {needed} authors, but the {entries} bots "
                f"have {len(set(owners))}; enter bots of others, or create the tournament with --same-author free"
            )
    fewest = min(entries, comb(entries, needed))
    if max_sets is not None and needed > 2 and max_sets < fewest:
        raise UsageError(f"{counted(max_sets, 'set')} cannot treat {entries} bots alike; allow at least {fewest}")
