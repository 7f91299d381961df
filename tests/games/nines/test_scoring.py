"""N5, N7 and N9: one table per rule, worked out by hand from RULES.md."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from referee.errors import InvalidRules, UsageError
from referee.games.base import RoundEnd
from referee.games.match import Match
from referee.games.nines import GAME
from referee.games.nines.moves import two_packs_hand
from referee.games.nines.scoring import HARD, PLAIN, penalty
from referee.games.places import places
from tests.games.nines.positions import at, play, story

N5_1 = [
    ("AC", 1), ("2C", 2), ("3C", 3), ("4C", 4), ("5C", 5), ("6C", 6), ("7C", 7), ("8C", 8), ("9C", 15), ("TC", 10),
    ("JC", 10), ("QC", 10), ("KC", 10), ("", 0), ("KC 9D QH", 35), ("AC AD AH AS", 4), ("9S AC", 16), ("KS KS 9D 9D", 50),
]  # fmt: skip


def points(hand: str, table=PLAIN) -> int:
    return penalty(two_packs_hand([code(card) for card in hand.split()]), table)


def code(card: str) -> int:
    return "CDHS".index(card[1]) * 13 + "A23456789TJQK".index(card[0])


@pytest.mark.parametrize(("hand", "worth"), N5_1)
def test_n5_1_points(hand: str, worth: int) -> None:
    assert points(hand) == worth


def test_n5_1_the_round_ends_at_once() -> None:
    state = at("4H", "KC 9D QH", "8S")  # the only legal card: nobody is asked, and nothing is said before
    assert story(state) == "0:play 4H"
    assert state.end is not None
    assert (state.end.by, dict(state.end.penalties)) == (0, {0: 0, 1: 35, 2: 8})
    assert state.end.hands == {0: (), 1: ("KC", "9D", "QH"), 2: ("8S",)}
    assert state.turn is None


N5_2 = [  # options, totals, rounds played, over
    ({}, [99, 0], 50, False),
    ({}, [100, 0], 1, True),
    ({}, [0, 135], 1, True),
    ({"cutoff": 1}, [0, 1], 1, True),
    ({"cutoff": 100_000}, [99_999, 0], 9, False),
    ({"match_end": "rounds"}, [500, 400], 4, False),
    ({"match_end": "rounds"}, [0, 0], 5, True),
    ({"match_end": "rounds", "rounds": 7}, [0, 0], 6, False),
    ({"match_end": "rounds", "rounds": 7}, [0, 0], 7, True),
    ({"rounds": 1}, [99, 0], 5, False),
]


@pytest.mark.parametrize(("options", "totals", "rounds", "over"), N5_2)
def test_n5_2_end_of_a_match(options: dict[str, object], totals: list[int], rounds: int, over: bool) -> None:
    assert GAME.is_over(GAME.complete(options, 2), totals, rounds) is over


@pytest.mark.parametrize(("option", "allowed", "refused"), [
    ("cutoff", [1, 100_000], [0, 100_001, -5, 1.5, True]),
    ("max_turns", [1, 100_000], [0, 100_001]),
    ("rounds", [1, 5, 7, 10, 100], [0, 101]),
])  # fmt: skip
def test_n5_2_ranges(option: str, allowed: list[int], refused: list[object]) -> None:
    for value in allowed:
        assert GAME.complete({option: value}, 2)[option] == value
    for value in refused:
        with pytest.raises(InvalidRules, match=f"'{option}' cannot be .*a whole number from 1 to 100"):
            GAME.complete({option: value}, 2)


N5_3 = [("lowest wins", [105, 20], [2, 1]), ("who crossed decides nothing", [101, 99, 100], [3, 1, 2])]


@pytest.mark.parametrize(("totals", "expected"), [row[1:] for row in N5_3], ids=[row[0] for row in N5_3])
def test_n5_3_lowest_total_wins(totals: list[int], expected: list[int]) -> None:
    assert places(totals, [(seat,) for seat in range(len(totals))], ()) == expected


class Scripted:
    """Nines with given penalties instead of play: how totals, playoffs and places follow from them."""

    def __init__(self, penalties: list[dict[int, int]], **options: object) -> None:
        self.rules = GAME.complete(options, len(penalties[0]))
        self.penalties = list(penalties)
        self.started: list[dict[str, object]] = []
        self.add_up, self.is_over, self.sides, self.playoff = GAME.add_up, GAME.is_over, GAME.sides, GAME.playoff

    def start_round(self, rules, **about):
        self.started.append(about)
        return Ended(self.penalties.pop(0))


class Ended:
    turn = None

    def __init__(self, penalties: Mapping[int, int]) -> None:
        self.end = RoundEnd("out", None, dict.fromkeys(penalties, ()), penalties)

    def events(self):
        return []

    def event_count(self):
        return 0

    def deal(self):
        return {}


def played(penalties: list[dict[int, int]], **options: object) -> tuple[Match, list[tuple[object, ...]]]:
    game = Scripted(penalties, **options)
    match = Match(game, game.rules, len(penalties[0]), bytes(32))
    assert match.finished
    assert not game.penalties
    return match, [(about["kind"], about["number"], about["seats"], about["dealer"]) for about in game.started]


ONE_ROUND = {"match_end": "rounds", "rounds": 1}

N5_4 = [  # why, penalties of the round and its playoffs, playoffs as (seats, dealer), places
    ("no tie", [{0: 5, 1: 0, 2: 9}], [], [2, 1, 3]),
    ("a tie behind the leader is shared", [{0: 5, 1: 0, 2: 5}], [], [2, 1, 2]),
    ("two play it off", [{0: 5, 1: 9, 2: 5}, {0: 3, 2: 1}], [((0, 2), 2)], [2, 3, 1]),
    ("those still tied again", [{0: 5, 1: 5, 2: 5}, {0: 0, 1: 2, 2: 0}, {0: 1, 2: 0}],
     [((0, 1, 2), 1), ((0, 2), 2)], [2, 2, 1]),
    ("ten, then shared", [{0: 0, 1: 0, 2: 9}, *[{0: 4, 1: 4}] * 10],
     [((0, 1), 1), ((0, 1), 0), *[((0, 1), 1), ((0, 1), 0)] * 4], [1, 1, 3]),
]  # fmt: skip


@pytest.mark.parametrize(("penalties", "playoffs", "expected"), [r[1:] for r in N5_4], ids=[r[0] for r in N5_4])
def test_n5_4_playoffs(penalties, playoffs, expected) -> None:
    match, started = played(penalties, ties="playoff", **ONE_ROUND)
    assert started[0] == ("round", 1, (0, 1, 2), 0)
    assert started[1:] == [("playoff", number, *playoff) for number, playoff in enumerate(playoffs, 1)]
    assert match.places == expected
    assert match.totals == list(penalties[0].values())  # playoff penalties are not added


def test_n5_4_share_by_default() -> None:
    match, started = played([{0: 0, 1: 7, 2: 0}], **ONE_ROUND)
    assert (len(started), match.places) == (1, [1, 3, 1])


def test_n5_4_cards_by_the_number_at_the_playoff_table() -> None:
    from tests.games.nines.test_turns import dealt

    state = dealt(6, dealer=4, seats=(1, 4), decks=2)
    hands = state.deal()["hands"]
    assert {seat: len(hand) for seat, hand in hands.items()} == {"1": 7, "4": 7}
    assert len(state.deal()["stock"]) == 104 - 15  # from the match's two packs


N5_5 = [([3, 5, 5, 9], [1, 2, 2, 4]), ([0, 0, 0], [1, 1, 1]), ([9, 5, 5], [3, 1, 1]), ([4, 3, 2, 1], [4, 3, 2, 1])]


@pytest.mark.parametrize(("totals", "expected"), N5_5)
def test_n5_5_places(totals: list[int], expected: list[int]) -> None:
    assert places(totals, [(seat,) for seat in range(len(totals))], ()) == expected


N7 = [
    ("nines/strict", {}), ("nines/folk", {"first_dealer": "cut", "ties": "playoff"}),
    ("nines/draw-until", {"draw": "until_playable"}), ("nines/powers", {"powers": True}), ("nines/double", {"decks": 2}),
    ("nines/hard", {"hard_nines": True}), ("nines/no-nine-out", {"no_nine_out": True}),
    ("nines/stacking", {"stacking_nines": True, "decks": 2}),
    ("nines/five-rounds", {"match_end": "rounds", "rounds": 5}),
    ("nines/seven-rounds", {"match_end": "rounds", "rounds": 7}),
    ("nines/ten-rounds", {"match_end": "rounds", "rounds": 10}),
]  # fmt: skip

DEFAULTS = {
    "decks": 1, "draw": "one", "powers": False, "ace_keeps_turn": False, "hard_nines": False, "no_nine_out": False,
    "stacking_nines": False, "first_dealer": "seat", "match_end": "cutoff", "cutoff": 100, "rounds": 5, "ties": "share",
    "max_turns": 2000,
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes"), N7)
def test_n7_profiles(name: str, changes: dict[str, object]) -> None:
    rules = GAME.complete(GAME.profile(name, 5), 5)
    assert rules == {**DEFAULTS, **changes}
    assert GAME.profile_of(rules, 5) == name


def test_n7_no_other_profiles() -> None:
    assert list(GAME.profiles) == [name for name, _ in N7]
    assert GAME.profile_of(GAME.complete({"cutoff": 50}, 2), 2) is None
    with pytest.raises(UsageError, match=r"no profile 'nines/lax'.*; the profiles are: nines/strict"):
        GAME.profile("nines/lax", 2)
    with pytest.raises(InvalidRules, match="5 or 6 players"):
        GAME.complete(GAME.profile("nines/stacking", 4), 4)


N9 = [("the worked ending", ["9S=C", "KC"], "0:play 9S=C, 1:play KC, 0:play AC", {0: 0, 1: 25}, 105)]


@pytest.mark.parametrize(("chosen", "told", "costs", "total"), [row[1:] for row in N9])
def test_n9_worked_ending(chosen: list[str], told: str, costs: dict[int, int], total: int) -> None:
    state = play(at("9S AC", "KC 9D QH"), *chosen)
    assert story(state) == told
    assert state.end is not None
    assert dict(state.end.penalties) == costs
    totals = GAME.add_up(GAME.complete({}, 2), [0, 80], state.end.penalties)
    assert totals == [0, total]
    assert GAME.is_over(GAME.complete({}, 2), totals, 9)


N6_4 = [("9C", 25), ("9C 9D", 50), ("9H KC", 35), ("8C TC", 18)]


@pytest.mark.parametrize(("hand", "worth"), N6_4)
def test_n6_4_hard_nines(hand: str, worth: int) -> None:
    assert points(hand, HARD) == worth
    state = at("4H", hand, hard_nines=True)
    assert state.end is not None
    assert state.end.penalties[1] == worth
