"""Who beats whom: duplicate blocks of fixed deals and fixed effort, so the same numbers every time."""

from __future__ import annotations

import pytest

from tests.bench.strength import block, interval
from tests.botkit.local_seats import SAMPLES, LocalTable, load

BEATEN = [  # game, stronger, weaker, seats, blocks, settings
    ("nines", "greedy", "random", 2, 10, {}),
    ("nines", "suit-keeper", "greedy", 2, 10, {}),
    ("nine", "caller", "random", 2, 10, {}),
    ("nine", "cautious", "caller", 2, 20, {}),
    ("nines", "oracle", "greedy", 2, 8, {"iterations": 8}),
    ("nine", "oracle", "random", 2, 4, {"iterations": 4}),
]


@pytest.mark.parametrize(("game", "stronger", "weaker", "seats", "blocks", "settings"), BEATEN)
def test_the_margin_is_above_zero(game, stronger, weaker, seats, blocks, settings):
    margin, half = interval([block(game, stronger, weaker, seats, number, settings)[0] for number in range(blocks)])
    assert margin - half > 0


@pytest.mark.parametrize(
    ("game", "rules"), [("nines", {"decks": 2, "stacking_nines": True, "powers": True}), ("nine", {"teams": 3})]
)
def test_with_fixed_effort_the_oracle_is_reproducible_at_any_table(game, rules):
    def played():
        bots = [load(SAMPLES["oracle"])() for _ in range(6)]
        for bot in bots:
            bot.iterations = 2
        return LocalTable(game, rules, bots).play(bytes(32)).document()

    assert played() == played()
