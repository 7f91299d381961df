"""Hands as bits, and every action of Nines made once: tables that turn the rules of a turn into lookups.

A card is its number in the pack (0..51, `referee.cards`). A hand is an integer: bit c for a card c it holds, bit c + 52
for a second copy of it (two packs). So a hand's lowest 52 bits are its different cards, and what may be played of them
on a given upcard is one `&` (N2.1).

A *choice* is an integer too: the bits of the cards that may be played, those of second nines, and flags for what else
may be chosen. It has the bits of an action's `MASKS` entry exactly when that action is legal, and `LEGAL[choice]` is
the list of them in the order of S7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from referee.cards import NUMBER, PACK, SUITS
from referee.games.base import Action

RANK_NINE = 8
CARDS = len(PACK)
BITS = tuple(1 << card for card in range(CARDS))
NINE_CARDS = tuple(suit * 13 + RANK_NINE for suit in range(4))
IN_SUIT = tuple(sum(BITS[13 * suit : 13 * suit + 13]) for suit in range(4))
NINES = sum(BITS[card] for card in NINE_CARDS)
SECOND_NINES = NINES << CARDS
ONE_PACK = (1 << CARDS) - 1

# flags of a choice, above the bits of cards
PAIRS, KEEP, ACCEPT, NAMING, NEVER = (1 << 2 * CARDS + flag for flag in range(5))


def _cards(hand: int) -> Iterator[int]:
    """The different cards of a hand, in pack order."""
    left = hand & ONE_PACK
    while left:
        lowest = left & -left
        left ^= lowest
        yield lowest.bit_length() - 1


class _Codes(dict[int, tuple[str, ...]]):
    """The text forms of some cards of one suit, in pack order, by their bits; filled as they occur."""

    def __missing__(self, cards: int) -> tuple[str, ...]:
        self[cards] = in_order = tuple([PACK[card] for card in _cards(cards)])
        return in_order


_CODES = _Codes()


def held(hand: int) -> tuple[str, ...]:
    """The cards of a hand in pack order, equal ones beside each other."""
    if not hand:
        return ()
    clubs, diamonds, hearts, spades = IN_SUIT
    cards = _CODES[hand & clubs] + _CODES[hand & diamonds] + _CODES[hand & hearts] + _CODES[hand & spades]
    seconds = hand >> CARDS
    return tuple(sorted(cards + held(seconds), key=NUMBER.__getitem__)) if seconds else cards


def one_pack_hand(cards: Iterable[int]) -> int:
    """The hand of `cards`, all different."""
    hand = 0
    for card in cards:
        hand |= BITS[card]
    return hand


def two_packs_hand(cards: Iterable[int]) -> int:
    """The hand of `cards`, at most two of each."""
    hand = 0
    for card in cards:
        bit = BITS[card]
        hand |= bit << CARDS if hand & bit else bit
    return hand


def without(hand: int, card: int) -> int:
    """The hand after one copy of `card` has left it."""
    bit = BITS[card]
    return hand ^ (bit << CARDS if hand >> CARDS & bit else bit)


def _all_actions() -> Iterator[tuple[Action, int, int]]:
    """Each action with its mask, and the card that lies on top when it has been played (-1 for none)."""
    for card, code in enumerate(PACK):
        # a nine needs a suit: its plain number is a gap that is never legal
        mask = NEVER if card in NINE_CARDS else BITS[card]
        yield Action("play", (code,)), mask, card
    for card in NINE_CARDS:
        for suit in SUITS:
            yield Action("play", (PACK[card],), suit), BITS[card], card
    for first in NINE_CARDS:
        for second in NINE_CARDS:
            mask = PAIRS | BITS[first] | (BITS[second] << CARDS if first == second else BITS[second])
            for suit in SUITS:
                yield Action("play", (PACK[first], PACK[second]), suit), mask, second
    yield Action("keep"), KEEP, -1
    yield Action("accept"), ACCEPT, -1
    for suit in SUITS:
        yield Action("name_suit", (), suit), NAMING, -1


def _numbered() -> tuple[tuple[Action, ...], tuple[int, ...], tuple[int, ...]]:
    actions, masks, cards = [], [], []
    for key, (action, mask, card) in enumerate(_all_actions()):
        actions.append(Action(action.do, action.cards, action.suit, key))
        masks.append(mask)
        cards.append(card)
    # an action made by hand has the key -1: the last entry, never legal, so it is looked up in `INTERNED`
    return tuple(actions), (*masks, NEVER), tuple(cards)


ACTIONS, MASKS, _LEFT_ON_TOP = _numbered()
"""By key: the action, its mask as described above, and the number of the card it leaves on top."""

FIRST_NINE = CARDS
FIRST_PAIR = FIRST_NINE + 4 * 4
"""Keys below it play one card, and those from `FIRST_NINE` on name a suit."""
KEEP_KEY = FIRST_PAIR + 4 * 4 * 4
ACCEPT_KEY = KEEP_KEY + 1
FIRST_NAMING = ACCEPT_KEY + 1

ONE_CARD = tuple(mask if key < FIRST_PAIR else 0 for key, mask in enumerate(MASKS))
"""By key: the mask of an action that plays one card, 0 of any other."""

INTERNED: dict[Action, Action] = {action: action for action in ACTIONS if MASKS[action.key] != NEVER}

WAYS: Sequence[Sequence[Action]] = tuple(
    ACTIONS[FIRST_NINE + card // 13 * 4 :][:4] if card in NINE_CARDS else ACTIONS[card : card + 1]
    for card in range(CARDS)
)
"""By card: the ways to play it, four for a nine (N3.1)."""


def _after() -> tuple[tuple[int, ...], tuple[str, ...]]:
    of_rank = [sum(BITS[rank::13]) for rank in range(13)]

    def playable(card: int, suit: int) -> int:
        return NINES | IN_SUIT[suit] | of_rank[card % 13]

    printed = [playable(card, card // 13) for card in range(CARDS)]
    named = [playable(NINE_CARDS[0], suit) for suit in range(4)]
    masks = (*printed, *named * 4, *named * 16, *[0] * 6)
    suits = ["" if card in NINE_CARDS else SUITS[card // 13] for card in range(CARDS)]
    return (
        (*masks, *(playable(card, suit) for card in range(CARDS) for suit in range(4))),
        (*suits, *SUITS * 20, *[""] * 6, *SUITS * CARDS),
    )


PLAYABLE, ACTIVE = _after()
"""By the key of what was last put on the discard pile: the cards that are legal on it, by rank, active suit or being a
nine (N2.1); and the active suit, empty for a nine of which none is named yet. From `TURNED_UP` on the index is a card
that no action put there and the suit that is active on it: `TURNED_UP + card * 4 + suit`."""
TURNED_UP = len(ACTIONS)

TOPS = (*_LEFT_ON_TOP, *(card for card in range(CARDS) for suit in range(4)))
"""By the same keys: the number of the upcard, -1 where there is none."""

FACE_UP = tuple(-1 if card in NINE_CARDS else TURNED_UP + card * 4 + card // 13 for card in range(CARDS))
"""By the card that is turned up after the deal: its index of `PLAYABLE`, -1 for a nine, whose suit is to be named."""

PASS, SKIP = Action("pass"), Action("skip")

Entry = tuple[int, Action]
"""Of a round's log: who did it, and what; an `Action` even where nobody chose it."""
MOST_SEATS = 6
LOGGED: tuple[tuple[Entry, ...], ...] = tuple(tuple((seat, action) for action in ACTIONS) for seat in range(MOST_SEATS))
"""By seat and key of an action: the entry of a log, shared by all of them."""

PLAYED = tuple(
    tuple(zip(LOGGED[seat][:KEEP_KEY], (BITS[card] for card in TOPS), PLAYABLE, strict=False))
    for seat in range(MOST_SEATS)
)
"""By seat and key of a play: its entry, the bit of the card that it leaves on top, and the cards legal on that."""
DRAWS = tuple(
    tuple(((seat, Action("draw", (code,))), bit) for code, bit in zip(PACK, BITS, strict=True))
    for seat in range(MOST_SEATS)
)
"""By seat and card drawn: its entry, and the card's bit."""


class _SuitPlays(dict[int, tuple[Action, ...]]):
    """Every way to play some cards of one suit, in pack order, by their bits; filled as they occur."""

    def __missing__(self, cards: int) -> tuple[Action, ...]:
        self[cards] = plays = tuple([way for card in _cards(cards) for way in WAYS[card]])
        return plays


_PLAYS = _SuitPlays()


def _beyond_single_cards(choice: int) -> Iterator[Action]:
    """What a choice has besides plays of one card: pairs, then what takes no card (S7)."""
    if choice & PAIRS:
        for first in range(4):
            for second in range(first, 4):
                key = FIRST_PAIR + (first * 4 + second) * 4
                if choice & MASKS[key] == MASKS[key]:
                    yield from ACTIONS[key : key + 4]
    if choice & KEEP:
        yield ACTIONS[KEEP_KEY]
    if choice & ACCEPT:
        yield ACTIONS[ACCEPT_KEY]
    if choice & NAMING:
        yield from ACTIONS[FIRST_NAMING:]


ROOM = 1 << 15
"""How many entries a table keeps before it begins anew."""


class _LegalLists(dict[int, tuple[Action, ...]]):
    """The legal actions of a choice in the order of S7, made on first use and kept while there is room."""

    def __missing__(self, choice: int) -> tuple[Action, ...]:
        if len(self) >= ROOM:
            self.clear()
        clubs, diamonds, hearts, spades = IN_SUIT
        legal = _PLAYS[choice & clubs] + _PLAYS[choice & diamonds] + _PLAYS[choice & hearts] + _PLAYS[choice & spades]
        if choice > ONE_PACK:
            legal += tuple(_beyond_single_cards(choice))
        self[choice] = legal
        return legal


LEGAL = _LegalLists()
