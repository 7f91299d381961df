"""Views leak nothing: what a seat is sent must not change when what it cannot know is dealt otherwise.

`python -m tests.bench.leak --pairs N` compares N pairs of messages. A round is played at random, one seat watches. Then
the cards that this seat has not seen are exchanged among the places where they may lie (other hands, the stock), the round
is played again with every event that the seat saw, and each message to the seat must be the same bytes: view, legal list,
events, ids, lengths, and the texts of refusals. Worlds in which the same events cannot happen are dropped.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.errors import IllegalAction
from referee.games import registry
from referee.games.base import Action, Game, Round, Rules
from referee.games.shuffler import Shuffler
from referee.match.seat import Turn
from referee.service.table_codec import encoder_of
from tests.match.playing import mix

Event = dict[str, Any]
Slot = tuple[str, int]
"""A place in a shuffled pile: the shuffle's label and the index."""
DRAWS = ("draw", "forced_draw", "draw_pile")
SECRET = ("keep", "accept")
MOST_DECISIONS = 60
"""A watched round is followed for so many decisions of its watcher at most."""
PROBES = tuple(Action(do) for do in ("call", "draw_pile", "keep", "accept", "pass", "discard"))


@dataclass
class Told:
    """One message to the watching seat, and everything a careless sender might put into it."""

    game: Game
    state: Round
    seat: int
    decision: int
    since: int
    """Index of the first event that the seat has not been told."""
    decisions_of_all: int
    hidden_events: int

    def honest(self) -> bytes:
        """What the referee sends: one Turn as the table protocol has it."""
        turn = Turn(
            self.state.view(self.seat), self.state.legal(), self.state.visible(self.seat, self.since), 1000.0, 0.0
        )
        return encoder_of(self.game.name).turn(self.decision, turn, 10_000, 100, "cpu")

    def refusals(self) -> list[str]:
        """What the bot's owner is told of replies that break a rule."""
        foreign = Action("discard" if self.game.name == "nine" else "play", (self.not_held(),))
        texts = []
        for probe in (*PROBES, foreign):
            try:
                self.state.resolve(probe)
            except IllegalAction as error:
                texts.append(str(error))
        return texts

    def not_held(self) -> str:
        hand = self.state.view(self.seat).hand
        return next(card for card in ("2C", "3D", "4H", "5S", "6C", "7D", "8H", "TS") if card not in hand)


Tell = Callable[[Told], bytes]


def honest(told: Told) -> bytes:
    """Everything that reaches a bot or its owner at a decision."""
    return told.honest() + "\n".join(told.refusals()).encode()


class Dealt:
    """A shuffler that remembers its piles, and may be given other ones for some labels."""

    def __init__(self, seed: bytes, instead: dict[str, list[int]] | None = None) -> None:
        self._shuffler, self._instead = Shuffler(seed), instead or {}
        self.piles: dict[str, list[int]] = {}

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        pile = self._instead.get(label)
        if pile is None:
            pile = self._shuffler.shuffle(label, cards)
        elif sorted(pile) != sorted(cards):
            raise Otherwise  # another pile went in, so another course was taken
        self.piles[label] = list(pile)
        return list(pile)

    def below(self, label: str, n: int) -> int:
        return self._shuffler.below(label, n)


class Otherwise(Exception):
    """In this world the events that the seat saw cannot happen."""


class Leak(AssertionError):
    """Two worlds that the seat cannot tell apart, and a message that can."""


@dataclass
class Scene:
    """A watched round: who plays by which rules, and everything the watching seat saw and was sent."""

    game: Game
    rules: Rules
    players: int
    dealer: int
    totals: list[int]
    seed: bytes
    watcher: int
    seen: list[Event] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    asked_at: list[int] = field(default_factory=list)
    """How many events the watcher knew of when it was asked."""
    choices: list[Action] = field(default_factory=list)
    piles: dict[str, list[int]] = field(default_factory=dict)
    hidden: dict[str, list[int]] = field(default_factory=dict)

    def start(self, dealt: Dealt) -> Round:
        return self.game.start_round(
            self.rules,
            number=1,
            kind="round",
            seats=tuple(range(self.players)),
            players=self.players,
            dealer=self.dealer,
            totals=self.totals,
            forfeited=frozenset(),
            shuffler=dealt,
        )


def watch(rng: random.Random, tell: Tell, game_name: str | None = None) -> Scene:
    """A random round, up to some decision of a random seat, as that seat saw it."""
    name = game_name or rng.choice(registry.names())
    game = registry.get(name)
    options, players = mix(rng, name)
    options["max_turns" if name == "nines" else "max_goarounds"] = 100
    scene = Scene(
        game,
        game.complete(options, players),
        players,
        rng.randrange(players),
        [rng.randrange(80) for _ in range(players)],
        rng.randbytes(32),
        rng.randrange(players),
    )
    dealt = Dealt(scene.seed)
    state = scene.start(dealt)
    last = rng.randint(1, rng.choice([4, 12, MOST_DECISIONS]))
    since = everybodys = 0
    while state.turn is not None:
        if state.turn == scene.watcher:
            scene.seen = state.visible(scene.watcher)
            scene.asked_at.append(len(scene.seen))
            told = Told(
                game,
                state,
                scene.watcher,
                len(scene.messages) + 1,
                since,
                everybodys,
                state.event_count() - len(scene.seen),
            )
            scene.messages.append(tell(told))
            since = state.event_count()
            scene.hidden = unseen(scene, state, dealt.piles)
            if len(scene.messages) == last:
                break
        choice = rng.choice(state.legal())
        if state.turn == scene.watcher:
            scene.choices.append(choice)
        everybodys += 1
        state.apply(choice)
    scene.piles = dealt.piles
    return scene


def unseen(scene: Scene, state: Round, piles: dict[str, list[int]]) -> dict[str, list[int]]:
    """By shuffle, the indices of the cards whose place the watcher cannot know: in other hands, or in the stock."""
    codes, deal = scene.game.codes, state.deal()
    label = "round/1/deal"
    pile: list[Slot] = [(label, index) for index in range(len(piles[label]))]
    hands: dict[int, list[Slot]] = {seat: [] for seat in range(scene.players)}
    for turn in range(sum(map(len, deal["hands"].values()))):
        hands[(scene.dealer + 1 + turn) % scene.players].append(pile.pop())
    discards = [pile.pop()]
    known = {*discards, *hands[scene.watcher]}
    reshuffles = 0

    def code(slot: Slot) -> str:
        return codes[piles[slot[0]][slot[1]]]

    for event in state.events():
        do, seat = event["do"], event["seat"]
        if do in DRAWS:
            for card in event.get("cards", [event.get("card")]):
                slot = pile.pop()
                assert code(slot) == card
                hands[seat].append(slot)
                if seat == scene.watcher:
                    known.add(slot)
        elif do == "take_discard":
            hands[seat].append(discards.pop())
        elif do in ("play", "discard"):
            for card in event["cards"]:
                slot = next(slot for slot in hands[seat] if code(slot) == card)
                hands[seat].remove(slot)
                known.add(slot)
                discards.append(slot)
        elif do == "reshuffle":
            reshuffles += 1
            label = f"round/1/reshuffle/{reshuffles}"
            pile = [(label, index) for index in range(len(piles[label]))]
            discards = discards[-1:]
    found: dict[str, list[int]] = {}
    for slot in (*pile, *(slot for seat, hand in hands.items() if seat != scene.watcher for slot in hand)):
        if slot not in known:
            found.setdefault(slot[0], []).append(slot[1])
    return found


def dealt_otherwise(scene: Scene, rng: random.Random) -> dict[str, list[int]]:
    """Piles in which cards that the watcher has not seen have changed places; equal knowledge by construction."""
    instead: dict[str, list[int]] = {}
    for label, places in scene.hidden.items():
        pile = list(scene.piles[label])
        chosen = rng.sample(places, min(len(places), rng.choice([2, 2, 3, 4, 6, len(places)])))
        cards = [pile[place] for place in chosen]
        rng.shuffle(cards)
        for place, card in zip(chosen, cards, strict=True):
            pile[place] = card
        instead[label] = pile
    return instead


def compare(scene: Scene, instead: dict[str, list[int]], tell: Tell) -> int:
    """How many messages to the watcher were compared, all equal; `Leak` if one was not, `Otherwise` if none can be."""
    state = scene.start(Dealt(scene.seed, {**scene.piles, **instead}))
    asked = since = everybodys = cursor = seen = 0
    while True:
        news = state.visible(scene.watcher, cursor)
        cursor = state.event_count()
        if news != scene.seen[seen : seen + len(news)]:
            raise Otherwise
        seen += len(news)
        if state.turn == scene.watcher:
            if seen != scene.asked_at[asked]:
                raise Leak(f"seat {scene.watcher} is asked after {seen} events in one world alone")
            told = Told(scene.game, state, scene.watcher, asked + 1, since, everybodys, cursor - seen)
            message = tell(told)
            if message != scene.messages[asked]:
                raise Leak(_difference(scene, asked, message))
            asked += 1
            since = cursor
            if asked == len(scene.messages):
                return asked
            choice = scene.choices[asked - 1]
        elif state.turn is None or seen >= len(scene.seen):
            secret = [] if state.turn is None else [action for action in state.legal() if action.do in SECRET]
            if not secret:
                raise Otherwise
            choice = secret[0]
        else:
            choice = _as_seen(state, scene.seen[seen])
        everybodys += 1
        state.apply(choice)


def _as_seen(state: Round, event: Event) -> Action:
    """What the other seat chose, going by what the watcher saw next; nothing visible, if it can have been that."""
    secret = None
    for action in state.legal():
        if action.do in SECRET:
            secret = action
        elif (
            event["seat"] == state.turn
            and event["do"] == action.do
            and event.get("suit") == action.suit
            and (not action.cards or sorted(event.get("cards", ())) == sorted(action.cards))
        ):
            chosen = Action(action.do, tuple(event["cards"]), action.suit) if action.cards else action
            return state.resolve(chosen)
    if secret is None:
        if event["do"] == "discard" and event["seat"] == state.turn:
            try:
                return state.resolve(Action("discard", tuple(event["cards"])))
            except IllegalAction:
                raise Otherwise from None
        raise Otherwise
    return secret


def _difference(scene: Scene, asked: int, message: bytes) -> str:
    before = scene.messages[asked]
    at = next((index for index, pair in enumerate(zip(before, message, strict=False)) if pair[0] != pair[1]), -1)
    return (
        f"{scene.game.name}, {scene.players} players, seat {scene.watcher}, decision {asked + 1}: {len(before)} and "
        f"{len(message)} bytes, different from byte {at} on; seed {scene.seed.hex()}, rules {dict(scene.rules)}"
    )


def pairs(rng: random.Random, tell: Tell = honest, game: str | None = None, worlds: int = 6) -> Iterator[int]:
    """Endless: how many pairs of messages each world added. `Leak` at the first that differs."""
    while True:
        scene = watch(rng, tell, game)
        if not scene.messages:
            continue
        for _ in range(worlds):
            instead = dealt_otherwise(scene, rng)
            if all(scene.piles[label] == pile for label, pile in instead.items()):
                continue
            try:
                yield compare(scene, instead, tell)
            except Otherwise:
                yield 0


def main() -> int:
    """Compares as many pairs as asked for; exit 1 at the first leak."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--game", choices=registry.names())
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    compared = worlds = dropped = 0
    began = shown = time.monotonic()
    try:
        for count in pairs(random.Random(given.seed), game=given.game):
            compared, worlds, dropped = compared + count, worlds + 1, dropped + (count == 0)
            if time.monotonic() - shown > 5:
                shown = time.monotonic()
                print(f"{compared:,} pairs, {worlds:,} worlds, {dropped:,} dropped", file=sys.stderr)
            if compared >= given.pairs:
                break
    except Leak as leak:
        print(f"LEAK after {compared:,} pairs: {leak}")
        return 1
    print(
        f"{compared:,} pairs equal in {worlds - dropped:,} worlds ({dropped:,} dropped: the same events could not happen), "
        f"{time.monotonic() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
