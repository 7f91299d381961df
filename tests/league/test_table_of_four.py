"""A real tournament at tables of four, in containers; balance, points and crosstable counted again by hand."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

import pytest

from tests.league.running import RANDOM, SAMPLES, Ninefold, wait_for, write_bot

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("four")
    league = Ninefold(root / "data")
    league.up()
    for bot in ("nines/greedy", "nines/suit-keeper", "both/random"):
        league.ok("bot", "submit", str(SAMPLES / bot))
    for name in ("careless", "heedless"):
        league.ok("bot", "submit", str(write_bot(root / name, RANDOM, name)))
    create = ("tournament", "create", "four", "--game", "nines", "--all", "--table-size", "4", "--blocks", "1", "--matches-per-fixture", "1")
    league.ok(*create, "--same-author", "free", "--rule", "match_end=rounds", "--rule", "rounds=2")
    plan = league.json("tournament", "plan", "four")
    league.ok("tournament", "start", "four")
    final = league.json("tournament", "watch", "four", timeout=600)
    folder = root / "export"
    league.ok("tournament", "export", "four", "--to", str(folder))
    verified = league.run("replay", "verify", str(folder))
    crosstable = league.json("tournament", "crosstable", "four")
    standings = league.json("tournament", "standings", "four")
    forged = json.loads((folder / "seeds.json").read_text())
    forged["master_seed"] = "00" * 32
    (root / "forged.json").write_text(json.dumps(forged))
    one = next((folder / "replays").rglob("*.json"))
    refused = league.run("replay", "verify", str(one), "--seeds", str(root / "forged.json"))
    assert league.down() == 0
    assert wait_for(lambda: not league.processes(), 15)
    return {
        "plan": plan, "final": final, "matches": json.loads((folder / "matches.json").read_text()), "verified": verified,
        "crosstable": crosstable, "standings": standings, "refused": refused,
    }  # fmt: skip


def test_every_match_was_played_and_its_seeds_follow_from_the_master(played: dict[str, Any]) -> None:
    assert played["final"]["tournament"]["state"] == "done"
    assert len(played["matches"]) == played["plan"]["matches"] == 20  # five sets of four, four seatings each
    assert played["verified"].returncode == 0, played["verified"].stderr
    assert "20 matches verified" in played["verified"].stdout


def test_another_master_seed_is_refused(played: dict[str, Any]) -> None:
    assert played["refused"].returncode == 1
    assert "commitment" in played["refused"].stderr


def test_balance_is_as_planned(played: dict[str, Any]) -> None:
    pairs: Counter[frozenset[str]] = Counter()
    seats: Counter[tuple[str, int]] = Counter()
    left: Counter[tuple[str, str]] = Counter()
    for match in played["matches"]:
        bots = [seat["bot"] for seat in match["seats"]]
        pairs.update(frozenset(pair) for pair in combinations(bots, 2))
        seats.update((bot, seat) for seat, bot in enumerate(bots))
        left.update((bots[i], bots[(i + 1) % 4]) for i in range(4))
    assert set(pairs.values()) == {12}  # every pair in three of the five sets, four seatings each
    assert set(seats.values()) == {4}
    assert len(seats) == 20
    assert max(left.values()) - min(left.values()) <= 4  # one block more or less, of four seatings
    assert any("meetings of a pair: 3 to 3" in line for line in played["plan"]["balance"])


def test_points_and_standings_by_hand(played: dict[str, Any]) -> None:
    points: defaultdict[str, float] = defaultdict(float)
    for match in played["matches"]:
        assert all(seat["cause"] == "completed" for seat in match["seats"])
        for seat in match["seats"]:
            behind = sum(1.0 if o["place"] > seat["place"] else 0.5 if o["place"] == seat["place"] else 0.0 for o in match["seats"] if o is not seat)
            points[seat["bot"]] += behind / 3
    table = {row["bot"]: row["points"] for row in played["standings"]["standings"]}
    assert table == pytest.approx(dict(points))
    assert sum(points.values()) == pytest.approx(2 * 20)
    scores = [row["points"] for row in played["standings"]["standings"]]
    assert scores == sorted(scores, reverse=True)


def test_crosstable_margins_by_hand(played: dict[str, Any]) -> None:
    margins: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for match in played["matches"]:
        for mine in match["seats"]:
            for theirs in match["seats"]:
                if mine is not theirs:
                    margins[mine["bot"], theirs["bot"]].append(theirs["penalty"] - mine["penalty"])
    bots = [bot["bot"] for bot in played["crosstable"]["bots"]]
    cells = {(bots[c["row"]], bots[c["column"]]): c for c in played["crosstable"]["cells"]}
    assert set(cells) == set(margins)
    for pair, values in margins.items():
        assert cells[pair]["margin"] == pytest.approx(sum(values) / len(values))
        assert cells[pair]["matches"] == 12
        assert cells[pair]["blocks"] == 3


def test_what_is_certain_is_said(played: dict[str, Any]) -> None:
    assert len(played["standings"]["separated"]) == 4
    assert played["standings"]["duplicates"]["blocks"] > 0
