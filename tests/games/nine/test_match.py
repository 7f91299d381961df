"""K4, K5, K8 and the forfeits (F) where Nine has teams: worked out by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from referee.errors import InvalidRules, UsageError
from referee.games import nine, registry
from referee.games.base import Action
from referee.games.match import Fault, Match
from referee.games.nine import GAME
from referee.games.nine.game import OPTIONS
from referee.games.places import places
from tests.games.nine.positions import at, legal, play

# ---------------------------------------------------------------- K4

K4_1 = [
    ("exactly 90", [81, 60, 40], {0: 9, 1: 39, 2: 0}, [45, 99, 40]),
    ("91 stays", [81, 0], {0: 10, 1: 0}, [91, 0]),
    ("89 stays", [81, 0], {0: 8, 1: 0}, [89, 0]),
    ("two at once", [81, 80], {0: 9, 1: 10}, [45, 45]),
    ("180 is not 90", [90 + 65, 0], {0: 25, 1: 0}, [180, 0]),
    ("45 again may fall again", [45, 0], {0: 45, 1: 0}, [45, 0]),
]


@pytest.mark.parametrize(("totals", "penalties", "after"), [row[1:] for row in K4_1], ids=[row[0] for row in K4_1])
def test_k4_1_exactly_ninety(totals: list[int], penalties: dict[int, int], after: list[int]) -> None:
    assert GAME.add_up(GAME.complete({}, len(totals)), totals, penalties) == after


K4_2 = [
    ("99 ends", {}, [45, 99, 40], True),
    ("98 goes on", {}, [45, 98, 40], False),
    ("a cutoff of one's own", {"cutoff": 45}, [45, 0], True),
    ("below it", {"cutoff": 46}, [45, 0], False),
]


@pytest.mark.parametrize(("options", "totals", "over"), [row[1:] for row in K4_2], ids=[row[0] for row in K4_2])
def test_k4_2_cutoff(options: dict[str, int], totals: list[int], over: bool) -> None:
    assert GAME.is_over(GAME.complete(options, len(totals)), totals, 3) is over


def test_k4_1_comes_before_k4_2() -> None:
    rules = GAME.complete({"cutoff": 90}, 2)
    assert not GAME.is_over(rules, GAME.add_up(rules, [81, 0], {0: 9, 1: 0}), 1)
    rules = GAME.complete({"cutoff": 40}, 2)
    assert GAME.is_over(rules, GAME.add_up(rules, [81, 0], {0: 9, 1: 0}), 1)


K4_2_PLACES = [([45, 99, 40], [2, 3, 1]), ([10, 99, 10], [1, 3, 1]), ([99, 20, 20, 10], [4, 2, 2, 1])]


@pytest.mark.parametrize(("totals", "expected"), K4_2_PLACES)
def test_k4_2_places(totals: list[int], expected: list[int]) -> None:
    sides = GAME.sides(GAME.complete({}, len(totals)), len(totals))
    assert places(totals, sides, frozenset()) == expected


# ---------------------------------------------------------------- K5


def test_k5_1_partners_sit_opposite() -> None:
    assert GAME.sides(GAME.complete({"teams": 2}, 4), 4) == ((0, 2), (1, 3))
    assert GAME.sides(GAME.complete({"teams": 3}, 6), 6) == ((0, 3), (1, 4), (2, 5))
    assert GAME.sides(GAME.complete({}, 3), 3) == ((0,), (1,), (2,))


@pytest.mark.parametrize(
    ("teams", "players"), [(2, 2), (2, 3), (2, 5), (2, 6), (3, 4), (3, 5), (1, 4), (4, 8), (True, 4)]
)
def test_k5_1_teams_that_do_not_fit(teams: int, players: int) -> None:
    with pytest.raises(InvalidRules):
        GAME.complete({"teams": teams}, players)


K5_2 = [
    ("won by the team", 2, "9C|AD|AH|TC", [0, 1, 1, 10]),
    ("alone lowest, the team not", 2, "2C|5D|9H|5C", [25, 0, 0, 0]),
    ("tied teams", 2, "2C|5D|8H|5C", [25, 0, 0, 0]),
    ("partner lower than the caller", 2, "9C|KD||KC", [0, 13, 0, 13]),
    ("partner has the same", 2, "5C|KD|5D|KC", [0, 13, 5, 13]),
    ("three teams", 3, "4C|5D|6H|2C|2D|2H", [0, 5, 6, 2, 2, 2]),
    ("three teams, one as low", 3, "4C|5D|3H|2C|2D|3C", [25, 0, 0, 0, 0, 0]),
]


@pytest.mark.parametrize(("teams", "hands", "penalties"), [row[1:] for row in K5_2], ids=[row[0] for row in K5_2])
def test_k5_2_and_k5_3_team_calls(teams: int, hands: str, penalties: list[int]) -> None:
    state = play(at(*hands.split("|"), teams=teams), "call")
    assert state.end is not None
    assert state.end.penalties == dict(enumerate(penalties))
    assert state.events() == [{"seat": 0, "do": "call", "total": sum(map(int, "0" + hands[0]))}]


def test_k5_2_the_own_hand_must_be_nine_or_less() -> None:
    assert "call" not in legal(at("TC", "KD", "AH", "KC", teams=2))
    over = play(at("TC", "KD", "AH", "KC", teams=2, overcall="penalised"), "call")
    assert over.end is not None
    assert over.end.penalties == {0: 25, 1: 0, 2: 0, 3: 0}  # 11 against 26, and lost all the same


K5_3 = [
    ("the sum counts", 2, [99, 30, 0, 80], [1, 2, 1, 2]),
    ("equal sums share", 2, [99, 50, 1, 50], [1, 1, 1, 1]),
    ("three teams", 3, [99, 10, 20, 1, 10, 70], [3, 1, 2, 3, 1, 2]),
]


@pytest.mark.parametrize(("teams", "totals", "expected"), [row[1:] for row in K5_3], ids=[row[0] for row in K5_3])
def test_k5_3_places_count_teams(teams: int, totals: list[int], expected: list[int]) -> None:
    sides = GAME.sides(GAME.complete({"teams": teams}, len(totals)), len(totals))
    assert places(totals, sides, frozenset()) == expected


F3 = [
    ("one team of three is out", [0, 34, 26, 20, 55, 46], {0}, [3, 2, 1, 3, 2, 1]),
    ("its other bot too", [0, 34, 26, 20, 55, 46], {0, 3}, [3, 2, 1, 3, 2, 1]),
    ("all teams are out", [0, 34, 26, 20, 55, 46], {0, 1, 2}, [1, 1, 1, 1, 1, 1]),
]


@pytest.mark.parametrize(("totals", "out", "expected"), [row[1:] for row in F3], ids=[row[0] for row in F3])
def test_f3_teams(totals: list[int], out: set[int], expected: list[int]) -> None:
    sides = GAME.sides(GAME.complete({"teams": 3}, 6), 6)
    assert places(totals, sides, frozenset(out)) == expected


def test_f2_one_of_two_teams_forfeits() -> None:
    match = Match(GAME, GAME.complete({"teams": 2}, 4), 4, bytes(32))
    match.forfeit([Fault(2, "crash", "exit code 1")])
    assert match.finished
    assert match.places == [2, 1, 2, 1]
    assert match.rounds[0]["end"]["reason"] == "forfeit"
    assert set(match.rounds[0]["end"]["penalties"].values()) == {0}


def test_f1_a_team_of_three_plays_on_without_one_bot() -> None:
    match = Match(GAME, GAME.complete({"teams": 3}, 6), 6, bytes(32))
    match.forfeit([Fault(1, "crash", "exit code 1")])
    assert not match.finished
    turns = set()
    while match.turn is not None and match.rounds_finished == 0:
        turns.add(match.turn)
        match.choose(match.legal()[0])
    assert turns == {0, 2, 3, 4, 5}  # seat 4, the partner, is still asked; seat 1 never
    assert any(event.get("standin") for event in match.rounds[0]["events"])


# ---------------------------------------------------------------- K8

K8 = [
    ("nine/standard", 2, {}),
    ("nine/teams", 4, {"teams": 2}),
    ("nine/teams", 6, {"teams": 3}),
    ("nine/overcall", 5, {"overcall": "penalised"}),
]


@pytest.mark.parametrize(("name", "players", "options"), K8)
def test_k8_profiles(name: str, players: int, options: dict[str, object]) -> None:
    rules = GAME.complete(GAME.profile(name, players), players)
    assert rules == GAME.complete(options, players)
    assert GAME.profile_of(rules, players) == name


def test_k8_defaults() -> None:
    assert GAME.complete({}, 3) == {
        "skin": "numbered",
        "teams": 0,
        "overcall": "forbidden",
        "max_goarounds": 100,
        "first_dealer": "seat",
        "cutoff": 99,
    }
    assert set(GAME.profiles) == {"nine/standard", "nine/teams", "nine/overcall"}


def test_k8_teams_need_a_table_for_them() -> None:
    with pytest.raises(InvalidRules, match="teams"):
        GAME.complete(GAME.profile("nine/teams", 5), 5)
    with pytest.raises(UsageError, match="nine/standard"):
        GAME.profile("nine/strict", 2)


REFUSED = [("skin", "gold"), ("overcall", True), ("cutoff", 0), ("cutoff", 99.0), ("first_dealer", 0), ("decks", 2)]


@pytest.mark.parametrize(("option", "value"), REFUSED)
def test_options_are_refused_by_name_value_and_what_is_allowed(option: str, value: object) -> None:
    with pytest.raises(InvalidRules) as caught:
        GAME.complete({option: value}, 4)
    assert caught.value.option == option
    assert repr(value) in str(caught.value)


def test_the_page_has_the_option_table() -> None:
    page = Path(str(nine.__file__)).with_name("RULES.md")
    assert OPTIONS.table() in page.read_text(encoding="utf-8")


def test_the_registry_knows_nine() -> None:
    assert registry.get("nine") is GAME


@pytest.mark.parametrize("players", [2, 4, 6])
def test_a_hand_counts_what_its_cards_are_worth(players: int) -> None:
    """The count that decides on calls follows every draw and discard, in a copy too (K3.1, K3.4)."""
    chooser, calls = random.Random(players), 0
    match = Match(GAME, GAME.complete({}, players), players, bytes(32))
    while match.turn is not None:
        state = match.round
        assert state is not None
        view, legal = state.view(match.turn), match.legal()
        counts = sum("XA23456789TJQK".index(card[0]) for card in view.hand)
        if view.phase == "draw":
            may_call = view.turns_taken[match.turn] > 0 and counts <= 9
            calls += may_call
            assert (Action("call") in legal) == may_call
        copy = state.clone()
        assert copy.legal() == legal
        if Action("call") in legal:
            copy.apply(legal[0])
            assert copy.events()[-1] == {"seat": match.turn, "do": "call", "total": counts}
        choice = chooser.choice([action for action in legal if action.do != "call" or chooser.random() < 0.2])
        assert state.resolve(Action(choice.do, choice.cards)) is choice
        match.choose(choice)
    assert calls > 5
