"""Every figure of speed beside its floor, measured in one run on one machine.

    python -m tests.bench.all [--out FOLDER] [--only PART …] [--quick] [--long]

Runs the parts one after another, each of which measures its floors in turns with what stands on them, and writes
`figures.json` and `figures.html` (plots, no network needed) to FOLDER. A ratio whose floor was not measured in this run is
refused. `--quick` takes few repetitions, to see that all parts work; `--long` adds a store of a million matches and the
clocks on a crowded machine. Every part runs alone too: `python -m tests.bench.PART [--json]`.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import altair
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
FORMAT = "ninefold-bench/1"


class Unmeasured(ValueError):
    """A figure or its floor is missing in this run."""


@dataclass(frozen=True, slots=True)
class Part:
    """One program of this folder: its flags, and those of a quick run."""

    name: str
    flags: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    long: bool = False


PARTS = (
    Part("engine", quick=("--repetitions", "3")),
    Part("decision", quick=("--repetitions", "3", "--decisions", "500")),
    Part("start", quick=("--repetitions", "3")),
    Part("tournament", ("--workers", "1", "2", "4", "--fixtures", "10", "--repetitions", "2"), ("--workers", "1", "--fixtures", "4", "--repetitions", "1")),
    Part("clock", ("--fixtures", "50"), ("--fixtures", "1", "--loads", "2"), long=True),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One ratio to reach: where it and what it was made of stand in a part's figures; `least` or `most` is the aim."""

    name: str
    part: str
    ratio: str
    of: tuple[str, ...]
    aim: float
    better: Literal["more", "less"]

    def value(self, figures: dict[str, Any]) -> float:
        """The ratio; `Unmeasured` if it, its floor or what stands on it is not in this run's figures."""
        found = [dig(figures, self.part, path) for path in (self.ratio, *self.of)]
        if missing := [path for path, value in zip((self.ratio, *self.of), found, strict=True) if value is None]:
            raise Unmeasured(f"{self.name}: {', '.join(missing)} of part {self.part!r} was not measured in this run")
        return float(found[0])

    def reached(self, value: float) -> bool:
        return value >= self.aim if self.better == "more" else value <= self.aim


FIGURES = (
    *(
        Figure(
            f"engine: Nines at {n}, plies beside OpenSpiel", "engine", f"nines_strict_{n}.ratio",
            (f"nines_strict_{n}.ours", f"nines_strict_{n}.floor"), 1.8, "more",
        )
        for n in (2, 4)
    ),
    Figure("a decision beside a raw socket", "decision", "decision_to_raw", ("decision_us", "raw_socket_us"), 8, "less"),
    Figure("a decision beside a bare gRPC echo", "decision", "decision_to_grpc", ("decision_us", "grpc_stream_us"), 1.25, "less"),
    Figure("a container's start beside docker run", "start", "start_to_docker_run", ("start_ms", "docker_run_ms"), 1.0, "less"),
    Figure("reading a clock, µs", "start", "clock_reading_us", (), 5, "less"),
    Figure(
        "ten matches a fixture beside one", "tournament", "1.many_to_one",
        ("1.matches_a_minute", "1.matches_a_minute_one_a_fixture"), 5, "more",
    ),
    Figure(
        "tournament beside kept processes", "tournament", "1.to_kept_processes",
        ("1.matches_a_minute", "1.matches_a_minute_kept_processes"), 0.6, "more",
    ),
    Figure("platform's share of processor time", "tournament", "1.platform_share", ("1.cpu_s_per_1000_matches",), 0.35, "less"),
    Figure("referee and worker, MiB", "tournament", "1.mib_referee_and_worker", (), 250, "less"),
    Figure("a running fixture, MiB", "tournament", "1.mib_a_running_fixture", (), 5, "less"),
)  # fmt: skip


def dig(figures: dict[str, Any], part: str, path: str) -> Any:
    """The value at a dotted path of a part's figures; None if there is none."""
    value: Any = figures.get(part)
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def machine() -> dict[str, Any]:
    """What this run took place on."""
    model = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": model or platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


def run(part: Part, quick: bool) -> dict[str, Any]:
    """The part's figures; its progress goes to stderr as it comes."""
    command = [sys.executable, "-m", f"tests.bench.{part.name}", *(part.quick if quick else part.flags), "--json"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Unmeasured(f"part {part.name!r} ended with {done.returncode}; run {' '.join(command[1:])} alone to see why")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def judged(document: dict[str, Any]) -> Iterator[tuple[Figure, float]]:
    """The figures of the parts that were run, each with its ratio."""
    for figure in FIGURES:
        if figure.part in document["parts"]:
            yield figure, figure.value(document["parts"])


def plots(document: dict[str, Any]) -> Iterator[str]:
    """SVG drawings: each figure against its aim, matches a minute by workers, processor time by part."""
    rows = [
        {
            "figure": figure.name,
            "times its aim": value / figure.aim if figure.better == "less" else figure.aim / value,
            "reached": "reached" if figure.reached(value) else "not reached",
        }
        for figure, value in judged(document)
    ]
    colour = altair.Color("reached:N", scale=altair.Scale(domain=["reached", "not reached"], range=["#2a7f62", "#c0392b"]), title=None)
    bars = altair.Chart(altair.Data(values=rows), title="Cost beside what is to be reached (1 and less: reached)").mark_bar()
    yield svg(bars.encode(x="times its aim:Q", y=altair.Y("figure:N", sort=None, title=None, axis=altair.Axis(labelLimit=400)), color=colour))
    tournament = document["parts"].get("tournament", {})
    speeds = [
        {"workers": workers, "matches a minute": figures[key], "how": how}
        for workers, figures in tournament.items()
        for key, how in (
            ("matches_a_minute", "tournament, ten a fixture"),
            ("matches_a_minute_one_a_fixture", "tournament, one a fixture"),
            ("matches_a_minute_kept_processes", "kept processes, no Docker"),
        )
    ]
    if speeds:
        chart = altair.Chart(altair.Data(values=speeds), title="Matches a minute by number of workers").mark_bar()
        yield svg(chart.encode(x="matches a minute:Q", y=altair.Y("how:N", title=None, axis=altair.Axis(labelLimit=300)), row="workers:N", color="how:N"))
    spent = [
        {"workers": workers, "part": part, "seconds per 1,000 matches": seconds}
        for workers, figures in tournament.items()
        for part, seconds in figures["cpu_s_per_1000_matches"].items()
    ]
    if spent:
        chart = altair.Chart(altair.Data(values=spent), title="Processor seconds per 1,000 matches").mark_bar()
        yield svg(chart.encode(x="seconds per 1,000 matches:Q", y=altair.Y("workers:N"), color="part:N"))


def svg(chart: Any) -> str:
    """The drawing as SVG text, made without a browser or network."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(chart.properties(width=560).to_json()))


def page(document: dict[str, Any]) -> str:
    """All figures and plots as one HTML page that needs nothing else."""
    where = document["machine"]
    rows = "".join(
        f"<tr class={'ok' if figure.reached(value) else 'no'}><td>{html.escape(figure.name)}<td>{value:.3g}"
        f"<td>{'≥' if figure.better == 'more' else '≤'} {figure.aim:g}"
        for figure, value in judged(document)
    )
    return (
        "<!doctype html><meta charset=utf-8><title>Ninefold: speed</title>"
        "<style>body{font:16px system-ui;max-width:60rem;margin:2rem auto}td{padding:.2rem 1rem}.no td{color:#c0392b}</style>"
        f"<h1>Ninefold: speed</h1><p>{html.escape(where['processor'])}, {where['cores']} cores, {html.escape(where['system'])}, "
        f"Python {where['python']}, load {where['load_before']:.1f} before; {html.escape(document['at'])}</p>"
        f"<table><tr><th>figure<th>measured<th>to reach{rows}</table>{''.join(plots(document))}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("tests/bench/out"), help="folder for figures.json and figures.html")
    parser.add_argument("--only", nargs="+", choices=[part.name for part in PARTS])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    given = parser.parse_args()
    console = Console(stderr=True)
    document: dict[str, Any] = {
        "format": FORMAT, "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "machine": machine(), "quick": given.quick, "parts": {},
    }  # fmt: skip
    chosen = [part for part in PARTS if (part.name in given.only if given.only else given.long or not part.long)]
    table = Table("figure", "measured", "to reach")
    try:
        for number, part in enumerate(chosen, start=1):
            console.print(f"[{number}/{len(chosen)}] {part.name}")
            document["parts"][part.name] = run(part, given.quick)
        for figure, value in judged(document):
            mark = "green" if figure.reached(value) else "red"
            table.add_row(figure.name, f"[{mark}]{value:.3g}", f"{'≥' if figure.better == 'more' else '≤'} {figure.aim:g}")
    except Unmeasured as missing:
        console.print(f"tests.bench.all: {missing}", style="red")
        return 1
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "figures.json").write_text(json.dumps(document, indent=1) + "\n")
    (given.out / "figures.html").write_text(page(document), encoding="utf-8")
    Console().print(table)
    console.print(f"written to {given.out}/figures.json and figures.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
