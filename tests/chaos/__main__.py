"""`python -m tests.chaos --kills 200 --seed N`: a league among kills comes to exactly what it comes to without them.

    --database sqlite|postgres   --broker embedded|redis   --sandbox docker|shipped
    --engine private|machine     a Docker engine of its own, killed like the rest (needs root), or the one that is there

Prints the kills by what was killed and in which phase of a fixture; exit 1 with every difference.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.chaos.league import Kind, private_engine_possible
from tests.chaos.run import run


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="postgres")
    parser.add_argument("--broker", choices=("embedded", "redis"), default="redis")
    parser.add_argument("--sandbox", choices=("docker", "shipped"), default="docker")
    parser.add_argument("--engine", choices=("private", "machine"), default=None)
    parser.add_argument("--only", default="", help="a part, such as engine: nothing else is harmed")
    parser.add_argument("--logs", type=Path, help="folder for the logs of all parts")
    arguments = parser.parse_args()
    engine = arguments.engine or ("private" if arguments.sandbox == "docker" and private_engine_possible() else "machine")
    kind = Kind(arguments.database, arguments.broker, arguments.sandbox, engine)
    print(f"{kind}, {arguments.kills} kills, seed {arguments.seed}", flush=True)
    report = run(
        arguments.kills, arguments.seed, kind, say=lambda line: print(line, flush=True), only=arguments.only, logs=arguments.logs
    )
    print(report.table())
    print(f"void attempts: {dict(report.voids)}")
    for line in report.noted:
        print(f"restarted: {line}")
    print(f"{report.tournaments} tournaments, {report.matches} matches, {report.seconds:.0f} s")
    for problem in report.problems:
        print(f"PROBLEM {problem}")
    print("differs" if report.problems else "identical to a run without faults, nothing left over")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
