"""Prints how even the schedules are for 2 to 40 bots at tables of 2 to 6: `python tests/bench/schedules.py [blocks]`."""

from __future__ import annotations

import sys

from referee.tournament.balance import balance_report
from referee.tournament.schedule import Schedule


def row(entries: int, size: int, blocks: int) -> str:
    schedule = Schedule(entries, size, blocks)
    report = balance_report(schedule)
    plays = [0] * entries
    uneven = 0
    for number in range(1, min(schedule.total_blocks, 3 * schedule.blocks_per_pass) + 1):
        for entry in schedule.block(number).entries:
            plays[entry] += 1
        uneven = max(uneven, max(plays) - min(plays))
    kind = "all" if report.complete else "choice"
    counts = [report.played, report.pairs, report.seats, report.left]
    return f"{size} {entries} {report.sets} {kind} {' '.join(str(c.difference) for c in counts)} {uneven}"


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    print("# greatest difference in blocks of a bot, meetings of a pair, turns at a seat, turns to another's left, and")
    print(f"# in blocks of a bot at any moment of play; {blocks} blocks a set; made by tests/bench/schedules.py")
    print("# size bots sets kind played pairs seats left meanwhile")
    for size in range(2, 7):
        for entries in range(size, 41):
            print(row(entries, size, blocks), flush=True)


if __name__ == "__main__":
    main()
