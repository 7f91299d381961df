"""How fast the rules are: random matches, next to OpenSpiel's `crazy_eights` in the same run.

    python -m tests.bench.engine [--repetitions N] [--seconds S] [--json]

Both sides do the same: a choice is taken uniformly from the list of legal actions with one number of the same generator,
nothing is counted while the clock runs, and a match is let go when it is over. What was played is counted afterwards, by
playing it again from the same numbers.

Ours is a whole match: shuffled from SHA-256, every choice checked, every event logged, totals and places worked out;
the rows "written" also write its document. OpenSpiel is played through its Python API, first by the shortest loop there is
(a choice is not checked, chance is taken from the list of legal actions, which only a pack of equal cards allows), then
with its own check of legality, then as its documentation shows, chance by its odds and each player asked for. The cards
that it deals as actions of chance take time but are no plies.

A ply is one event that a player makes (a play, a draw, a pass, a kept card), as OpenSpiel counts a player's action; cards
dealt, reshuffles, skips and forced draws are none. Where only one action is legal our machine plays it by itself; that
is a ply like any other. Nine has no counterpart in OpenSpiel: its rows are set beside `crazy_eights` only for scale (its
legal lists are longer, every ply of it is a real choice).

Figures are medians of interleaved repetitions, in processor time; a ratio is the median of the ratios within a
repetition, with the quartiles of these. Read the ratio, not the figure.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from referee.games import registry
from referee.games.match import Match

Rng = Callable[[], float]
Play = Callable[[Rng], object]
"""Plays one whole match."""
Count = Callable[[Rng], int]
"""Plays the same match and gives the number of its plies."""

PLIES = frozenset(
    {"play", "draw", "pass", "keep", "accept", "name_suit", "call", "draw_pile", "take_discard", "discard"}
)


def ours(profile: str, players: int, *, written: bool = False) -> tuple[Play, Count]:
    game = registry.get(profile.partition("/")[0])
    rules = game.complete(game.profile(profile, players), players)

    def play(rng: Rng) -> Match:
        match = Match(game, rules, players, int(rng() * 2**53).to_bytes(32, "big"))
        while match.turn is not None:
            legal = match.legal()
            match.choose(legal[int(rng() * len(legal))])
        return match

    def count(rng: Rng) -> int:
        return sum(event["do"] in PLIES for played in play(rng).rounds for event in played["events"])

    return (lambda rng: play(rng).document()) if written else play, count


def open_spiel(players: int, *, checked: bool = False, documented: bool = False) -> tuple[Play, Count]:
    import pyspiel

    game = pyspiel.load_game(f"crazy_eights(players={players})")
    apply = pyspiel.State.apply_action_with_legality_check if checked else pyspiel.State.apply_action

    def shortest(rng: Rng) -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            apply(state, legal[int(rng() * len(legal))])
        return state

    def as_documented(rng: Rng) -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, _ = zip(*state.chance_outcomes(), strict=True)  # cards that are left are equally likely
            else:
                actions = state.legal_actions(state.current_player())
            state.apply_action(actions[int(rng() * len(actions))])
        return state

    play = as_documented if documented else shortest

    def count(rng: Rng) -> int:
        return sum(move.player >= 0 for move in play(rng).full_history())  # type: ignore[attr-defined]

    return play, count


SIDES: dict[str, Callable[[], tuple[Play, Count]]] = {
    "crazy_eights, 2 players": lambda: open_spiel(2),
    "crazy_eights checked, 2 players": lambda: open_spiel(2, checked=True),
    "crazy_eights documented, 2 players": lambda: open_spiel(2, documented=True),
    "Nines strict, 2 players": lambda: ours("nines/strict", 2),
    "Nines strict written, 2 players": lambda: ours("nines/strict", 2, written=True),
    "Nine standard, 2 players": lambda: ours("nine/standard", 2),
    "crazy_eights, 4 players": lambda: open_spiel(4),
    "crazy_eights checked, 4 players": lambda: open_spiel(4, checked=True),
    "crazy_eights documented, 4 players": lambda: open_spiel(4, documented=True),
    "Nines strict, 4 players": lambda: ours("nines/strict", 4),
    "Nines strict written, 4 players": lambda: ours("nines/strict", 4, written=True),
    "Nine standard, 4 players": lambda: ours("nine/standard", 4),
}


FLOORS = ("crazy_eights", "crazy_eights checked", "crazy_eights documented")
"""OpenSpiel by the shortest loop, with its own check of each action (ours always checks), and as its documentation shows."""


def slice_of(side: tuple[Play, Count], seed: int, seconds: float) -> float:
    """Seconds a ply of one repetition."""
    play, count = side
    rng = random.Random(seed).random
    matches = 0
    gc.collect()
    gc.disable()  # as `timeit` does
    start = time.process_time()
    while (took := time.process_time() - start) < seconds:
        play(rng)
        matches += 1
    gc.enable()
    rng = random.Random(seed).random
    return took / sum(count(rng) for _ in range(matches))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2, help="processor time of one repetition")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sides: dict[str, tuple[Play, Count]] = {}
    for name, make in SIDES.items():
        try:
            sides[name] = make()
        except ImportError:
            print(f"{name}: OpenSpiel is not installed (pip install 'ninefold[bench]')", file=sys.stderr)
    for side in sides.values():
        slice_of(side, arguments.seed, arguments.seconds)  # tables fill, caches warm
    costs: dict[str, list[float]] = {name: [] for name in sides}
    for repetition in range(arguments.repetitions):
        for name, side in sides.items():
            costs[name].append(slice_of(side, arguments.seed + 1 + repetition, arguments.seconds))

    if arguments.json:
        print(json.dumps(figures(costs)))
        return
    print(f"{'':34}{'plies/s':>10}{'us/ply':>9}   x crazy_eights       x checked            x documented")
    for name, cost in costs.items():
        usual = statistics.median(cost)
        line = f"{name:34}{1 / usual:10,.0f}{1e6 * usual:9.2f}"
        for floor in FLOORS:
            if found := ratios(costs, name, floor):
                low, middle, high = statistics.quantiles(found, n=4) if len(found) > 1 else found * 3
                line += f"   {middle:5.2f} ({low:.2f}-{high:.2f})"
        print(line)


def ratios(costs: dict[str, list[float]], name: str, floor: str) -> list[float]:
    """How many times as fast as that floor with as many players, in each repetition; empty if it was not measured."""
    theirs = costs.get(f"{floor},{name.partition(',')[2]}", [])
    return [floor_cost / own for floor_cost, own in zip(theirs, costs[name], strict=False)]


def figures(costs: dict[str, list[float]]) -> dict[str, Any]:
    """Plies a second of each row and of the floor beside it, and the median ratios."""
    found: dict[str, Any] = {}
    for name, cost in costs.items():
        game, _, players = name.partition(",")
        row: dict[str, float] = {"ours": round(1 / statistics.median(cost))}
        for floor, key in zip(FLOORS, ("", "_checked", "_documented"), strict=True):
            if one := ratios(costs, name, floor):
                row[f"floor{key}"] = round(1 / statistics.median(costs[f"{floor},{players}"]))
                row[f"ratio{key}"] = round(statistics.median(one), 3)
        found[f"{game.lower().replace(' ', '_')}_{players.split()[0]}"] = row
    return found


if __name__ == "__main__":
    main()
