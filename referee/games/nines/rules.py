"""A round of Nines: deal, legal actions, and what follows from each of them (N1-N6). One engine for every option.

`moves.py` has the representation, `refusal.py` says why an action is not legal, RULES.md has the rules in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from referee.cards import NUMBER, PACK, codes
from referee.errors import IllegalAction
from referee.games.base import Action, Json, Round, RoundEnd, Rules, ShufflerLike
from referee.games.nines import record
from referee.games.nines.moves import (
    ACCEPT,
    ACCEPT_KEY,
    ACTIVE,
    BITS,
    CARDS,
    DRAWN_LOGGED,
    FIRST_PAIR,
    INTERNED,
    KEEP,
    KEEP_KEY,
    LEGAL,
    LOGGED,
    MASKS,
    NAMING,
    NINE_CARDS,
    NINES,
    PAIRS,
    PASS,
    PLAYABLE,
    PLAYED,
    PLAYS,
    SECOND_NINES,
    SKIP,
    TURNED_UP,
    Entry,
    held,
    one_pack_hand,
    two_packs_hand,
)
from referee.games.nines.options import UNTIL_PLAYABLE
from referee.games.nines.refusal import refusal
from referee.games.nines.scoring import HARD, PLAIN, penalty
from referee.games.nines.view import Discard, View

NAME_SUIT, TURN, DRAWN, ANSWER = "name_suit", "turn", "drawn", "answer"
"""Phases, as in views: an upcard nine is to be named (N1.5); an ordinary turn; a legal card has been drawn (N2.3,
N2.4); the seat is about to be skipped by a pair of nines (N6.6)."""

_DRAWS_TWO, _SKIPS, _REVERSES = 1, 2, 3
_POWERS = (_DRAWS_TWO, *(0,) * 9, _SKIPS, _REVERSES, 0)
"""What a card does to the next player, by rank, ace to king (N6.2)."""


class Table(NamedTuple):
    """What stays the same for a whole round: who plays, by which rules, and where its shuffles come from."""

    rules: Rules
    number: int
    kind: str
    seats: tuple[int, ...]
    players: int
    dealer: int
    totals: tuple[int, ...]
    shuffler: ShufflerLike
    label: str


@cache
def _neighbours(seats: tuple[int, ...], players: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """By seat, the next of `seats` clockwise, and the next the other way (N1.3, N6.2); -1 for who does not play."""
    left, right = [-1] * players, [-1] * players
    for seat, following in zip(seats, seats[1:] + seats[:1], strict=True):
        left[seat], right[following] = following, seat
    return tuple(left), tuple(right)


class NinesRound(Round):
    """One deal of Nines being played out; see `Round` for what its methods promise."""

    __slots__ = (
        "_after",
        "_before",
        "_choice",
        "_discards",
        "_fixed",
        "_hands",
        "_history",
        "_history_upto",
        "_log",
        "_passed_at",
        "_passes",
        "_pile",
        "_stock",
        "_top",
        "drawn",
        "phase",
        "reshuffles",
        "table",
        "turns",
    )

    def __init__(self, table: Table, forfeited: frozenset[int] = frozenset()) -> None:
        """A round at that table with nothing dealt; use `dealt` or `from_position`."""
        self.table = table
        self.forfeited = forfeited
        self.turn = None
        self.end = None
        self.phase = TURN
        self.drawn = -1
        self.turns = self.reshuffles = 0
        self._after, self._before = _neighbours(table.seats, table.players)
        self._hands = [0] * table.players
        self._pile: list[int] = []
        self._stock: list[int] = []
        self._discards: list[int] = []
        self._log: list[Entry] = []
        self._fix()
        self._history: list[Discard] = []
        self._history_upto = 0
        self._top = self._choice = self._passes = self._passed_at = 0

    def _fix(self) -> None:
        """What `_play_on` works on is at hand in one tuple: what the rules say, and the lists that are this round."""
        rules = self.table.rules
        self._fixed = (
            rules["draw"] == UNTIL_PLAYABLE,
            rules["no_nine_out"],
            rules["decks"] == 2,
            _POWERS if rules["powers"] else (),
            rules["max_turns"],
            self._hands,
            self._stock,
            self._log,
            self._discards,
        )

    @classmethod
    def dealt(cls, table: Table, forfeited: frozenset[int]) -> NinesRound:
        """A round dealt by N1.2 from its own shuffle and advanced to its first real choice."""
        state = cls(table, forfeited)
        pack = range(CARDS) if table.rules["decks"] == 1 else (*range(CARDS), *range(CARDS))
        state._pile = table.shuffler.shuffle(f"{table.label}/deal", pack)
        as_hand = one_pack_hand if table.rules["decks"] == 1 else two_packs_hand
        hands, upcard, stock = state._dealt()
        for seat, hand in hands:
            state._hands[seat] = as_hand(hand)
        state._stock += stock
        state._discards.append(upcard)
        if upcard in NINE_CARDS:
            state._top = upcard
            state._ask(table.dealer, NAME_SUIT, NAMING)  # N1.5
        else:
            state._top = TURNED_UP + upcard * 4 + upcard // 13
            state._play_on(state._after[table.dealer], None)  # N1.3
        return state

    @classmethod
    def resumed(
        cls,
        table: Table,
        forfeited: frozenset[int],
        *,
        hands: Mapping[int, Iterable[int]],
        stock: Iterable[int],
        discards: Iterable[int],
        suit: int | None,
        clockwise: bool,
        passes: int,
        turns: int,
        reshuffles: int,
        seat: int,
        phase: str,
        drawn: int | None,
    ) -> NinesRound:
        """A round in the middle of play, with `seat` about to act in `phase`; see `position.from_position`."""
        state = cls(table, forfeited)
        for player, cards in hands.items():
            state._hands[player] = two_packs_hand(cards)
        state._stock.extend(stock)
        state._discards.extend(discards)
        state._history.extend([Discard(PACK[card]) for card in state._discards])
        if not clockwise:
            state._after, state._before = state._before, state._after
        state._passes, state.turns, state.reshuffles = passes, turns, reshuffles
        upcard = state._discards[-1]
        state._top = upcard if suit is None else TURNED_UP + upcard * 4 + suit
        if phase == NAME_SUIT:
            state._ask(seat, NAME_SUIT, NAMING)
        elif phase == ANSWER:
            state._threaten(seat)
        elif phase == DRAWN:
            assert drawn is not None
            state.drawn = drawn
            may_keep = table.rules["draw"] != UNTIL_PLAYABLE
            if may_keep or drawn in NINE_CARDS:
                state._ask(seat, DRAWN, BITS[drawn] | (KEEP if may_keep else 0))
            else:
                state._play_on(seat, PLAYS[BITS[drawn]])
        else:
            state._play_on(seat, None)
        return state

    def _dealt(self) -> tuple[list[tuple[int, list[int]]], int, list[int]]:
        """N1.2: the seats from dealer's left on with the cards dealt to each, one at a time; the upcard; the stock."""
        seats, pile = self.table.seats, self._pile
        players = len(seats)
        given = players * (7 if players <= 4 else 5)
        cards = pile[: -given - 1 : -1]
        left = _neighbours(seats, self.table.players)[0]
        seat = self.table.dealer
        hands = []
        for place in range(players):
            seat = left[seat]
            hands.append((seat, cards[place::players]))
        return hands, pile[-given - 1], pile[: -given - 1]

    # ---- play

    def legal(self) -> tuple[Action, ...]:
        return LEGAL[self._choice]

    def resolve(self, action: Action) -> Action:
        known = INTERNED.get(action)
        if known is not None and self._choice & MASKS[known.key] == MASKS[known.key]:
            return known
        rule, reason = refusal(self, action)
        seat = -1 if self.turn is None else self.turn
        raise IllegalAction(seat, str(action), rule, reason, [str(legal) for legal in self.legal()])

    def apply(self, action: Action) -> int:
        index = len(self._log)
        seat, key = self.turn, action.key
        mask = MASKS[key] & self._choice
        if not mask or mask != MASKS[key] or seat is None:
            return self.apply(self.resolve(action))
        if key < FIRST_PAIR:
            self._play_on(seat, action)  # one card, by far the most frequent choice
        elif key == KEEP_KEY:
            self._log.append(LOGGED[seat][key])
            self.turns += 1
            if self.turns >= self.table.rules["max_turns"]:
                self._finish("max_turns", self.turns)
            else:
                self._play_on(self._after[seat], None)
        elif key < KEEP_KEY:
            self._lay(seat, NUMBER[action.cards[0]])
            self.phase = ANSWER  # a pair threatens the next player as an answer does (N6.3, N6.6)
            self._play_on(seat, action)
        else:
            self._log.append(LOGGED[seat][key])
            if key == ACCEPT_KEY:
                self._skip(seat)
            else:
                self._top = key
                self._play_on(self._after[seat], None)
        return index

    def _play_on(self, seat: int, action: Action | None) -> None:
        """`seat` has played the card of `action`, or with None comes to act; then the round has gone on to its next
        real choice or its end, by everything that nobody decides: the course of turns (N2, N4).

        Nearly all time of a match is spent here, so it works on locals and spells out laying and taking one card.
        """
        until_playable, no_nine_out, two_packs, powers, max_turns, hands, stock, log, discards = self._fixed
        after, turns, top = self._after, self.turns, self._top
        playable = PLAYABLE[top]
        while True:
            if action is not None:
                top = action.key
                log.append(LOGGED[seat][top])
                bit, card, playable = PLAYED[top]
                discards.append(card)
                hand = hands[seat]
                if two_packs and hand >> CARDS & bit:
                    bit <<= CARDS
                hands[seat] = hand = hand ^ bit
                turns += 1
                if not hand:
                    return self._finish("out", turns, seat)  # N5.1
                if turns >= max_turns:
                    return self._finish("max_turns", turns)  # N4.4, before any power
                if two_packs and self.phase == ANSWER:
                    self._top, self.turns = top, turns
                    return self._threaten(after[seat])
                if powers and (power := powers[card % 13]):
                    seat = self._use_power(power, seat)
                    after = self._after
                else:
                    seat = after[seat]

            hand = hands[seat]
            legal = hand & playable
            if no_nine_out and not hand & hand - 1 and hand & NINES:
                legal = 0  # N6.5
            if legal:
                if legal in PLAYS:
                    action = PLAYS[legal]  # N2.2: it must be played, so nobody is asked
                    continue
                if two_packs and legal & NINES:
                    legal |= self._pairs(hand)
                self.turn, self.phase, self._choice, self._top, self.turns = seat, TURN, legal, top, turns
                return None

            action = None
            if not stock and not self._refill(seat):
                self._pass(seat)  # N4.2
                if self._passes == len(self.table.seats):
                    return self._finish("deadlock", turns + 1)  # N4.3
            else:
                if until_playable:
                    card = self._draw_series(seat, playable)
                    bit = BITS[card]
                else:
                    card = stock.pop()
                    bit = BITS[card]
                    hands[seat] = hand | (bit << CARDS if two_packs and hand & bit else bit)
                    log.append(DRAWN_LOGGED[seat][card])
                if bit & playable:
                    if until_playable and bit in PLAYS:
                        action = PLAYS[bit]  # N2.4: it must be played
                        continue
                    choice = bit if until_playable else bit | KEEP  # N2.3, N2.4
                    self.turn, self.phase, self._choice, self._top, self.turns = seat, DRAWN, choice, top, turns
                    self.drawn = card
                    return None
            turns += 1
            if turns >= max_turns:
                return self._finish("max_turns", turns)
            seat = after[seat]

    def _ask(self, seat: int, phase: str, choice: int) -> None:
        self.turn, self.phase, self._choice = seat, phase, choice

    def _lay(self, seat: int, card: int) -> int:
        """`seat` has put a card on the discard pile; what is left of the hand."""
        self._discards.append(card)
        hand = self._hands[seat]
        bit = BITS[card]
        hand ^= bit << CARDS if hand >> CARDS & bit else bit
        self._hands[seat] = hand
        return hand

    def _take(self, seat: int) -> int:
        """The top card of the stock, now in the hand of `seat`; the stock must hold one."""
        card = self._stock.pop()
        hand = self._hands[seat]
        bit = BITS[card]
        self._hands[seat] = hand | (bit << CARDS if hand & bit else bit)
        return card

    def _pass(self, seat: int) -> None:
        """`seat` has passed; passes in a row are those with nothing logged between them (N4.3)."""
        self._passes = self._passes + 1 if self._passed_at == len(self._log) else 1
        self._log.append((seat, PASS))
        self._passed_at = len(self._log)

    def _draw_series(self, seat: int, playable: int) -> int:
        """The last of the cards that `seat` has drawn: legal, unless the stock has given out (N2.4)."""
        series: list[int] = []
        while True:
            series.append(self._take(seat))
            legal = BITS[series[-1]] & playable
            if legal or not self._stock:
                self._log.append((seat, Action("draw", codes(series))))
                if legal or not self._refill(seat):
                    return series[-1]
                series = []  # a reshuffle splits the series in two events

    def _refill(self, seat: int) -> bool:
        """Whether the empty stock could be made anew, from all discards but the upcard (N4.1, N4.2)."""
        if len(self._discards) < 2:
            return False
        self.reshuffles += 1
        label = f"{self.table.label}/reshuffle/{self.reshuffles}"
        self._stock += self.table.shuffler.shuffle(label, self._discards[:-1])
        del self._discards[:-1]
        self._log.append((seat, Action("reshuffle", codes(self._stock))))
        return True

    def _use_power(self, power: int, seat: int) -> int:
        """The seat that comes to act after `seat` has played a card with that power (N6.2)."""
        if power == _REVERSES and len(self.table.seats) > 2:
            self._after, self._before = self._before, self._after
            return self._after[seat]
        victim = self._after[seat]
        if power == _DRAWS_TWO:
            self._draw_two(victim)
            if self.table.rules["ace_keeps_turn"]:
                return victim
        else:
            self._log.append((victim, SKIP))
        return self._after[victim]

    def _draw_two(self, seat: int) -> None:
        """`seat` has drawn two cards for an ace, fewer if the stock gives out; a reshuffle splits the event."""
        if not self._stock:
            self._refill(seat)
        drawn: list[int] = []
        for left in (1, 0):
            if self._stock:
                drawn.append(self._take(seat))
            if not left or not self._stock:
                self._log.append((seat, Action("forced_draw", codes(drawn))))
                drawn = []
                if not left or not self._refill(seat):
                    return

    def _pairs(self, hand: int) -> int:
        """What a choice needs for `hand` to play a pair of nines, 0 if it may not (N6.3, N6.5)."""
        nines = hand & (NINES | SECOND_NINES)
        if not nines & nines - 1 or (self.table.rules["no_nine_out"] and hand.bit_count() == 2):
            return 0
        return PAIRS | hand & SECOND_NINES

    def _threaten(self, seat: int) -> None:
        """`seat` is about to be skipped by nines: it may answer if it can (N6.6), else it has been skipped (N6.3)."""
        rules = self.table.rules
        hand = self._hands[seat]
        nines = hand & NINES
        if rules["stacking_nines"] and nines and not (rules["no_nine_out"] and not hand & hand - 1):
            self._ask(seat, ANSWER, nines | self._pairs(hand) | ACCEPT)
        else:
            self._skip(seat)

    def _skip(self, seat: int) -> None:
        self._log.append((seat, SKIP))
        self.phase = TURN
        self._play_on(self._after[seat], None)

    def _finish(self, reason: str, turns: int, by: int | None = None) -> None:
        self.turns = turns
        points = HARD if self.table.rules["hard_nines"] else PLAIN
        hands, penalties = {}, {}
        for seat in self.table.seats:
            hand = self._hands[seat]
            hands[seat] = held(hand)
            penalties[seat] = 0 if reason == "forfeit" else penalty(hand, points)
        self.turn = None
        self._choice = 0
        self.end = RoundEnd(reason, by, hands, penalties)

    def stop(self) -> None:
        if self.end is not None:
            raise ValueError(f"the round has ended already: {self.end.reason}")
        self._finish("forfeit", self.turns)

    # ---- what can be read

    @property
    def direction(self) -> int:
        """1 clockwise, -1 after an odd number of reversing queens."""
        return 1 if self._after == _neighbours(self.table.seats, self.table.players)[0] else -1

    @property
    def upcard(self) -> str:
        return PACK[self._discards[-1]]

    @property
    def active_suit(self) -> str:
        """The suit to match; empty while an upcard nine is not yet named."""
        return ACTIVE[self._top]

    def hand(self, seat: int) -> tuple[str, ...]:
        """The cards of a seat in pack order."""
        return held(self._hands[seat])

    def piles(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """The stock, the discards, and how many passes in a row there were: what no bot may see in order."""
        passes = self._passes if self._passed_at == len(self._log) else 0
        return tuple(self._stock), tuple(self._discards), passes

    def event_count(self) -> int:
        return len(self._log)

    def events(self) -> list[dict[str, Json]]:
        return [record.document(seat, action) for seat, action in self._log]

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        return record.visible(self._log[start:], seat)

    def deal(self) -> dict[str, Json]:
        if not self._pile:
            raise ValueError("a round that began at a position was not dealt")
        hands, upcard, stock = self._dealt()
        by_seat = dict(hands)
        return {
            "hands": {str(seat): list(codes(by_seat[seat])) for seat in self.table.seats},
            "upcard": PACK[upcard],
            "stock": list(codes(stock)),
        }

    def view(self, seat: int) -> View:
        table, own = self.table, seat == self.turn
        return View(
            seat=seat,
            hand=self.hand(seat),
            upcard=self.upcard,
            active_suit=self.active_suit,
            discards=self.history(),
            hand_sizes=tuple([hand.bit_count() for hand in self._hands]),
            stock_size=len(self._stock),
            direction=self.direction,
            dealer=table.dealer,
            scores=table.totals,
            round=table.number,
            playoff=table.kind == "playoff",
            players=table.seats,
            phase=self.phase if own else "",
            drawn=PACK[self.drawn] if own and self.phase == DRAWN else "",
            turns=self.turns,
            reshuffles=self.reshuffles,
            forfeited=tuple(sorted(self.forfeited)),
        )

    def history(self) -> tuple[Discard, ...]:
        """This round's whole discard history, oldest first, reshuffled cards too (N8)."""
        if not self._history:
            self._history.append(Discard(self.deal()["upcard"]))
        record.extend_history(self._history, self._log, self._history_upto)
        self._history_upto = len(self._log)
        return tuple(self._history)

    def clone(self) -> NinesRound:
        copy = NinesRound.__new__(NinesRound)
        copy.table, copy.forfeited, copy.turn, copy.end = self.table, self.forfeited, self.turn, self.end
        copy.phase, copy.drawn, copy.turns, copy.reshuffles = self.phase, self.drawn, self.turns, self.reshuffles
        copy._after, copy._before, copy._pile = self._after, self._before, self._pile
        copy._top, copy._choice = self._top, self._choice
        copy._passes, copy._passed_at = self._passes, self._passed_at
        copy._hands, copy._stock = self._hands[:], self._stock[:]
        copy._discards, copy._log = self._discards[:], self._log[:]
        copy._fix()
        copy._history, copy._history_upto = self._history[:], self._history_upto
        return copy
