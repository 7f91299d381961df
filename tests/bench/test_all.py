"""What the collection of figures promises: no ratio without its floor, and a page that needs nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.bench.all import FIGURES, Unmeasured, judged, page

WORKERS = {
    "matches_a_minute": 600.0, "matches_a_minute_one_a_fixture": 110.0, "matches_a_minute_kept_processes": 900.0,
    "many_to_one": 5.45, "to_kept_processes": 0.667, "platform_share": 0.4, "cpu_s_per_1000_matches": {"bots": 40.0, "matches": 60.0},
    "mib_referee_and_worker": 180.0, "mib_a_running_fixture": 4.5,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "at": "2026-01-02 03:04",
    "machine": {"cores": 2, "processor": "a <processor>", "system": "Linux", "python": "3.11", "load_before": 0.1},
    "parts": {
        "engine": {f"nines_strict_{n}": {"ours": 1.0, "floor": 2.0, "ratio": 2.0} for n in (2, 4)},
        "decision": {"decision_us": 300, "raw_socket_us": 40, "grpc_stream_us": 200, "decision_to_raw": 7.5, "decision_to_grpc": 1.5},
        "start": {"start_ms": 240, "docker_run_ms": 300, "start_to_docker_run": 0.8, "clock_reading_us": 2},
        "tournament": {"1": WORKERS, "2": WORKERS},
    },
}


def test_every_figure_is_judged_by_its_aim() -> None:
    found = {figure.name: figure.reached(value) for figure, value in judged(DOCUMENT)}
    assert len(found) == len(FIGURES)
    assert [name for name, reached in found.items() if not reached] == [
        "a decision beside a bare gRPC echo",
        "platform's share of processor time",
    ]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_ratio_without_its_floor_is_refused(figure: Any) -> None:
    for path in (figure.ratio, *figure.of):
        document = copy.deepcopy(DOCUMENT)
        *way, last = path.split(".")
        place = document["parts"][figure.part]
        for key in way:
            place = place[key]
        del place[last]
        with pytest.raises(Unmeasured, match="was not measured in this run"):
            list(judged(document))


def test_the_page_stands_alone() -> None:
    text = page(DOCUMENT)
    assert text.count("<svg") == 3
    assert "a &lt;processor&gt;" in text
    assert "src=" not in text
    assert "<script" not in text
    for figure in FIGURES:
        assert figure.name in text
