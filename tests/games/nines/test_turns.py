"""N1 to N4: one table per rule, worked out by hand from RULES.md."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from referee.errors import InvalidRules
from referee.games.match import Match, cut_for_deal
from referee.games.nines import GAME, NinesRound
from referee.games.shuffler import Shuffler
from tests.games.nines.positions import action, at, choices, legal, play, refused, story


def dealt(players: int, dealer: int = 0, seed: bytes = bytes(32), seats: tuple[int, ...] = (), **options) -> NinesRound:
    return GAME.start_round(
        GAME.complete(options, players),
        number=1,
        kind="round",
        seats=seats or tuple(range(players)),
        players=players,
        dealer=dealer,
        totals=[0] * players,
        forfeited=frozenset(),
        shuffler=Shuffler(seed),
    )


def dealt_with(upcard_rank: str, players: int = 3, **options) -> NinesRound:
    """The first deal, by number of its seed, that turns up a card of that rank."""
    for number in itertools.count():
        state = dealt(players, seed=number.to_bytes(32, "big"), **options)
        if state.deal()["upcard"][0] == upcard_rank:
            return state
    raise AssertionError


# ---------------------------------------------------------------- N1 deck, deal, turn order


@pytest.mark.parametrize(("players", "decks", "allowed"), [
    (1, 1, False), (2, 1, True), (6, 1, True), (7, 1, False), (2, 2, False), (4, 2, False), (5, 2, True), (6, 2, True),
])  # fmt: skip
def test_n1_1_players_and_packs(players: int, decks: int, allowed: bool) -> None:
    if allowed:
        deal = dealt(players, decks=decks).deal()
        cards = Counter([*itertools.chain(*deal["hands"].values()), *deal["stock"], deal["upcard"]])
        assert len(cards) == 52
        assert set(cards.values()) == {decks}
    else:
        with pytest.raises(InvalidRules):
            GAME.complete({"decks": decks}, players)


N1_2 = [(2, 1, 7, 37), (3, 1, 7, 30), (4, 1, 7, 23), (5, 1, 5, 26), (6, 1, 5, 21), (5, 2, 5, 78), (6, 2, 5, 73)]


@pytest.mark.parametrize(("players", "decks", "each", "stock"), N1_2)
def test_n1_2_deal(players: int, decks: int, each: int, stock: int) -> None:
    dealer = 1
    state = dealt(players, dealer, decks=decks)
    deal = state.deal()
    pack = [*range(52)] * decks
    pile = [state_code(card) for card in Shuffler(bytes(32)).shuffle("round/1/deal", pack)]
    assert {len(hand) for hand in deal["hands"].values()} == {each}
    assert len(deal["stock"]) == stock
    for card in range(each * players):  # one at a time, from dealer's left
        assert deal["hands"][str((dealer + 1 + card) % players)][card // players] == pile.pop()
    assert deal["upcard"] == pile.pop()
    assert deal["stock"] == pile


def state_code(card: int) -> str:
    return "A23456789TJQK"[card % 13] + "CDHS"[card // 13]


@pytest.mark.parametrize(("players", "dealer", "first"), [(2, 0, 1), (2, 1, 0), (4, 2, 3), (4, 3, 0), (6, 5, 0)])
def test_n1_3_dealers_left_begins(players: int, dealer: int, first: int) -> None:
    state = dealt_seed_without_nine(players, dealer)
    assert state.events()[0]["seat"] == first if state.events() else state.turn == first


def dealt_seed_without_nine(players: int, dealer: int) -> NinesRound:
    for number in itertools.count():
        state = dealt(players, dealer, number.to_bytes(32, "big"))
        if state.deal()["upcard"][0] != "9":
            return state
    raise AssertionError


def test_n1_3_play_is_clockwise() -> None:
    state = play(at("4H 3H 2H", "5H 6H KD", "8H TH KS"), "4H", "5H", "8H")
    assert (story(state), state.turn) == ("0:play 4H, 1:play 5H, 2:play 8H", 0)


def test_n1_3_the_deal_moves_left() -> None:
    match = Match(GAME, GAME.complete({"match_end": "rounds", "rounds": 5}, 3), 3, bytes(32))
    while match.turn is not None:
        match.choose(match.legal()[0])
    assert [played["dealer"] for played in match.rounds] == [0, 1, 2, 0, 1]


class Cut:
    """A shuffler that shows chosen top cards: each cut's cards in seat order."""

    def __init__(self, *cuts: str) -> None:
        self.cuts = [cut.split() for cut in cuts]
        self.labels: list[str] = []

    def shuffle(self, label, cards):
        self.labels.append(label)
        codes = [state_code(card) for card in range(52)]
        top = [codes.index(code) for code in self.cuts[len(self.labels) - 1]]
        return [card for card in cards if card not in top] + top[::-1]

    def below(self, label, n):
        raise AssertionError


N1_4 = [
    ("lowest deals", ["7H 3C KD"], 1),
    ("ace is low", ["2H 3C AD"], 2),
    ("a tie above the lowest is none", ["4H 9C 9D"], 0),
    ("those tied cut again, alone", ["4H 9C 4D", "KC QC"], 2),
    ("and again", ["4H 4C 4D", "AC AD 2C", "7C 6C"], 1),
]


@pytest.mark.parametrize(("cuts", "dealer"), [row[1:] for row in N1_4], ids=[row[0] for row in N1_4])
def test_n1_4_cut(cuts: list[str], dealer: int) -> None:
    shuffler = Cut(*cuts)
    first, shown = cut_for_deal(shuffler, 3)
    assert first == dealer
    assert [" ".join(cut.values()) for cut in shown] == cuts
    assert shuffler.labels == [f"cut/{number}" for number in range(1, len(cuts) + 1)]
    if len(cuts) == 2:
        assert list(shown[1]) == [0, 2]


def test_n1_4_first_dealer_is_seat_0_by_default() -> None:
    match = Match(GAME, GAME.complete({}, 4), 4, bytes(32))
    assert (match.first_dealer, match.cuts) == (0, [])
    assert "cuts" not in match.document()
    cut = Match(GAME, GAME.complete({"first_dealer": "cut"}, 4), 4, bytes(32))
    assert cut.document()["cuts"][0].keys() == {"0", "1", "2", "3"}


def test_n1_5_the_dealer_names_the_suit_of_an_upcard_nine() -> None:
    state = dealt_with("9")
    assert (state.turn, state.phase) == (0, "name_suit")  # the dealer, not dealer's left
    assert legal(state) == "=* =* =* =*"
    assert state.active_suit == ""
    assert refused(state, "keep")[0] == "N1.5"
    assert refused(state, "=X")[0] == "N1.5"
    suit = "C" if state.deal()["upcard"] != "9C" else "D"
    play(state, f"={suit}")
    assert state.events()[0] == {"seat": 0, "do": "name_suit", "suit": suit}
    assert state.turns == sum(event["do"] in ("play", "draw", "pass") for event in state.events())  # naming is no turn
    after = state.events()[1]["seat"] if state.event_count() > 1 else state.turn
    assert after == 1


@pytest.mark.parametrize("rank", "JQA")
def test_n1_6_an_upcard_has_no_power(rank: str) -> None:
    state = dealt_with(rank, powers=True)
    assert (state.events()[0]["seat"] if state.events() else state.turn) == 1
    assert all(event["do"] not in ("skip", "forced_draw") for event in state.events()[:1])
    assert state.direction == 1


# ---------------------------------------------------------------- N2 a turn

N2_1 = [  # why, hand, upcard, active suit, playable
    ("the upcard's suit", "2H 3H 4C", "7H", "H", "2H 3H"),
    ("the upcard's rank", "7C KD 4S 7S", "7H", "H", "7C 7S"),
    ("a nine, always", "4C 9C KD 9D", "7H", "H", "9C=* 9D=*"),
    ("all three", "9S AH 7D KC", "7H", "H", "7D AH 9S=*"),
    ("a named suit hides the nine's own", "4S 5S 4D 5D", "9S", "D", "4D 5D"),
    ("rank matching on a nine only admits nines", "9C 8S 4D", "9S", "D", "4D 9C=*"),
]


@pytest.mark.parametrize(("hand", "upcard", "suit", "playable"), [row[1:] for row in N2_1], ids=[r[0] for r in N2_1])
def test_n2_1_legal_cards(hand: str, upcard: str, suit: str, playable: str) -> None:
    state = at(hand, "KC KS", upcard=upcard, suit=suit)
    if len(playable.split()) == 1:
        assert story(state).startswith(f"0:play {playable}")
    else:
        assert set(choices(state).split()) == set(playable.split())


N2_1_REFUSED = [
    ("4C", "N2.1", "matches neither the upcard 7H nor the active suit H"),
    ("9C", "N3.1", "names a suit"),
    ("2H=H", "N3.1", "only a nine"),
    ("TH", "N2.2", "does not hold TH"),
    ("Zz", "N1.1", "no card"),
    ("X1", "N1.1", "no card"),
    ("2H+3H", "N6.3", "one card is played, or a pair of nines"),
    ("9C+9D=S", "N6.3", "decks = 2"),
    ("=S", "N1.5", "before the first turn"),
    ("dance", "S7", "no action 'dance'"),
]


@pytest.mark.parametrize(("text", "rule", "reason"), N2_1_REFUSED)
def test_n2_1_refused_with_the_rule_and_the_reason(text: str, rule: str, reason: str) -> None:
    found = refused(at("2H 3H 4C 9C 9D", "KC"), text)
    assert found[0] == rule
    assert reason in found[1]


def test_n2_2_who_can_play_must() -> None:
    state = at("2H 9C KD", "KC KS", stock="3S 4S")
    assert choices(state) == "9C=* 2H"  # and neither drawing nor passing
    assert refused(state, "draw") == ("N2.2", "nobody draws by choice: a player who holds a legal card must play one")
    assert refused(state, "pass")[0] == "N4.2"
    assert refused(state, "keep")[0] == "N2.3"
    assert refused(state, "accept")[0] == "N6.6"
    assert choices(at("9C KD", "KC KS", stock="3S 4S")) == "9C=*"  # a nine is a legal card
    assert story(at("2H KD", "7C 2C", stock="3S 4S")).startswith("0:play 2H")  # the only one: nobody is asked


N2_3 = [  # why, top of the stock, what happens, then the choices
    ("not legal: kept, the turn is over", "8S 3S", "0:draw 3S", 1, "2H 3H"),
    ("legal: play or keep", "8S 5H", "0:draw 5H", 0, "5H keep"),
    ("a nine: any suit, or keep", "8S 9D", "0:draw 9D", 0, "9D=* keep"),
    ("a held card does not become legal by drawing", "8S 7C", "0:draw 7C", 0, "7C keep"),
]


@pytest.mark.parametrize(("stock", "told", "turn", "left"), [r[1:] for r in N2_3], ids=[r[0] for r in N2_3])
def test_n2_3_one_card_is_drawn(stock: str, told: str, turn: int, left: str) -> None:
    state = at("KC KD", "2H 3H", stock=stock)
    assert (story(state), state.turn, choices(state)) == (told, turn, left)


def test_n2_3_play_or_keep() -> None:
    kept = play(at("KC KD", "2H 3H", stock="8S 5H"), "keep")
    assert (story(kept), kept.turn, kept.turns) == ("0:draw 5H, 0:keep", 1, 1)
    assert kept.hand(0) == ("KC", "KD", "5H")
    played = play(at("KC KD", "2H 3H", stock="8S 5H"), "5H")
    assert (story(played), played.turn, played.turns) == ("0:draw 5H, 0:play 5H", 1, 1)
    state = at("KC KD", "2H 3H", stock="8S KH")
    assert refused(state, "KC")[0] == "N2.3"  # no other card, though it matches the drawn one
    assert refused(state, "draw") == ("N2.3", "no second card is drawn")


N2_4 = [  # why, hand, stock, what happens
    ("until one is legal, which must be played", "KC KD", "8S 5H 4S 3S", "0:draw 3S 4S 5H, 0:play 5H"),
    ("one is enough", "KC KD", "8S 3S 5H", "0:draw 5H, 0:play 5H"),
    ("a held legal card is played, nothing drawn", "KC 4H", "8S 5H", "0:play 4H"),
]


@pytest.mark.parametrize(("hand", "stock", "told"), [row[1:] for row in N2_4], ids=[row[0] for row in N2_4])
def test_n2_4_until_playable(hand: str, stock: str, told: str) -> None:
    state = at(hand, "2H 3H TH", stock=stock, draw="until_playable")
    assert story(state) == told
    assert state.turn == 1


def test_n2_4_the_stock_gives_out() -> None:
    state = at("KC KD", "2H 3H", stock="4S 3S", draw="until_playable")
    assert (story(state), state.turn) == ("0:draw 3S 4S", 1)  # all kept
    assert state.hand(0) == ("KC", "KD", "3S", "4S")
    split = at("KC KD", "2H 3H", stock="3S", below="4S 6S", draw="until_playable")
    assert story(split).startswith("0:draw 3S, 0:reshuffle ")
    assert [event["do"] for event in split.events()] == ["draw", "reshuffle", "draw"]


def test_n2_4_a_drawn_nine_names_but_may_not_be_kept() -> None:
    state = at("KC KD", "2H 3H", stock="8S 9D 3S", draw="until_playable")
    assert (story(state), choices(state)) == ("0:draw 3S 9D", "9D=*")
    assert refused(state, "keep") == ("N2.4", "a drawn card that is legal must be played")
    assert refused(state, "KC")[0] == "N2.4"


def test_n2_4_only_a_drawn_card_ends_the_series() -> None:
    # with one more card the held nine could be played (N6.5), but only the drawn 5H may be
    state = at("9D", "2H 3H", stock="8S 5H 3S", draw="until_playable", no_nine_out=True)
    assert story(state) == "0:draw 3S 5H, 0:play 5H"


@pytest.mark.parametrize("draw", ["one", "until_playable"])
def test_n2_4_no_pair_after_a_draw(draw: str) -> None:
    # N6.5 keeps the lone nine from being played; then a second one is drawn
    state = at("9C", "2H 3H", stock="8S 9D", decks=2, draw=draw, no_nine_out=True)
    assert choices(state) == ("9D=* keep" if draw == "one" else "9D=*")
    assert refused(state, "9C+9D=S") == ("N2.4", "after a draw no pair of nines may be played")


# ---------------------------------------------------------------- N3 nines


@pytest.mark.parametrize(("upcard", "suit"), [("7H", "H"), ("9S", "D"), ("KC", "C"), ("9C", "C")])
def test_n3_1_on_anything_naming_any_suit(upcard: str, suit: str) -> None:
    for named in "CDHS":  # also the nine's own, also the active one
        state = play(at("9D KD AD", "2C 3C 2D 3D 2H 3H 2S 3S", upcard=upcard, suit=suit), f"9D={named}")
        assert state.active_suit == named
    assert refused(at("9D KD", "KC", upcard=upcard, suit=suit), "9D=X")[0] == "N3.1"


def test_n3_2_the_named_suit_is_followed() -> None:
    state = play(at("9S AC", "KC 9D QH 2S"), "9S=C")
    assert set(choices(state).split()) == {"KC", "9D=*"}  # no heart, and no spade as printed on the nine
    assert refused(state, "QH") == ("N3.2", "QH is neither of the named suit C nor a nine")
    assert refused(state, "2S")[0] == "N3.2"
    play(state, "KC")
    assert story(state) == "0:play 9S=C, 1:play KC, 0:play AC"  # the spade forces nothing afterwards


def test_n3_3_a_nine_may_be_the_last_card() -> None:
    state = play(at("9D", "KC QS"), "9D=S")
    assert state.end is not None
    assert (state.end.reason, state.end.by, dict(state.end.penalties)) == ("out", 0, {0: 0, 1: 20})


# ---------------------------------------------------------------- N4 stock and deadlock


def test_n4_1_reshuffle_when_a_card_must_be_drawn() -> None:
    state = play(at("9S KC", "KD QH", "KC 2C 3C", below="2D 3D"), "9S=C")
    told = [event for event in state.events() if event["do"] == "reshuffle"]
    pile = Shuffler(bytes(32)).shuffle("round/1/reshuffle/1", [14, 15, 32])  # 2D 3D 7H, oldest first, without 9S
    assert told == [{"seat": 1, "do": "reshuffle", "stock": [state_code(card) for card in pile]}]
    assert state.events()[2] == {"seat": 1, "do": "draw", "cards": [state_code(pile[-1])]}
    assert (state.upcard, state.active_suit) == ("9S", "C")  # both stay
    assert state.reshuffles == 1


def test_n4_1_not_before() -> None:
    state = at("KC KD", "2H 3H", stock="3S", below="8D")
    assert story(state) == "0:draw 3S"  # the last card: nothing is shuffled until the next is needed


N4_2 = [
    ("nothing to draw and no other discard", "", "", "0:pass"),
    ("a discard besides the upcard makes a stock", "", "8D", "0:reshuffle 8D, 0:draw 8D"),
    ("a card in the stock", "3S", "", "0:draw 3S"),
]


@pytest.mark.parametrize(("stock", "below", "told"), [row[1:] for row in N4_2], ids=[row[0] for row in N4_2])
def test_n4_2_pass(stock: str, below: str, told: str) -> None:
    assert story(at("KC KD", "2H 3H", stock=stock, below=below)) == told


N4_3 = [
    ("everybody has passed", ["KC", "KD", "2S"], "", 0, "0:pass, 1:pass, 2:pass", {0: 10, 1: 10, 2: 2}),
    ("the last of three", ["KC", "KD 2H", "2S"], "", 2, "0:pass", {0: 10, 1: 12, 2: 2}),
    ("a draw between", ["KC", "KD", "2S"], "3S", 2, "0:draw 3S, 1:pass, 2:pass, 0:pass", {0: 13, 1: 10, 2: 2}),
]


@pytest.mark.parametrize(("hands", "stock", "passes", "told", "costs"), [r[1:] for r in N4_3], ids=[r[0] for r in N4_3])
def test_n4_3_deadlock(hands: list[str], stock: str, passes: int, told: str, costs: dict[int, int]) -> None:
    state = at(*hands, stock=stock, passes=passes)
    assert story(state) == told
    assert state.end is not None
    assert (state.end.reason, state.end.by, dict(state.end.penalties)) == ("deadlock", None, costs)


def test_n4_3_a_play_between() -> None:
    state = at("KC", "2H 3H 4C", "KD", passes=1)
    assert (story(state), state.turn) == ("0:pass", 1)  # the second in a row
    play(state, "2H")
    assert story(state) == "0:pass, 1:play 2H, 2:reshuffle 7H, 2:draw 7H"
    assert state.end is None


N4_4 = [  # why, hands, stock, options, choices, turns before, what happens, reason
    ("a play", ["4H KC", "KD"], "3S", {}, [], 9, "0:play 4H", "max_turns"),
    ("a draw that is kept", ["KC QC", "KD"], "3S", {}, [], 9, "0:draw 3S", "max_turns"),
    ("a drawn card kept by choice", ["KC QC", "KD"], "3H", {}, ["keep"], 9, "0:draw 3H, 0:keep", "max_turns"),
    ("a draw and its play are one turn", ["KC", "KD"], "3H", {}, ["3H"], 9, "0:draw 3H, 0:play 3H", "max_turns"),
    ("a pass", ["KC", "KD"], "", {}, [], 9, "0:pass", "max_turns"),
    ("going out comes first", ["4H", "KD"], "", {}, [], 9, "0:play 4H", "out"),
    ("deadlock comes first", ["KC", "KD"], "", {"passes": 1}, [], 9, "0:pass", "deadlock"),
    ("no skip of the last turn", ["JH KC", "KD 2D"], "", {"powers": True}, [], 9, "0:play JH", "max_turns"),
    ("no forced draw of it", ["AH KC", "KD 2D"], "3S 4S", {"powers": True}, [], 9, "0:play AH", "max_turns"),
    ("a skip is none", ["JH KH", "KD 2H"], "", {"powers": True}, ["JH"], 8, "0:play JH, 1:skip, 0:play KH", "out"),
]


@pytest.mark.parametrize(
    ("hands", "stock", "options", "chosen", "turns", "told", "reason"), [r[1:] for r in N4_4], ids=[r[0] for r in N4_4]
)
def test_n4_4_max_turns(hands, stock, options, chosen, turns, told, reason) -> None:
    state = play(at(*hands, stock=stock, turns=turns, max_turns=10, **options), *chosen)
    assert story(state) == told
    assert state.end is not None
    assert state.end.reason == reason


def test_n4_4_an_answer_is_a_turn_and_declining_is_none() -> None:
    hands = ("9C 9D 4S", "9H 2D", "2S 3S")
    state = play(at(*hands, turns=7, max_turns=10, decks=2, stacking_nines=True), "9C+9D=S", "accept")
    assert (state.turns, state.end) == (8, None)
    state = play(at(*hands, turns=8, max_turns=10, decks=2, stacking_nines=True), "9C+9D=S", "9H=C")
    assert state.end is not None
    assert story(state) == "0:play 9C 9D=S, 1:play 9H=C"  # over before the skip


def test_n4_4_naming_is_no_turn() -> None:
    state = at("KC", "2C 3C", upcard="9H", suit=None, phase="name_suit", dealer=0, max_turns=1)
    state.apply(action("=C"))
    assert (state.turns, state.end) == (0, None)
