"""The shipped bots: exactly what a contestant would submit, and no match is lost by a fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections import Counter

import pytest

from referee.match.fixture import Clock
from tests.botkit.local_seats import ROOT, SAMPLES

MANIFESTS = {name: tomllib.loads((folder / "bot.toml").read_text()) for name, folder in SAMPLES.items()}


def test_every_sample_has_a_name_of_its_own_and_lies_where_its_games_say():
    assert {"random", "greedy", "suit-keeper", "caller", "cautious", "oracle"} <= set(SAMPLES)
    assert max(Counter(manifest["name"] for manifest in MANIFESTS.values()).values()) == 1
    for name, folder in SAMPLES.items():
        games = MANIFESTS[name]["games"]
        assert MANIFESTS[name]["name"] == name == folder.name
        assert folder.parent.name == (games[0] if len(games) == 1 else "both")


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "oracle"])
def test_a_sample_fits_one_screen(name):
    assert len((SAMPLES[name] / "bot.py").read_text().splitlines()) <= 40


TABLES = [  # game, bots, rules
    ("nines", ["random", "greedy"], {}),
    (
        "nines",
        ["suit-keeper", "greedy", "random", "suit-keeper", "greedy", "random"],
        {"decks": 2, "stacking_nines": True, "powers": True},
    ),
    ("nines", ["suit-keeper", "random", "greedy"], {"draw": "until_playable", "no_nine_out": True, "hard_nines": True}),
    ("nine", ["random", "caller"], {}),
    ("nine", ["cautious", "caller", "cautious", "random"], {"teams": 2}),
    ("nine", ["caller", "cautious", "random", "caller", "cautious", "random"], {"overcall": "penalised"}),
]


@pytest.mark.parametrize(("game", "bots", "rules"), TABLES)
def test_samples_play_without_a_fault(house, game, bots, rules):
    played = house.play(*bots, game=game, rules=rules, matches=2)
    assert [seat.cause for match in played.matches for seat in match.seats] == ["completed"] * 2 * len(bots)


def test_the_same_seed_gives_the_same_matches(house):
    once, again = (house.play("random", "suit-keeper", game="nines", matches=2) for _ in range(2))
    assert [m.canonical_sha256 for m in once.matches] == [m.canonical_sha256 for m in again.matches]


@pytest.mark.parametrize(("game", "rival"), [("nines", "greedy"), ("nine", "caller")])
def test_the_oracle_keeps_within_a_short_clock(house, game, rival):
    played = house.play("oracle", rival, game=game, matches=2, clock=Clock(1000, 10))
    assert [seat.cause for match in played.matches for seat in match.seats] == ["completed"] * 4


@pytest.fixture
def crowded():
    """Four busy processes for each processor, niced as little as the bots are."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * len(os.sched_getaffinity(0)))
    ]
    yield
    for process in busy:
        process.kill()
        process.wait()


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game", "rival"), [("nines", "greedy"), ("nine", "caller")])
def test_the_oracle_forfeits_none_of_forty_matches_on_a_crowded_machine(crowded, game, rival):
    command = [sys.executable, "-m", "referee.cli.main", "play", "oracle", rival, "--game", game, "--clock", "1+0.01"]
    told = subprocess.run(
        [*command, "--matches", "40", "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert [seat["forfeits"] for seat in json.loads(told)["seats"]] == [0, 0]
