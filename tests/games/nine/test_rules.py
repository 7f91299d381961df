"""K1 to K3 and K7: one table per rule, worked out by hand from RULES.md."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from referee.errors import IllegalAction, InvalidRules
from referee.games.base import Action
from referee.games.nine import GAME, rules
from referee.games.nine.cards import CODES, PACK, discards, total, value
from referee.games.nine.skins import SKINS
from referee.games.shuffler import Shuffler
from tests.games.nine.positions import SEED, action, at, cards, legal, play


def dealt(players: int, dealer: int = 0, seed: bytes = SEED, **options: object):
    return GAME.start_round(
        GAME.complete(options, players),
        number=1,
        kind="round",
        seats=tuple(range(players)),
        players=players,
        dealer=dealer,
        totals=[0] * players,
        forfeited=frozenset(),
        shuffler=Shuffler(seed),
    )


def refused(state, text: str) -> str:
    with pytest.raises(IllegalAction) as caught:
        state.resolve(action(text))
    assert caught.value.seat == state.turn
    assert caught.value.legal == tuple(legal(state))
    return caught.value.rule


# ---------------------------------------------------------------- K1

K1_1 = [("AC", 1), ("9D", 9), ("TH", 10), ("JS", 11), ("QC", 12), ("KD", 13), ("X1", 0), ("X2", 0)]


@pytest.mark.parametrize(("code", "worth"), K1_1)
def test_k1_1_values(code: str, worth: int) -> None:
    assert value(code) == worth


def test_k1_1_deck() -> None:
    assert len(PACK) == 54
    assert Counter(value(CODES[number]) for number in PACK) == {0: 2, **dict.fromkeys(range(1, 14), 4)}
    assert [CODES[number] for number in PACK[:3]] == ["AC", "2C", "3C"]
    assert [CODES[number] for number in PACK[12:14]] == ["KC", "AD"]
    assert [CODES[number] for number in PACK[-3:]] == ["KS", "X1", "X2"]


@pytest.mark.parametrize("players", [1, 7, 0, True])
def test_k1_1_players(players: int) -> None:
    with pytest.raises(InvalidRules, match="2 to 6"):
        GAME.complete({}, players)


K1_2 = [
    ("numbered", "KH", "13", "number"),
    ("numbered", "X1", "0", "number"),
    ("french", "AS", "A", "number"),
    ("french", "JC", "J", "court"),
    ("french", "X2", "0", "joker"),
    ("tarot", "AS", "1", "number"),
    ("tarot", "TD", "10", "number"),
    ("tarot", "JD", "V", "court"),
    ("tarot", "QD", "C", "court"),
    ("tarot", "KD", "D", "court"),
    ("tarot", "X1", "*", "excuse"),
    ("tarot", "X2", "1", "trump"),
]


@pytest.mark.parametrize(("skin", "code", "corner", "kind"), K1_2)
def test_k1_2_skins(skin: str, code: str, corner: str, kind: str) -> None:
    face = SKINS[skin][code]
    assert (face.corner, face.kind) == (corner, kind)


def test_k1_2_skins_show_every_card_and_change_nothing_else() -> None:
    assert set(SKINS) == {"numbered", "french", "tarot"}
    for faces in SKINS.values():
        assert set(faces) == {CODES[number] for number in PACK}
        assert len({(face.corner, face.suit, face.kind) for face in faces.values()}) >= 53  # jokers may look alike
    assert dealt(3, skin="tarot").deal() == dealt(3).deal()


@pytest.mark.parametrize("players", range(2, 7))
def test_k1_3_deal(players: int) -> None:
    state = dealt(players, dealer=1)
    pack = Shuffler(SEED).shuffle("round/1/deal", PACK)
    order = [(1 + turn) % players for turn in range(1, players + 1)]  # dealer's left first
    expected: dict[str, list[str]] = {str(seat): [] for seat in range(players)}
    for _ in range(5):
        for seat in order:
            expected[str(seat)].append(CODES[pack.pop()])
    assert state.deal()["hands"] == expected
    assert state.deal()["upcard"] == CODES[pack.pop()]
    assert state.deal()["stock"] == [CODES[card] for card in pack]
    assert len(state.deal()["stock"]) == 54 - 5 * players - 1
    assert state.turn == 2 % players


def test_k1_3_turns_go_clockwise() -> None:
    state, seats = dealt(3), []
    for _ in range(6):
        seats.append(state.turn)
        play(state, "draw_pile")
        state.apply(state.legal()[0])
    assert seats == [1, 2, 0, 1, 2, 0]


# ---------------------------------------------------------------- K2

K2_1 = [
    ("first turn: no call yet", {"turns": [0, 0]}, ["draw_pile", "take_discard"]),
    ("hand above nine", {"turns": [1, 1]}, ["draw_pile", "take_discard"]),
]


@pytest.mark.parametrize(("changes", "expected"), [row[1:] for row in K2_1], ids=[row[0] for row in K2_1])
def test_k2_1_draw(changes: dict[str, list[int]], expected: list[str]) -> None:
    assert legal(at("KC QC", "5D", **changes)) == expected


def test_k2_1_pile_or_discard() -> None:
    drawn = play(at("KC QC", "5D"), "draw_pile")
    assert drawn.events() == [{"seat": 0, "do": "draw_pile", "card": "4C"}]
    taken = play(at("KC QC", "5D"), "take_discard")
    assert taken.events() == [{"seat": 0, "do": "take_discard", "card": "7H"}]
    assert taken.view(1).taken[0].card == "7H"
    assert drawn.view(0).drawn == "4C"
    assert drawn.view(1).drawn == ""


K2_1_REFUSED = [
    ("discard before drawing", "draw", "discard KC"),
    ("draw twice", "discard", "draw_pile"),
    ("take after drawing", "discard", "take_discard"),
]


@pytest.mark.parametrize(("phase", "text"), [row[1:] for row in K2_1_REFUSED], ids=[row[0] for row in K2_1_REFUSED])
def test_k2_1_refused(phase: str, text: str) -> None:
    assert refused(at("KC QC", "5D", phase=phase), text) == "K2.1"


K2_2 = [
    ("single cards by value", "9C 2D KH", "2D|9C|KH"),
    ("a pair", "5C 5D", "5C|5C 5D"),
    ("the first of equal cards is listed", "5S 5D 5H", "5D|5D 5H|5D 5H 5S"),
    ("four of a value", "7C 7D 7H 7S", "7C|7C 7D|7C 7D 7H|7C 7D 7H 7S"),
    ("pairs, then threes, by value", "2C 2D 2H 5C 5D 5H", "2C|5C|2C 2D|5C 5D|2C 2D 2H|5C 5D 5H"),
    ("two zeros are a pair", "X1 X2", "X1|X1 X2"),
    ("a run of five", "3C 4D 5H 6S 7C KC", "3C|4D|5H|6S|7C|KC|3C 4D 5H 6S 7C"),
    ("four in a row are no run", "3C 4D 5H 6S KC", "3C|4D|5H|6S|KC"),
    ("a zero starts no run", "X1 AC 2C 3C 4C", "X1|AC|2C|3C|4C"),
    ("values do not wrap", "TC JC QC KC AC", "AC|TC|JC|QC|KC"),
    ("the highest run", "9C TC JC QC KC", "9C|TC|JC|QC|KC|9C TC JC QC KC"),
    ("six in a row are two runs", "AC 2C 3C 4C 5C 6C", "AC|2C|3C|4C|5C|6C|AC 2C 3C 4C 5C|2C 3C 4C 5C 6C"),
    ("a run has the first of equal cards", "3S 3D 4D 5H 6S 7C", "3D|4D|5H|6S|7C|3D 3S|3D 4D 5H 6S 7C"),
]


@pytest.mark.parametrize(("hand", "expected"), [row[1:] for row in K2_2], ids=[row[0] for row in K2_2])
def test_k2_2_discards(hand: str, expected: str) -> None:
    state = at(hand, "5D", phase="discard")
    assert [" ".join(choice.cards) for choice in state.legal()] == expected.split("|")


K2_2_REFUSED = [
    ("not held", "4C", "K2.2"),
    ("named twice", "5C 5C", "K2.2"),
    ("two values", "5C 6D", "K2.2"),
    ("four of a run", "5C 6D 7H 8S", "K2.2"),
    ("a gap", "5C 6D 7H 8S TC", "K2.2"),
    ("six of a run", "5C 6D 7H 8S 9C TC", "K2.2"),
    ("a zero in a run", "X1 AC 2C 3C 4D", "K2.2"),
    ("nothing", "", "K2.2"),
    ("no card of the game", "1C", "K1.1"),
    ("wrapping from king", "TC JC QC KC AC", "K2.2"),
    ("run with the lowest on top", "9C 8S 7H 6D 5C", "K2.3"),
    ("run in disorder", "5C 7H 6D 8S 9C", "K2.3"),
]


@pytest.mark.parametrize(("named", "rule"), [row[1:] for row in K2_2_REFUSED], ids=[row[0] for row in K2_2_REFUSED])
def test_k2_2_refused(named: str, rule: str) -> None:
    hand = "5C 5D 6D 7H 8S 9C TC JC QC KC AC 2C 3C X1 4D"
    assert refused(at(hand, "5H", phase="discard"), f"discard {named}") == rule


@pytest.mark.parametrize("text", ["keep", "play 5C", "pass"])
def test_k2_refuses_other_games_actions(text: str) -> None:
    assert refused(at("5C 6C", "5H"), text) == "K2"


def test_k2_refuses_a_suit_and_needless_cards() -> None:
    state = at("5C 6C", "5H", phase="discard")
    with pytest.raises(IllegalAction) as caught:
        state.resolve(Action("discard", ("5C",), "H"))
    assert caught.value.rule == "K1.1"
    assert refused(at("5C 6C", "5H"), "draw_pile 5C") == "K2"


def test_k2_2_equal_cards_are_the_players_choice() -> None:
    state = play(at("5C 5D 5S 9H", "KH"), "draw_pile", "discard 5S 5C")
    assert state.events()[-1] == {"seat": 0, "do": "discard", "cards": ["5S", "5C"]}
    assert state.view(1).top == "5C"
    assert state.view(0).hand == ("4C", "5D", "9H")


def test_k2_3_the_card_taken_may_go_again() -> None:
    state = play(at("KC QC", "5D 6D"), "take_discard", "discard 7H")
    assert state.view(1).top == "7H"
    assert state.view(0).hand == ("QC", "KC")


def test_k2_3_the_highest_of_a_run_lies_on_top() -> None:
    state = play(at("3C 4D 6S 7C KC", "5D 6D", discards="5H"), "take_discard", "discard 3C 4D 5H 6S 7C")
    assert state.view(1).top == "7C"
    assert play(state, "take_discard").view(0).top == "6S"


def test_k2_4_reshuffle() -> None:
    state = at("KC QC", "5D 6D", pile="", discards="2H 3H 4H 7H")
    assert legal(state) == ["draw_pile", "take_discard"]
    index = state.apply(action("draw_pile"))
    pile = [
        CODES[card]
        for card in Shuffler(SEED).shuffle("round/1/reshuffle/1", [CODES.index(c) for c in ("2H", "3H", "4H")])
    ]
    assert state.events() == [
        {"seat": 0, "do": "reshuffle", "stock": pile},
        {"seat": 0, "do": "draw_pile", "card": pile[-1]},
    ]
    assert index == 1  # the choice became the draw, not the reshuffle
    assert state.view(0).top == "7H"
    assert state.view(0).draw_pile_size == 2
    assert state.view(0).reshuffles == 1


def test_k2_4_one_discard_forms_no_pile() -> None:
    state = at("KC QC", "5D 6D", pile="", discards="7H")
    assert state.events() == [
        {"seat": 0, "do": "take_discard", "card": "7H"}
    ]  # the only thing to do, so nobody is asked
    assert state.view(0).phase == "discard"
    assert refused(at("AC", "5D 6D", pile="", discards="7H"), "draw_pile") == "K2.4"


def test_k2_5_an_empty_hand_waits_and_may_call() -> None:
    state = play(at("5C 5D", "KD QD", discards="5H"), "take_discard", "discard 5C 5D 5H")
    assert state.end is None
    assert state.turn == 1
    assert state.view(1).hand_sizes == (0, 2)
    play(state, "draw_pile", "discard 4C")
    assert legal(state) == ["call", "draw_pile", "take_discard"]


# ---------------------------------------------------------------- K3

K3_1 = [
    ("second turn, nine", "9C", [1, 1], True),
    ("first turn, nine", "9C", [0, 0], False),
    ("others have had their turn, not this seat", "9C", [0, 1], False),
    ("an empty hand", "", [1, 1], True),
]


@pytest.mark.parametrize(("hand", "turns", "may"), [row[1:] for row in K3_1], ids=[row[0] for row in K3_1])
def test_k3_1_from_the_second_turn_on(hand: str, turns: list[int], may: bool) -> None:
    state = at(hand, "5D", turns=turns)
    assert ("call" in legal(state)) is may
    if not may:
        assert refused(state, "call") == "K3.1"


def test_k3_1_only_before_drawing() -> None:
    assert refused(at("2C 3C", "5D", phase="discard"), "call") == "K3.1"


K3_1_TOTALS = [("X1 X2", 0), ("AC KC", 14), ("9C", 9), ("TC JC QC KC", 46), ("", 0)]


@pytest.mark.parametrize(("hand", "worth"), K3_1_TOTALS)
def test_k3_1_a_hand_is_the_sum_of_its_values(hand: str, worth: int) -> None:
    assert total(sum(1 << CODES.index(code) for code in hand.split())) == worth


K3_2 = [
    ("7 under 8 and 31", ("7C", "8C", "KC KD 5H"), 0, {0: 0, 1: 8, 2: 31}),
    ("nine exactly", ("9C", "TD", "KC"), 0, {0: 0, 1: 10, 2: 13}),
    ("an empty hand under one", ("", "X1 AC", "KC"), 0, {0: 0, 1: 1, 2: 13}),
    ("another seat calls", ("KC", "3C", "4C"), 1, {0: 13, 1: 0, 2: 4}),
]
K3_3 = [
    ("as low", ("7C", "7D", "KC KD 5H"), 0, {0: 25, 1: 0, 2: 0}),
    ("lower", ("7C", "6D", "KC"), 0, {0: 25, 1: 0, 2: 0}),
    ("two empty hands", ("", "", "KC"), 0, {0: 25, 1: 0, 2: 0}),
    ("a zero against an empty hand", ("X1", "", "KC"), 0, {0: 25, 1: 0, 2: 0}),
]


@pytest.mark.parametrize(
    ("hands", "caller", "penalties"), [row[1:] for row in K3_2 + K3_3], ids=[row[0] for row in K3_2 + K3_3]
)
def test_k3_2_and_k3_3_call(hands: tuple[str, ...], caller: int, penalties: dict[int, int]) -> None:
    state = play(at(*hands, seat=caller), "call")
    assert state.end is not None
    assert (state.end.reason, state.end.by) == ("call", caller)
    assert state.end.penalties == penalties
    assert {seat: set(hand) for seat, hand in state.end.hands.items()} == dict(enumerate(map(set, map(cards, hands))))
    assert state.turn is None


K3_4 = [
    ("forbidden at ten", "TC", "forbidden", None),
    ("forbidden at nine", "9C", "forbidden", {0: 0, 1: 11, 2: 13}),
    ("penalised at ten, though lowest", "TC", "penalised", {0: 25, 1: 0, 2: 0}),
    ("penalised at nine", "9C", "penalised", {0: 0, 1: 11, 2: 13}),
]


@pytest.mark.parametrize(("hand", "overcall", "penalties"), [row[1:] for row in K3_4], ids=[row[0] for row in K3_4])
def test_k3_4_overcall(hand: str, overcall: str, penalties: dict[int, int] | None) -> None:
    state = at(hand, "JD", "KC", overcall=overcall)
    if penalties is None:
        assert refused(state, "call") == "K3.4"
    else:
        assert play(state, "call").end.penalties == penalties


def test_k3_5_the_last_go_around() -> None:
    state = at("KC", "QC TC", turns=[1, 1], max_goarounds=2, seat=0)
    play(state, "draw_pile", "discard 4C")
    assert state.end is None
    play(state, "draw_pile", "discard 3C")
    assert state.end is not None
    assert (state.end.reason, state.end.by) == ("max_goarounds", None)
    assert state.end.penalties == {0: 13, 1: 22}


def test_k3_5_default_and_range() -> None:
    assert GAME.complete({}, 2)["max_goarounds"] == 100
    for wrong in (0, 100_001, "9", True, 1.0):
        with pytest.raises(InvalidRules, match="max_goarounds"):
            GAME.complete({"max_goarounds": wrong}, 2)


# ---------------------------------------------------------------- K7

K7 = [
    ("5C 5D 5H 2C 9C", "2D", "discard 5C 5D 5H", "2C 9C 2D", 13),
    ("5C 5D 5H 2C 9C", "2D", "discard 2C 2D", "5C 9C 5D 5H", 24),
    ("5C 5D 5H 2C 9C", "2D", "discard 9C", "2C 5C 2D 5D 5H", 19),
    ("3C 4C 6C 7C KC", "5D", "discard 3C 4C 5D 6C 7C", "KC", 13),
    ("X1 AC 2C 3C 4C", "5D", "discard AC 2C 3C 4C 5D", "X1", 0),
]


@pytest.mark.parametrize(("hand", "draw", "text", "left", "worth"), K7)
def test_k7_worked_cases(hand: str, draw: str, text: str, left: str, worth: int) -> None:
    state = play(at(hand, "KD", pile=f"3H {draw}"), "draw_pile", text)
    assert state.view(0).hand == tuple(left.split())
    assert sum(map(value, state.view(0).hand)) == worth


def test_k7_zero_one_two_three_four_is_no_run() -> None:
    state = at("X1 AC 2C 3C 4C 9D", "KD", phase="discard", drawn="9D")
    assert refused(state, "discard X1 AC 2C 3C 4C") == "K2.2"
    assert all(len(choice.cards) < 5 for choice in state.legal())


def test_discards_of_every_hand_of_three_and_four_have_no_doubles() -> None:
    for chosen in itertools.combinations(PACK[::4], 4):
        listed = discards(sum(1 << card for card in chosen))
        assert len(set(listed)) == len(listed)


def test_clone_is_independent() -> None:
    state = at("KC QC", "5D 6D")
    twin = state.clone()
    play(twin, "draw_pile", "discard 4C")
    assert state.events() == []
    assert legal(state) == ["draw_pile", "take_discard"]
    assert twin.turn == 1


def test_an_illegal_action_changes_nothing() -> None:
    state = at("KC QC", "5D 6D")
    before = state.view(0)
    with pytest.raises(IllegalAction):
        state.apply(Action("call"))
    assert state.view(0) == before
    assert state.events() == []


def test_every_rule_of_the_page_has_a_table() -> None:
    page = (Path(rules.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    numbers = set(re.findall(r"\b(K\d(?:\.\d)?)\b", page)) - {"K1", "K2", "K3", "K4", "K5"}
    assert {"K1.1", "K2.5", "K3.5", "K4.2", "K5.3", "K6", "K7", "K8"} <= numbers
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    missing = [number for number in sorted(numbers) if f"{number.lower().replace('.', '_')}_" not in tests]
    assert not missing
