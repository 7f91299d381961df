"""What botkit says follows from the events, against the truth of whole matches."""

from __future__ import annotations

import doctest
from collections import Counter
from random import Random

import pytest
from botkit import knowledge as module
from botkit.cards import PACK_ORDER, Card
from botkit.events import Event, RoundStart
from botkit.knowledge import NineKnowledge, NinesKnowledge, Void, knowledge

from tests.botkit.table_talk import decisions, event, round_start

TABLES = [  # game, options, players
    ("nines", {}, 2),
    ("nines", {}, 4),
    ("nines", {}, 6),
    ("nines", {"draw": "until_playable"}, 2),
    ("nines", {"draw": "until_playable", "powers": True, "no_nine_out": True}, 6),
    ("nines", {"no_nine_out": True}, 3),
    ("nines", {"powers": True, "ace_keeps_turn": True}, 3),
    ("nines", {"decks": 2, "stacking_nines": True, "no_nine_out": True, "powers": True}, 6),
    ("nine", {}, 2),
    ("nine", {}, 5),
    ("nine", {"teams": 2}, 4),
]


def truth(match):
    """Hands by seat, read from every seat's own view."""
    views = {player: match.round.view(player) for player in match.dealt.seats}
    return {player: [Card(code) for code in view.hand] for player, view in views.items()}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("game", "options", "players"), TABLES)
def test_what_is_known_is_true_at_every_decision(game, options, players, seed):
    rng = Random(seed)
    current, known, told = None, {}, {}
    for match in decisions(game, options, players, seed):
        dealt = match.dealt
        if dealt is not current:
            current = dealt
            told = dict.fromkeys(range(players), 0)
            known = {
                seat: knowledge(
                    game, round_start(dealt.round, seat, dealt.number, dealt.dealer, dealt.seats), seat, match.rules
                )
                for seat in range(players)
            }
        for seat in range(players):
            if rng.random() < 0.5:  # bots are told in pieces of any size
                continue
            visible = dealt.round.visible(seat, told[seat])
            told[seat] = dealt.round.event_count()
            for document in visible:
                known[seat].observe(event(document))
            if rng.random() < 0.3:
                check(known[seat], match, seat, truth(match), rng)


def check(known, match, seat, hands, rng):
    view = match.round.view(seat)
    stock_size = view.stock_size if isinstance(known, NinesKnowledge) else view.draw_pile_size
    assert Counter(known.hand) == Counter(hands[seat])
    assert known.hand_sizes == {player: len(hand) for player, hand in hands.items()}
    assert known.stock_size == stock_size
    if isinstance(known, NinesKnowledge):
        assert known.active_suit == view.active_suit
        assert known.pile[-1] == view.upcard
    else:
        assert (known.pile[-1] if known.pile else "") == view.top
    others = Counter(card for player, hand in hands.items() if player != seat for card in hand)
    shown = Counter(card for player in hands if player != seat for card in known.holds(player))
    unseen = Counter(known.unseen)
    assert not others - unseen - shown  # every card in another hand is unseen or known to be there
    assert unseen.total() == others.total() - shown.total() + stock_size
    for player, hand in hands.items():
        assert not known.cannot_hold(player) & set(hand)
        assert not Counter(known.holds(player)) - Counter(hand)
        if player != seat:
            assert fits(hand, known._hidden[player], known._shown[player])
    guess = known.guess(rng)
    assert {player: len(hand) for player, hand in guess.hands.items()} == known.hand_sizes
    assert len(guess.stock) == stock_size
    assert Counter(guess.hands[seat]) == Counter(hands[seat])
    for player, hand in guess.hands.items():
        if player != seat:
            assert fits(hand, known._hidden[player], known._shown[player])
    guessed = Counter(card for hand in guess.hands.values() for card in hand) + Counter(guess.stock)
    assert guessed == unseen + shown + Counter(hands[seat])


def fits(hand, masks, shown) -> bool:
    """Whether the hand is one of those the masks allow: its hidden cards can be laid one on each mask."""
    hidden = list((Counter(hand) - Counter(shown)).elements())
    return len(hidden) == len(masks) and len(module._match(hidden, sorted(masks, key=lambda m: -m.bit_count()))) == len(
        masks
    )


def nines(seat=0, players=(0, 1), upcard="7H", rules=None):
    hand = tuple(map(Card, ["2C", "3C", "4C", "5C", "6C", "7C", "8C"]))
    return NinesKnowledge(RoundStart(1, False, 1, players, hand, Card(upcard), (0,) * len(players)), seat, rules or {})


def cards(text):
    return tuple(map(Card, text.split()))


def test_a_seat_that_drew_could_not_follow_with_any_card_it_held():
    known = nines()
    known.observe(Event(1, "draw", count=1))
    assert known.could_not_follow(1) == (Void("H", "7", 7),)
    assert not known.cannot_hold(1) & set(cards("KH 7D 9S"))  # the card it drew may be any
    rng = Random(3)
    for _ in range(50):
        matching = [card for card in known.guess(rng).hands[1] if card.suit == "H" or card.rank in "79"]
        assert len(matching) <= 1


def test_a_drawn_card_played_at_once_tells_nothing_of_the_others():
    known = nines()
    known.observe(Event(1, "draw", count=1))
    known.observe(Event(1, "play", cards("KH")))
    assert set(cards("QH 7S 9D")) <= known.cannot_hold(1)
    assert known.hand_sizes == {0: 7, 1: 7}


def test_a_card_it_could_not_have_held_then_was_drawn_since():
    known = nines()
    known.observe(Event(1, "draw", count=1))
    known.observe(Event(0, "play", cards("7C")))
    known.observe(Event(1, "play", cards("7S")))  # no seven before: so this was the card drawn
    assert set(cards("QH 7D 9D")) <= known.cannot_hold(1)


def test_until_playable_all_but_the_last_were_not_legal():
    known = nines(rules={"draw": "until_playable"})
    known.observe(Event(1, "draw", count=4))
    known.observe(Event(1, "play", cards("KH")))
    assert known.hand_sizes[1] == 10
    assert set(cards("QH 7S 9D")) <= known.cannot_hold(1)


def test_a_last_nine_that_may_not_be_played_is_not_ruled_out():
    known = nines(rules={"no_nine_out": True})
    for card in ["AH", "2H", "3H", "4H", "5H", "6H"]:
        known.observe(Event(1, "play", cards(card)))
    known.observe(Event(1, "draw", count=1))
    assert known.could_not_follow(1)[0].held == 1
    assert "9S" not in known.cannot_hold(1)


def test_cards_under_a_reshuffle_are_unseen_again():
    known = nines()
    known.observe(Event(1, "play", cards("KH")))
    assert "7H" not in known.unseen
    known.observe(Event(1, "reshuffle", count=1))
    assert "7H" in known.unseen
    assert known.pile == ["KH"]


def test_what_was_taken_stays_known_until_it_is_discarded():
    hand = cards("2C 5D 9H TS X1")
    known = NineKnowledge(RoundStart(1, False, 0, (0, 1), hand, Card("3H"), (0, 0)), 0, {})
    for happened in (Event(1, "take_discard", cards("3H")), Event(1, "discard", cards("KS"))):
        known.observe(happened)
    assert known.holds(1) == ("3H",)
    assert known.guess(Random(1)).hands[1].count(Card("3H")) == 1
    for happened in (
        Event(0, "draw_pile", cards("3C")),
        Event(0, "discard", cards("TS")),
        Event(1, "draw_pile"),
        Event(1, "discard", cards("3H 3D")),
    ):
        known.observe(happened)
    assert known.holds(1) == ()
    assert known.taken(1) == ("3H",)
    assert known.hand_sizes == {0: 5, 1: 4}


def test_guesses_follow_the_random_numbers_alone():
    assert nines().guess(Random(5)) == nines().guess(Random(5))
    assert nines().guess(Random(5)) != nines().guess(Random(6))


def test_every_possible_hand_is_guessed_about_equally_often():
    """Three unseen cards for a free and a bound hand: the bound one cannot be the heart."""
    chances = Counter()
    rng = Random(1)
    for _ in range(4000):
        unseen = list(cards("2H 3C 4C"))
        rng.shuffle(unseen)
        bound, free = module._deal_out(unseen, [module._SUIT["H"], 0], rng)
        chances[bound, free] += 1
    assert len(chances) == 4
    assert all(abs(count - 1000) < 130 for count in chances.values())  # four standard deviations


def test_the_examples_in_the_documentation_hold():
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 10) == (0, True)
    assert len(PACK_ORDER) == 54
