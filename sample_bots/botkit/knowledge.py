"""What follows from what was seen: cards not yet seen, who could not follow, what was taken, hands that are possible.

A bot has it as `self.known`, always up to date. It can be made by hand too, for a test or a question of your own:

>>> from botkit import Card, Event, RoundStart
>>> start = RoundStart(1, False, 1, (0, 1), (Card("9S"), Card("AC"), Card("QH")), Card("7H"), (0, 0))
>>> known = NinesKnowledge(start, seat=0, rules={"decks": 1})
>>> known.observe(Event(0, "play", (Card("QH"),)))
>>> known.observe(Event(1, "draw", count=1))  # seat 1 could not follow the queen of hearts, so it drew
>>> known.could_not_follow(1)
(Void(suit='H', rank='Q', held=3),)
>>> [str(card) for card in known.pile], len(known.unseen), known.hand_sizes[1], known.stock_size
(['7H', 'QH'], 48, 4, 44)
>>> from random import Random
>>> guess = known.guess(Random(1))  # hands as they may be: three of seat 1's cards are no heart, no queen and no nine
>>> len(guess.hands[1]), len(guess.stock), sum(card.suit == "H" for card in guess.hands[1]) <= 1
(4, 44, True)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from botkit.cards import CARDS, PACK_ORDER, Card, pack
from botkit.events import Event, RoundStart

NINES = sum(1 << PACK_ORDER[code] for code in ("9C", "9D", "9H", "9S"))
_ORDER = tuple(CARDS.values())
_BIT = {code: 1 << position for code, position in PACK_ORDER.items()}
_SUIT = {suit: sum(_BIT[code] for code in _ORDER if code.suit == suit and code.value) for suit in "CDHS"}
_RANK = {rank: sum(_BIT[code] for code in _ORDER if code.rank == rank) for rank in "A23456789TJQK"}


@dataclass(frozen=True, slots=True)
class Guess:
    """Hands and stock as they may be, by all that was seen. `stock`: the last card is the next drawn."""

    hands: Mapping[int, tuple[Card, ...]]
    """By seat, for the seats that play this round; the own hand is the true one."""
    stock: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Void:
    """A seat drew or passed (Nines): `held` cards it held then were neither of the suit nor of the rank, nor nines.

    With `no_nine_out` a last card may have been a nine (N6.5).
    """

    suit: str
    rank: str
    held: int


class Knowledge(ABC):
    """What one seat knows of one round, event by event."""

    def __init__(self, start: RoundStart, seat: int, cards: Iterable[Card]) -> None:
        self.seat = seat
        self.players = start.players
        self.pile: list[Card] = [start.upcard]
        """The discard pile now, oldest first; a reshuffle leaves its top card."""
        self.hand: list[Card] = list(start.hand)
        self.stock_size = 0
        self._all = sorted(cards, key=PACK_ORDER.__getitem__)
        size = len(start.hand) or (7 if len(start.players) <= 4 else 5)
        # What each hidden card of a seat cannot be, as bits in pack order. Of two masks one always holds the other.
        self._hidden: dict[int, list[int]] = {other: [0] * size for other in start.players if other != seat}
        self._shown: dict[int, list[Card]] = {other: [] for other in start.players}
        self.stock_size = len(self._all) - size * len(start.players) - 1

    @abstractmethod
    def observe(self, event: Event) -> None:
        """The event has happened: what it tells is known. Events come in order, each once."""

    @property
    def unseen(self) -> tuple[Card, ...]:
        """Cards that lie neither in the own hand nor on the discard pile, nor surely in another hand; in pack order.

        They are in the others' hands and in the stock. Cards under a reshuffled pile are unseen again.
        """
        seen = [*self.hand, *self.pile, *(card for cards in self._shown.values() for card in cards)]
        left = self._all.copy()
        for card in seen:
            left.remove(card)
        return tuple(left)

    @property
    def hand_sizes(self) -> dict[int, int]:
        """Cards held, by seat, for the seats that play this round."""
        sizes = {other: len(self._hidden[other]) + len(self._shown[other]) for other in self._hidden}
        return {player: len(self.hand) if player == self.seat else sizes[player] for player in self.players}

    def holds(self, seat: int) -> tuple[Card, ...]:
        """Cards that `seat` surely holds: its own seat's hand, or what another took in the open and still has."""
        return tuple(self.hand if seat == self.seat else self._shown[seat])

    def cannot_hold(self, seat: int) -> frozenset[Card]:
        """Cards that `seat` surely does not hold."""
        unseen = self.unseen
        if seat == self.seat:
            return frozenset(self._all) - set(self.hand)
        masks = self._hidden[seat]
        possible = {card for card in unseen if any(not mask & _BIT[card] for mask in masks)}
        return frozenset(self._all) - possible - set(self._shown[seat])

    def guess(self, rng: Random) -> Guess:
        """Hands and stock drawn at random from those that are possible. Draws follow `rng` alone."""
        cards = list(self.unseen)
        rng.shuffle(cards)
        wanted = [(mask, seat) for seat, masks in self._hidden.items() for mask in masks]
        wanted.sort(key=lambda want: -want[0].bit_count())
        hands: dict[int, list[Card]] = {seat: list(shown) for seat, shown in self._shown.items()}
        for (_, seat), card in zip(wanted, _deal_out(cards, [mask for mask, _ in wanted], rng), strict=True):
            hands[seat].append(card)
        if self.seat in hands:
            hands[self.seat] = list(self.hand)
        return Guess({seat: tuple(hand) for seat, hand in hands.items()}, tuple(cards))

    def _play_hidden(self, seat: int, card: Card) -> None:
        """`seat` has put down a hidden card: of those it may be, the one known best: no truth is ruled out."""
        masks = self._hidden[seat]
        bit = _BIT[card]
        fits = [index for index, mask in enumerate(masks) if not mask & bit]
        if not fits:  # never by the rules; a bot should rather know less than stop
            self._hidden[seat] = [0] * (len(masks) - 1)
            return
        gone = masks.pop(max(fits, key=lambda index: masks[index].bit_count()))
        for index, mask in enumerate(masks):
            if not mask & bit and mask & ~gone:
                masks[index] = mask & gone


class NinesKnowledge(Knowledge):
    """What one seat knows of one round of Nines."""

    def __init__(self, start: RoundStart, seat: int, rules: Mapping[str, Any]) -> None:
        super().__init__(start, seat, pack("nines", rules.get("decks", 1)))
        self.active_suit = "" if start.upcard.rank == "9" else start.upcard.suit
        self.passes = 0
        """Passes in a row up to now (N4.3)."""
        self._until_playable = rules.get("draw") == "until_playable"
        self._no_nine_out = bool(rules.get("no_nine_out"))
        self._voids: dict[int, list[Void]] = {player: [] for player in start.players}
        self._drawer: int | None = None  # the seat that has just drawn, until its turn is over

    def could_not_follow(self, seat: int) -> tuple[Void, ...]:
        """Each time this round that `seat` drew or passed for want of a legal card, oldest first."""
        return tuple(self._voids[seat])

    def observe(self, event: Event) -> None:
        """The event has happened: what it tells is known."""
        seat, do = event.seat, event.do
        if do == "forfeit":  # between a draw and the choice what to do with it, say: its stand-in goes on
            return
        if self._until_playable and self._drawer is not None and not (do == "play" and seat == self._drawer):
            self._last_was_not_legal(self._drawer)
        if do == "play":
            self._play(event)
        elif do == "draw":
            if self._drawer != seat:
                self._void(seat)
            self._draw(event)
        elif do == "forced_draw":
            self._draw(event, known=0)
            self._drawer = None
        elif do == "pass":
            self._drawer = None
            self._void(seat)
            self.passes += 1
        elif do == "reshuffle":
            self.pile = self.pile[-1:]
            self.stock_size = event.count
        elif do == "name_suit":
            self.active_suit = event.suit or ""
        else:
            self._drawer = None

    def _legal_now(self) -> int:
        """Cards that match the upcard, as bits."""
        return _RANK[self.pile[-1].rank] | _SUIT.get(self.active_suit, 0) | NINES

    def _void(self, seat: int) -> None:
        """No card that `seat` holds now is legal."""
        held = len(self.hand) if seat == self.seat else len(self._hidden[seat])
        self._voids[seat].append(Void(self.active_suit, self.pile[-1].rank, held))
        if seat != self.seat:
            legal = self._legal_now()
            if self._no_nine_out and held == 1:
                legal &= ~NINES
            self._hidden[seat] = [mask | legal for mask in self._hidden[seat]]

    def _draw(self, event: Event, known: int | None = None) -> None:
        """Cards were drawn. Of a series all but the last were not legal; of the last `observe` learns that later."""
        self.stock_size -= event.count
        self.passes = 0
        if event.seat == self.seat:
            self.hand.extend(event.cards)
            self._drawer = None
            return
        not_legal = self._legal_now() if known is None else known
        self._hidden[event.seat] += [not_legal] * (event.count - 1) + [0] * (event.count > 0)
        self._drawer = event.seat

    def _last_was_not_legal(self, seat: int) -> None:
        """Until a drawn card is legal one goes on drawing, and then one must play it (N2.4)."""
        self._hidden[seat][-1] |= self._legal_now()

    def _play(self, event: Event) -> None:
        self.passes = 0
        for card in event.cards:
            self.pile.append(card)
            if event.seat == self.seat:
                self.hand.remove(card)
            elif self._drawer == event.seat:
                self._hidden[event.seat].pop()  # after drawing, only the card just drawn may be played (N2.3)
            else:
                self._play_hidden(event.seat, card)
        self.active_suit = event.suit or event.cards[-1].suit
        self._drawer = None


class NineKnowledge(Knowledge):
    """What one seat knows of one round of Nine.

    >>> from botkit import Card, Event, RoundStart
    >>> hand = tuple(map(Card, ("2C", "5D", "9H", "TS", "X1")))
    >>> known = NineKnowledge(RoundStart(1, False, 0, (0, 1), hand, Card("3H"), (0, 0)), seat=0, rules={})
    >>> for event in (Event(1, "take_discard", (Card("3H"),)), Event(1, "discard", (Card("KS"),))):
    ...     known.observe(event)
    >>> known.taken(1), known.holds(1), known.pile
    (('3H',), ('3H',), ['KS'])
    >>> known.hand_sizes, known.stock_size
    ({0: 5, 1: 5}, 43)
    """

    def __init__(self, start: RoundStart, seat: int, rules: Mapping[str, Any]) -> None:
        super().__init__(start, seat, pack("nine"))
        self._taken: dict[int, list[Card]] = {player: [] for player in start.players}

    def taken(self, seat: int) -> tuple[Card, ...]:
        """Every card that `seat` took from the discard pile this round, in order, also those it discarded since."""
        return tuple(self._taken[seat])

    def observe(self, event: Event) -> None:
        """The event has happened: what it tells is known."""
        seat, do = event.seat, event.do
        if do == "draw_pile":
            self.stock_size -= 1
            if seat == self.seat:
                self.hand.extend(event.cards)
            else:
                self._hidden[seat].append(0)
        elif do == "take_discard":
            self.pile.pop()
            self._taken[seat].extend(event.cards)
            (self.hand if seat == self.seat else self._shown[seat]).extend(event.cards)
        elif do == "discard":
            for card in event.cards:
                self.pile.append(card)
                if seat == self.seat:
                    self.hand.remove(card)
                elif card in self._shown[seat]:
                    self._shown[seat].remove(card)
                else:
                    self._play_hidden(seat, card)
        elif do == "reshuffle":
            self.pile = self.pile[-1:]
            self.stock_size = event.count


def knowledge(game: str, start: RoundStart, seat: int, rules: Mapping[str, Any]) -> NinesKnowledge | NineKnowledge:
    """What `seat` knows at the start of a round of that game."""
    return NineKnowledge(start, seat, rules) if game == "nine" else NinesKnowledge(start, seat, rules)


def _deal_out(cards: list[Card], masks: Sequence[int], rng: Random) -> list[Card]:
    """One card for each mask that the mask does not forbid, taken out of `cards`, in the order of `masks`.

    Cards come shuffled, masks with those that forbid most first. ValueError if it cannot be done.
    """
    dealt: list[Card] = []
    for mask in masks:
        if not mask:
            if dealt and masks[len(dealt) - 1]:
                rng.shuffle(cards)  # what was passed over would otherwise be dealt first
            dealt.append(cards.pop())
            continue
        for index in range(len(cards) - 1, -1, -1):
            if not mask & _BIT[cards[index]]:
                dealt.append(cards.pop(index))
                break
        else:
            cards.extend(dealt)
            return _match(cards, masks)
    return dealt


def _match(cards: list[Card], masks: Sequence[int]) -> list[Card]:
    """As `_deal_out`, by exchanging cards along augmenting paths: finds a way whenever there is one."""
    owner: dict[int, int] = {}

    def place(want: int, tried: set[int]) -> bool:
        for index, card in enumerate(cards):
            if index in tried or masks[want] & _BIT[card]:
                continue
            tried.add(index)
            if index not in owner or place(owner[index], tried):
                owner[index] = want
                return True
        return False

    if not all(place(want, set()) for want in range(len(masks))):
        raise ValueError("no hands are possible by the events observed")
    chosen = {want: cards[index] for index, want in owner.items()}
    cards[:] = [card for index, card in enumerate(cards) if index not in owner]
    return [chosen[want] for want in range(len(masks))]
