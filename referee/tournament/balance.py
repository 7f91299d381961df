"""How even a schedule is, counted block by block, and why it is not evener where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from referee.tournament.schedule import Schedule
from referee.wording import counted


@dataclass(frozen=True, slots=True)
class Evenness:
    """The least and greatest of counts that should be alike; `reason` says why they differ by more than 1, if so."""

    least: int
    most: int
    reason: str = ""

    @property
    def difference(self) -> int:
        """By how much the counts differ."""
        return self.most - self.least


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a whole tournament is; counts are blocks, each of `fixtures_per_block` fixtures.

    `played`: blocks of each entry. `pairs`: blocks in which two entries meet, over all pairs that may. `seats`: blocks
    in which an entry takes a seat, over all seats, as the greatest difference within one entry: a block gives each
    of its entries every seat once. `left`: blocks in which one entry sits to the left of another, over ordered pairs.
    `sets` different sets of bots meet in a pass; `complete` if these are all that may.
    """

    entries: int
    table_size: int
    blocks: int
    sets: int
    complete: bool
    fixtures: int
    played: Evenness
    pairs: Evenness
    seats: Evenness
    left: Evenness

    def __str__(self) -> str:
        kind = "all sets" if self.complete else "a balanced choice of sets"
        lines = [
            f"{counted(self.entries, 'bot')}, tables of {self.table_size}: "
            f"{counted(self.sets, 'block')} a pass ({kind}), "
            f"{counted(self.blocks, 'pass', 'passes')}, {counted(self.fixtures, 'fixture')}"
        ]
        for what, even in (
            ("blocks of a bot", self.played),
            ("meetings of a pair", self.pairs),
            ("turns of a bot at a seat", self.seats),
            ("turns to another's left", self.left),
        ):
            lines.append(f"{what}: {even.least} to {even.most}" + (f" ({even.reason})" if even.reason else ""))
        return "\n".join(lines)


def balance_report(schedule: Schedule) -> Balance:
    """How even the whole schedule is, counted over every block. For pairs a pass is counted, and times its passes."""
    n, k = schedule.entries, schedule.sides
    meets = np.zeros((n, n), dtype=np.int64)
    follows = np.zeros((n, n), dtype=np.int64)
    seats = np.zeros((n, k), dtype=np.int64)
    once = 1 if k > 2 else schedule.blocks  # a pass of pairs is like the next
    for number in range(1, schedule.total_blocks // once + 1):
        block = schedule.block(number)
        order = block.entries
        for a, b in combinations(order, 2):
            meets[a, b] += once
            meets[b, a] += once
        for seat in range(k):
            follows[order[seat - 1], order[seat]] += once
        for seating in block.seatings:
            for seat in range(k):
                seats[seating[seat], seat] += once
    owners = schedule.owners
    may = np.array([[a != b and (owners is None or owners[a] != owners[b]) for b in range(n)] for a in range(n)])
    played = seats.sum(axis=1) // k
    within = seats.max(axis=1) - seats.min(axis=1)
    worst = int(np.argmax(within))
    apart = "bots of one author never meet, so their opponents are fewer" if owners is not None else ""
    return Balance(
        n,
        schedule.table_size,
        schedule.blocks,
        schedule.blocks_per_pass,
        schedule.complete,
        schedule.total_fixtures,
        _even(played, apart),
        _even(meets[may], apart or "no choice of so many sets was found that is evener"),
        Evenness(int(seats[worst].min()), int(seats[worst].max())),
        _even(follows[may], apart or _left_reason(n, k, schedule.blocks)),
    )


def _even(counts: np.ndarray[tuple[int, ...], np.dtype[np.int64]], reason: str) -> Evenness:
    least, most = int(counts.min()), int(counts.max())
    return Evenness(least, most, reason if most - least > 1 else "")


def _left_reason(n: int, k: int, blocks: int) -> str:
    if n == k and (k, blocks % (k - 1)) in {(4, 0), (6, 0)}:
        return f"{k - 1} circles of {k} cannot hold each follower once (Tillson 1980), so 2 is the least"
    return "no arrangement of so many sets was found that is evener"
