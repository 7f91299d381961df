"""How fast the rules are: random matches, plies per second, next to OpenSpiel's `crazy_eights` in the same run.

    python -m tests.bench.engine [--repetitions N] [--seconds S]

A ply is one event that a player makes (a play, a draw, a pass, a kept card), as OpenSpiel counts a player's action; cards
dealt, reshuffles, skips and forced draws are none. Our matches are whole: shuffled from SHA-256, every choice checked,
every event logged, totals and places worked out. OpenSpiel is played through its Python API; the cards that it deals as
chance nodes take time but are no plies either, and the last column counts them too. Figures are medians of interleaved
repetitions, in processor time; read the ratio, not the figure.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable

from referee.games import registry
from referee.games.match import Match

Rng = Callable[[], float]
Play = Callable[[Rng], Callable[[], tuple[int, int]]]
"""Plays one whole match; what it gives counts, when the clock has stopped: plies, and cards dealt as actions of chance."""

PLIES = frozenset(
    {"play", "draw", "pass", "keep", "accept", "name_suit", "call", "draw_pile", "take_discard", "discard"}
)


def ours(profile: str, players: int) -> Play:
    game = registry.get(profile.partition("/")[0])
    rules = game.complete(game.profile(profile, players), players)

    def play(rng: Rng) -> Callable[[], tuple[int, int]]:
        match = Match(game, rules, players, int(rng() * 2**53).to_bytes(32, "big"))
        while match.turn is not None:
            legal = match.legal()
            match.choose(legal[int(rng() * len(legal))])
        return lambda: (sum(event["do"] in PLIES for played in match.rounds for event in played["events"]), 0)

    return play


def open_spiel(players: int) -> Play:
    import pyspiel

    game = pyspiel.load_game(f"crazy_eights(players={players})")

    def play(rng: Rng) -> Callable[[], tuple[int, int]]:
        state = game.new_initial_state()
        plies = dealt = 0
        while not state.is_terminal():
            if state.is_chance_node():
                dealt += 1
            else:
                plies += 1
            legal = state.legal_actions()
            state.apply_action(legal[int(rng() * len(legal))])
        return lambda: (plies, dealt)

    return play


SIDES: dict[str, Callable[[], Play]] = {
    "Nines strict, 2 players": lambda: ours("nines/strict", 2),
    "Nines strict, 4 players": lambda: ours("nines/strict", 4),
    "Nine standard, 2 players": lambda: ours("nine/standard", 2),
    "Nine standard, 4 players": lambda: ours("nine/standard", 4),
}
FLOORS: dict[str, Callable[[], Play]] = {
    "crazy_eights, 2 players": lambda: open_spiel(2),
    "crazy_eights, 4 players": lambda: open_spiel(4),
}


def slice_of(play: Play, rng: Rng, seconds: float) -> tuple[float, float]:
    """Plies a second of one repetition, and the same with the cards dealt counted too."""
    matches: list[Callable[[], tuple[int, int]]] = []
    gc.collect()
    gc.disable()  # as `timeit` does: all matches are kept until they are counted
    start = time.process_time()
    while (took := time.process_time() - start) < seconds:
        matches.append(play(rng))
    gc.enable()
    counts = [count() for count in matches]
    plies = sum(plies for plies, _ in counts)
    return plies / took, (plies + sum(dealt for _, dealt in counts)) / took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.4, help="processor time of one repetition")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed).random
    players = {name: make() for name, make in SIDES.items()}
    try:
        players |= {name: make() for name, make in FLOORS.items()}
    except ImportError:
        print("OpenSpiel is not installed (pip install 'ninefold[bench]'): figures without a ratio")
    for play in players.values():
        slice_of(play, rng, arguments.seconds)  # tables fill, caches warm
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in players}
    for _ in range(arguments.repetitions):
        for name, play in players.items():
            rates[name].append(slice_of(play, rng, arguments.seconds))
    print(f"{'':26}{'plies/s':>12}{'us/ply':>9}{'ratio':>8}{'with deals':>13}")
    for name, measured in rates.items():
        rate = statistics.median(plies for plies, _ in measured)
        counted = statistics.median(dealt for _, dealt in measured)
        own = {"2": "crazy_eights, 2 players", "4": "crazy_eights, 4 players"}[name[-9]]
        floor = statistics.median(plies for plies, _ in rates[own]) if own in rates else 0.0
        ratio = f"{rate / floor:7.2f}x" if floor else f"{'':8}"
        print(f"{name:26}{rate:12,.0f}{1e6 / rate:9.2f}{ratio}{counted:13,.0f}")


if __name__ == "__main__":
    main()
