"""A third game touches its own folder and one line of the registry: here is one, played, recorded and verified.

*High card*: everybody gets three cards of one suit-blind pack; in turn each puts one down, or draws a card first. Once all
have put one down, the lowest pays what lies between it and the highest. After three rounds the lowest total wins.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from referee.cards import PACK, codes
from referee.errors import IllegalAction, InvalidRules
from referee.games import registry
from referee.games.base import Action, Game, Json, Round, RoundEnd, Rules, ShufflerLike
from referee.games.match import Fault, Match
from referee.games.options import Option, Options
from referee.match.replay import canonical_sha256, document, read, write
from referee.match.verify import Discrepancy, verify

OPTIONS = Options(
    Option("rounds", 3, range(1, 11), "how many rounds"),
    Option("first_dealer", "seat", ("seat", "cut"), "who deals first"),
)
DRAW = Action("draw_one")
PLAY = [Action("put", (code,)) for code in PACK]


class HighCardRound(Round):
    def __init__(self, seats: tuple[int, ...], dealer: int, label: str, shuffler: ShufflerLike) -> None:
        self.seats = seats
        self.forfeited = frozenset()
        self.stock = shuffler.shuffle(f"{label}/deal", range(52))
        self.dealt = list(self.stock)
        self.hands = {seat: [self.stock.pop() for _ in range(3)] for seat in seats}
        self.first = {seat: list(hand) for seat, hand in self.hands.items()}
        self.log: list[dict[str, Json]] = []
        self.put: dict[int, int] = {}
        self.drawn = False
        start = seats.index(dealer) + 1
        self.order = [seats[(start + place) % len(seats)] for place in range(len(seats))]
        self.turn: int | None = self.order[0]
        self.end: RoundEnd | None = None

    def legal(self) -> tuple[Action, ...]:
        if self.turn is None:
            return ()
        plays = tuple(PLAY[card] for card in sorted(self.hands[self.turn]))
        return plays if self.drawn else (*plays, DRAW)

    def resolve(self, action: Action) -> Action:
        if action not in self.legal():
            seat = -1 if self.turn is None else self.turn
            raise IllegalAction(seat, str(action), "H1", "not in hand", [str(legal) for legal in self.legal()])
        return action

    def apply(self, action: Action) -> int:
        action = self.resolve(action)
        seat = self.turn
        assert seat is not None
        if action == DRAW:
            self.hands[seat].append(self.stock.pop())
            # what came of a choice goes in a field of its own: `cards` are what was chosen
            self.log.append({"seat": seat, "do": "draw_one", "card": PACK[self.hands[seat][-1]]})
            self.drawn = True
            return len(self.log) - 1
        card = PACK.index(action.cards[0])
        self.hands[seat].remove(card)
        self.put[seat] = card
        self.log.append({"seat": seat, **action.to_json()})
        self.drawn = False
        place = self.order.index(seat) + 1
        self.turn = self.order[place] if place < len(self.order) else None
        if self.turn is None:
            ranks = {who: card % 13 for who, card in self.put.items()}
            span = max(ranks.values()) - min(ranks.values())
            self._finish("call", {who: span if rank == min(ranks.values()) else 0 for who, rank in ranks.items()})
        return len(self.log) - 1

    def _finish(self, reason: str, penalties: Mapping[int, int]) -> None:
        self.turn = None
        self.end = RoundEnd(reason, None, {seat: codes(hand) for seat, hand in self.hands.items()}, penalties)

    def stop(self) -> None:
        self._finish("forfeit", dict.fromkeys(self.seats, 0))

    def events(self) -> list[dict[str, Json]]:
        return [dict(event) for event in self.log]

    def event_count(self) -> int:
        return len(self.log)

    def deal(self) -> dict[str, Json]:
        return {"hands": {str(seat): list(codes(hand)) for seat, hand in self.first.items()}}

    def view(self, seat: int) -> Any:
        return codes(self.hands[seat])

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        return [event for event in self.events()[start:] if event["seat"] == seat or event["do"] == "put"]

    def clone(self) -> Round:
        raise NotImplementedError


class HighCard(Game):
    name = "high_card"
    turn_rule = "H1"
    options = OPTIONS
    profiles: Mapping[str, Mapping[str, Any]] = {"high_card/short": {"rounds": 1}}

    def complete(self, options: Mapping[str, Any], players: int) -> Rules:
        if not 2 <= players <= 8:
            raise InvalidRules("players", players, "high card is for 2 to 8 players")
        return OPTIONS.complete(options)

    def start_round(self, rules: Rules, *, number: int, kind: str, seats: tuple[int, ...], players: int, dealer: int,
                    totals: Sequence[int], forfeited: frozenset[int], shuffler: ShufflerLike) -> Round:  # fmt: skip
        return HighCardRound(seats, dealer, f"{kind}/{number}", shuffler)

    def add_up(self, rules: Rules, totals: Sequence[int], penalties: Mapping[int, int]) -> list[int]:
        return [total + penalties[seat] for seat, total in enumerate(totals)]

    def is_over(self, rules: Rules, totals: Sequence[int], rounds: int) -> bool:
        return rounds >= rules["rounds"]

    def sides(self, rules: Rules, players: int) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(players))


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game in the registry, under its one line there."""
    module = types.ModuleType("a_league_of_its_own.high_card")
    module.GAME = HighCard()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(registry.GAMES, "high_card", module.__name__)
    return registry.get("high_card")


def played(game: Game, players: int = 3, faults: Sequence[Fault] = (), **options: Any) -> dict[str, Json]:
    match = Match(game, game.complete(options, players), players, bytes(range(32)), start_faults=faults)
    choice = 0
    while match.turn is not None:
        choice += 1
        match.choose(match.legal()[choice % len(match.legal())], choice)
    seats = [{"bot": "toy", "version": 1, "digest": "0" * 64}] * players
    profile = game.profile_of(match.rules, players)
    return document(match, match_id="local/toy", profile=profile, clock=None, played=None, seats=seats)


@pytest.mark.parametrize("options", [{}, {"first_dealer": "cut"}, {"rounds": 1}])
def test_played_recorded_and_verified(game: Game, options: dict[str, Any], tmp_path: Any) -> None:
    replay = played(game, **options)
    assert replay["profile"] == ("high_card/short" if options.get("rounds") == 1 else None)
    assert len(replay["rounds"]) == options.get("rounds", 3)
    path = tmp_path / "toy.jsonl.gz"
    write(path, [replay])
    (again,) = read(path)
    assert canonical_sha256(again) == canonical_sha256(replay)
    assert verify(again) == ()


def test_stand_ins_play_it_too(game: Game) -> None:
    replay = played(game, faults=[Fault(1, "start", "not connected within the limit")])
    assert any(event.get("standin") for event in replay["rounds"][0]["events"])
    assert replay["result"]["places"][1] == 3
    assert verify(replay) == ()


def test_a_changed_replay_is_refused(game: Game) -> None:
    replay = played(game)
    replay["rounds"][1]["end"]["penalties"]["0"] += 1
    with pytest.raises(Discrepancy):
        verify(replay)
