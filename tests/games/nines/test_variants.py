"""N6: one table per option, worked out by hand from RULES.md."""

from __future__ import annotations

import pytest

from tests.games.nines.positions import at, choices, legal, play, refused, story

THREE = ("5H 6H KD", "6H 8H KS")


def test_n6_1_is_n2_4() -> None:
    assert story(at("KC KD", "2H 3H TH", stock="8S 5H 4S", draw="until_playable")).startswith("0:draw 4S 5H")
    assert story(at("KC KD", "2H 3H TH", stock="8S 5H 4S")) == "0:draw 4S"


N6_2 = [  # why, hands (first plays), stock, options, chosen, what happens, whose turn
    ("a jack skips", ["JH KC 2C", *THREE], "", {}, "JH", "0:play JH, 1:skip", 2),
    ("a jack, two players", ["JH 2H 3H", "5H KD"], "", {}, "JH", "0:play JH, 1:skip", 0),
    ("a queen turns round", ["QH KC 2C", *THREE], "", {}, "QH", "0:play QH", 2),
    ("a queen, two players, skips", ["QH 2H 3H", "5H KD"], "", {}, "QH", "0:play QH, 1:skip", 0),
    ("a queen turns back", ["QH KC 2C", *THREE], "", {"direction": -1}, "QH", "0:play QH", 1),
    ("a jack backwards", ["JH KC 2C", *THREE], "", {"direction": -1}, "JH", "0:play JH, 2:skip", 1),
    ("an ace", ["AH KC 2C", *THREE], "2S 3S 4S", {}, "AH", "0:play AH, 1:forced_draw 4S 3S", 2),
    ("an ace backwards", ["AH KC 2C", *THREE], "3S 4S", {"direction": -1}, "AH", "0:play AH, 2:forced_draw 4S 3S", 1),
    ("and keeps the turn", ["AH KC 2C", *THREE], "2S 3S 4S", {"ace_keeps_turn": True}, "AH",
     "0:play AH, 1:forced_draw 4S 3S", 1),
    ("fewer if the stock gives out", ["AH KC 2C", *THREE], "", {}, "AH", "0:play AH, 1:reshuffle 7H, 1:forced_draw 7H", 2),
    ("split by a reshuffle", ["AH KC 2C", *THREE], "4S", {}, "AH",
     "0:play AH, 1:forced_draw 4S, 1:reshuffle 7H, 1:forced_draw 7H", 2),
    ("a king has none", ["KH KC 2C", *THREE], "2S 3S", {}, "KH", "0:play KH", 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hands", "stock", "options", "chosen", "told", "turn"), [row[1:] for row in N6_2], ids=[row[0] for row in N6_2]
)
def test_n6_2_powers(hands, stock, options, chosen, told, turn) -> None:
    # a second heart makes it a choice; the card itself is what counts
    state = at(f"{hands[0]} TH", *hands[1:], stock=stock, powers=True, **options)
    play(state, chosen)
    assert (story(state), state.turn) == (told, turn)


@pytest.mark.parametrize("card", ["JH", "QH", "AH"])
def test_n6_2_off_by_default(card: str) -> None:
    state = play(at(f"{card} TH KC", *THREE, stock="2S 3S", ace_keeps_turn=True), card)
    assert (story(state), state.turn) == (f"0:play {card}", 1)


@pytest.mark.parametrize("card", ["JH", "QH", "AH"])
def test_n6_2_no_power_when_the_card_ends_the_round(card: str) -> None:
    state = at(card, *THREE, stock="2S 3S", powers=True)
    assert story(state) == f"0:play {card}"
    assert state.end is not None
    assert state.end.reason == "out"


def test_n6_2_a_drawn_card_has_its_power() -> None:
    state = play(at("KC 2S", *THREE, stock="2C JH", powers=True), "JH")
    assert (story(state), state.turn) == ("0:draw JH, 0:play JH, 1:skip", 2)


def test_n6_2_an_empty_forced_draw_is_told() -> None:
    # the ace was turned up by nobody here, so no other discard can form a stock for the second ace
    state = at("AH AD TH", *THREE, upcard="AC", powers=True)
    play(state, "AH")
    assert story(state) == "0:play AH, 1:reshuffle AC, 1:forced_draw AC"


FIVE = ("2C 3C KD", "2S 3S KD", "2C 3C KD", "2C 3C KD")


def five(first: str, *others: str, **options):
    return at(first, *others, decks=2, **options)


N6_3 = [  # why, hand, legal
    ("two nines: singles, then the pair", "9C 9D 4S", "9C=* 9D=* 9C+9D=*"),
    ("three nines: three pairs", "9C 9D 9H KC", "9C=* 9D=* 9H=* 9C+9D=* 9C+9H=* 9D+9H=*"),
    ("two equal nines", "9D 9D KC", "9D=* 9D+9D=*"),
    ("equal ones listed once", "9C 9C 9D KC", "9C=* 9D=* 9C+9C=* 9C+9D=*"),
    ("one nine", "9D KC", "9D=*"),
]


@pytest.mark.parametrize(("hand", "expected"), [row[1:] for row in N6_3], ids=[row[0] for row in N6_3])
def test_n6_3_pairs(hand: str, expected: str) -> None:
    assert choices(five(hand, *FIVE)) == expected


def test_n6_3_a_pair_names_and_skips_and_its_later_nine_is_on_top() -> None:
    for pair, top in (("9C+9D=S", "9D"), ("9D+9C=S", "9C")):
        state = play(five("9C 9D 4S", *FIVE), pair)
        assert (story(state), state.turn) == (f"0:play {pair.replace('+', ' ')}, 1:skip", 2)
        assert (state.upcard, state.active_suit) == (top, "S")
        assert state.hand(0) == ("4S",)
        assert state.turns == 1  # one play, one turn


def test_n6_3_a_single_nine_skips_nobody() -> None:
    assert play(five("9C 9D 4S", *FIVE), "9C=C").turn == 1


def test_n6_3_a_last_pair_skips_nobody() -> None:
    state = play(five("9C 9D", *FIVE), "9C+9D=S")
    assert (story(state), state.end is not None) == ("0:play 9C 9D=S", True)


def test_n6_3_needs_two_packs_and_both_nines() -> None:
    assert choices(at("9C 9D 4S", *FIVE)) == "9C=* 9D=*"
    assert refused(at("9C 9D 4S", *FIVE), "9C+9D=S") == ("N6.3", "pairs of nines are played with decks = 2 only")
    state = five("9C 9D 4S", *FIVE)
    assert refused(state, "9C+9H=S")[0] == "N2.2"
    assert refused(state, "9C+9C=S")[0] == "N2.2"
    assert refused(state, "9C+4S=S")[0] == "N6.3"
    assert refused(state, "9C+9D")[0] == "N6.3"


N6_5 = [  # why, hand, stock, draw, what happens, choices of the seat to act
    ("a lone nine draws", "9D", "6C 3S", "one", "0:draw 3S", None),
    ("and may then be played", "9D", "6C 9C", "one", "0:draw 9C", "9C=* keep"),
    ("with another card it may go", "9D KC", "6C", "one", "", "9D=*"),
    ("two nines: one may go", "9C 9D", "6C", "one", "", "9C=* 9D=*"),
    ("a legal card beside it", "9D 4H", "6C", "one", "", "4H 9D=*"),
]


@pytest.mark.parametrize(
    ("hand", "stock", "draw", "told", "expected"), [row[1:] for row in N6_5], ids=[row[0] for row in N6_5]
)
def test_n6_5_no_nine_out(hand, stock, draw, told, expected) -> None:
    state = at(hand, "2H 3H", stock=stock, draw=draw, no_nine_out=True)
    assert story(state) == told
    if expected is None:
        assert state.turn == 1
    else:
        assert set(choices(state).split()) == set(expected.split())


def test_n6_5_is_off_by_default() -> None:
    assert choices(at("9D", "2H 3H")) == "9D=*"


def test_n6_5_no_pair_out() -> None:
    state = five("9C 9D", *FIVE, no_nine_out=True)
    assert choices(state) == "9C=* 9D=*"
    assert refused(state, "9C+9D=S") == ("N6.5", "a pair of nines may not be the last of the hand")
    assert choices(five("9C 9D 9H", *FIVE, no_nine_out=True)).endswith("9D+9H=*")
    lone = play(five("9C 9D", "2H", *FIVE[1:], no_nine_out=True, stock="6C 9H"), "9C=H")
    assert lone.end is not None  # seat 1 went out with 2H; seat 0 never could with its nine


def test_n6_5_an_ace_in_hand_is_no_nine() -> None:
    assert story(at("AH", "2H 3H", no_nine_out=True)) == "0:play AH"


N6_6 = [  # why, hand of the threatened, options, what happens, whose turn, choices
    ("can answer", "9H 2D", {}, "", 1, "9H=* accept"),
    ("with a pair too", "9H 9S 2D", {}, "", 1, "9H=* 9S=* 9H+9S=* accept"),
    ("cannot", "2C 3C", {}, ", 1:skip", 2, "2S 3S"),
    ("the last nine, without no_nine_out", "9H", {}, "", 1, "9H=* accept"),
    ("the last nine, with it", "9H", {"no_nine_out": True}, ", 1:skip", 2, "2S 3S"),
    ("a last pair, with it", "9H 9S", {"no_nine_out": True}, "", 1, "9H=* 9S=* accept"),
]


@pytest.mark.parametrize(
    ("hand", "options", "told", "turn", "expected"), [row[1:] for row in N6_6], ids=[row[0] for row in N6_6]
)
def test_n6_6_answering_a_pair(hand, options, told, turn, expected) -> None:
    state = play(five("9C 9D 4S", hand, *FIVE[1:], stacking_nines=True, **options), "9C+9D=S")
    assert (story(state), state.turn, choices(state)) == (f"0:play 9C 9D=S{told}", turn, expected)


def test_n6_6_accept_an_answer_and_a_chain() -> None:
    def start():
        hands = ("9C 9D 4S", "9H 2D", "9S 9S 3D", "9C 5C", "2C 3C")
        return play(at(*hands, stock="6D", decks=2, stacking_nines=True), "9C+9D=S")

    assert refused(start(), "2D") == ("N6.6", "a pair of nines is answered with a nine or a pair of nines")
    assert story(play(start(), "accept")) == "0:play 9C 9D=S, 1:accept, 1:skip"
    one = play(start(), "9H=C")  # a single nine hands the one skip on
    assert (one.turn, one.phase, one.active_suit) == (2, "answer", "C")
    pair = play(one, "9S+9S=D")
    assert (pair.turn, pair.phase) == (3, "answer")
    ended = play(pair, "accept")
    assert story(ended).endswith("2:play 9S 9S=D, 3:accept, 3:skip, 4:draw 6D")  # only seat 3 is skipped
    assert ended.turns == 3


def test_n6_6_an_answer_may_go_out() -> None:
    state = play(five("9C 9D 4S", "9H", *FIVE[1:], stacking_nines=True), "9C+9D=S", "9H=C")
    assert state.end is not None
    assert (state.end.reason, state.end.by) == ("out", 1)


def test_n6_6_backwards() -> None:
    state = play(five("9C 9D 4S", *FIVE[:3], "9H 2D", direction=-1, stacking_nines=True), "9C+9D=S", "9H=S")
    assert story(state) == "0:play 9C 9D=S, 4:play 9H=S, 3:skip"


@pytest.mark.parametrize("decks", [1, 2])
def test_n6_6_a_single_nine_is_no_threat(decks: int) -> None:
    state = play(at("9C 9D 4S", "9H 2C 3C", "2C 3C", decks=decks, stacking_nines=True), "9C=C")
    assert (state.turn, state.phase, choices(state)) == (1, "turn", "2C 3C 9H=*")


# ---------------------------------------------------------------- S7, order of legal actions

S7 = [
    ("plays in pack order, a nine once for each suit", "KH 9S 2H 7C 9C", {},
     "7C 9C=C 9C=D 9C=H 9C=S 2H KH 9S=C 9S=D 9S=H 9S=S"),
    ("then pairs", "9S 2H 9C", {"decks": 2},
     "9C=C 9C=D 9C=H 9C=S 2H 9S=C 9S=D 9S=H 9S=S 9C+9S=C 9C+9S=D 9C+9S=H 9C+9S=S"),
    ("equal cards once", "2H 2H 3H", {"decks": 2}, "2H 3H"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "options", "expected"), [row[1:] for row in S7], ids=[row[0] for row in S7])
def test_s7_order_of_legal_actions(hand: str, options: dict[str, int], expected: str) -> None:
    from tests.games.nines.positions import short

    assert " ".join(map(short, at(hand, "KC", **options).legal())) == expected


def test_s7_keep_accept_and_naming_come_last() -> None:
    assert legal(at("KC", "2H", stock="9C")).split()[-1] == "keep"
    state = play(five("9C 9D 4S", "9H 9S 2D", *FIVE[1:], stacking_nines=True), "9C+9D=S")
    assert legal(state).split()[-2:] == ["9H+9S=*", "accept"]
    naming = at("KC", "2C", upcard="9H", suit=None, phase="name_suit", dealer=0)
    assert [action.suit for action in naming.legal()] == ["C", "D", "H", "S"]


def test_s7_the_order_of_a_pair_is_the_players() -> None:
    state = five("9C 9D 4S", *FIVE)
    listed = [action.cards for action in state.legal() if len(action.cards) == 2]
    assert set(listed) == {("9C", "9D")}
    play(state, "9D+9C=S")
    assert state.upcard == "9C"
