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
    FIRST_NAMING,
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
    TOPS,
    TURNED_UP,
    Entry,
    held,
    one_pack_hand,
    two_packs_hand,
    without,
)
from referee.games.nines.options import UNTIL_PLAYABLE
from referee.games.nines.refusal import refusal
from referee.games.nines.scoring import HARD, PLAIN, penalty
from referee.games.nines.view import Discard, View

NAME_SUIT, TURN, DRAWN, ANSWER = "name_suit", "turn", "drawn", "answer"
"""Phases, as in views: an upcard nine is to be named (N1.5); an ordinary turn; a legal card has been drawn (N2.3,
N2.4); the seat is about to be skipped by a pair of nines (N6.6)."""

_DRAWS_TWO, _SKIPS, _REVERSES = 1, 2, 3
_POWERS = tuple({0: _DRAWS_TWO, 10: _SKIPS, 11: _REVERSES}.get(card % 13, 0) for card in TOPS)
_NO_POWERS = (0,) * len(TOPS)
"""By the key of a play: what its card does to the next player, if anything (N6.2)."""


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


_PACKS = {decks: tuple(range(CARDS)) * decks for decks in (1, 2)}
"""The cards before a deal (S4)."""


def _cards_given(players: int) -> int:
    """How many cards are dealt to all players together (N1.2)."""
    return players * 7 if players <= 4 else players * 5


def _dealt_to(place: int, pile: list[int], players: int) -> list[int]:
    """The cards dealt, one at a time, to the player at that place from dealer's left on, 0 first (N1.2)."""
    return pile[-1 - place : -1 - _cards_given(players) : -players]


class NinesRound(Round):
    """One deal of Nines being played out; see `Round` for what its methods promise."""

    __slots__ = (
        "_after",
        "_before",
        "_choice",
        "_discards",
        "_discards_upto",
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
        self._after, self._before = _neighbours(table.seats, table.players)
        self._pile: list[int] = []
        self._discards: list[int] = []
        self._history: list[Discard] = []
        self.turns = self.reshuffles = self._top = self._choice = 0
        self._passes = self._passed_at = self._discards_upto = self._history_upto = 0
        self._keep([0] * table.players, [], [])

    def _keep(self, hands: list[int], stock: list[int], log: list[Entry]) -> None:
        """The lists are this round's own; `_play_on` has them at hand in one tuple, with what the rules say."""
        rules = self.table.rules
        self._hands, self._stock, self._log = hands, stock, log
        self._fixed = (
            rules["draw"] == UNTIL_PLAYABLE,
            rules["no_nine_out"],
            rules["decks"] == 2,
            _POWERS if rules["powers"] else _NO_POWERS if rules["decks"] == 2 else (),
            rules["max_turns"],
            hands,
            stock,
            log,
        )

    @classmethod
    def dealt(cls, table: Table, forfeited: frozenset[int]) -> NinesRound:
        """A round dealt by N1.2 from its own shuffle and advanced to its first real choice."""
        state = cls(table, forfeited)
        decks, dealer = table.rules["decks"], table.dealer
        state._pile = pile = table.shuffler.shuffle(f"{table.label}/deal", _PACKS[decks])
        given = _cards_given(len(table.seats))
        as_hand = one_pack_hand if decks == 1 else two_packs_hand
        seat = dealer
        for place in range(len(table.seats)):
            seat = state._after[seat]
            state._hands[seat] = as_hand(_dealt_to(place, pile, len(table.seats)))
        state._stock += pile[: -given - 1]
        upcard = pile[-given - 1]
        state._discards.append(upcard)
        if upcard in NINE_CARDS:
            state._top = upcard
            state._ask(dealer, NAME_SUIT, NAMING)  # N1.5
        else:
            state._top = TURNED_UP + upcard * 4 + upcard // 13
            state._play_on(state._after[dealer], None)  # N1.3
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
        key = action.key
        if key < FIRST_PAIR and MASKS[key] & self._choice:  # one card: by far the most frequent choice
            index = len(self._log)
            self._play_on(self.turn, action)
            return index
        return self._apply_other(self.resolve(action) if MASKS[key] & ~self._choice else action)

    def _apply_other(self, action: Action) -> int:
        """As `apply`, for any legal action."""
        index = len(self._log)
        seat, key = self.turn, action.key
        assert seat is not None
        if key < FIRST_PAIR:
            self._play_on(seat, action)
        elif key < KEEP_KEY:
            self._hands[seat] = without(self._hands[seat], NUMBER[action.cards[0]])
            self.phase = ANSWER  # a pair threatens the next player as an answer does (N6.3, N6.6)
            self._play_on(seat, action)
        else:
            self._log.append(LOGGED[seat][key])
            if key == KEEP_KEY:
                self.turns += 1
                if self.turns >= self.table.rules["max_turns"]:
                    self._finish("max_turns")
                else:
                    self._play_on(self._after[seat], None)
            elif key == ACCEPT_KEY:
                self._skip(seat)
            else:
                self._top = TURNED_UP + TOPS[self._top] * 4 + key - FIRST_NAMING
                self._play_on(self._after[seat], None)
        return index

    def _play_on(self, seat: int | None, action: Action | None) -> None:
        """`seat` has played the card of `action`, or with None comes to act; then the round has gone on to its next
        real choice or its end, by everything that nobody decides: the course of turns (N2, N4).

        Nearly all time of a match is spent here, so it works on locals and spells out laying and taking one card.
        """
        assert seat is not None
        until_playable, no_nine_out, two_packs, effects, max_turns, hands, stock, log = self._fixed
        after, turns = self._after, self.turns
        playable = PLAYABLE[self._top]
        while True:
            if action is not None:
                self._top = top = action.key
                log.append(LOGGED[seat][top])
                bit, playable = PLAYED[top]
                hand = hands[seat]
                if two_packs and hand >> CARDS & bit:
                    bit <<= CARDS
                hands[seat] = hand = hand ^ bit
                turns += 1
                if not hand or turns >= max_turns:
                    self.turns = turns
                    if hand:
                        return self._finish("max_turns")  # N4.4, before any power
                    return self._finish("out", seat)  # N5.1
                seat = after[seat]
                if effects:
                    if two_packs and self.phase == ANSWER:
                        self.turns = turns
                        return self._threaten(seat)
                    if effects[top]:
                        seat = self._use_power(effects[top], seat)
                        after = self._after

            hand = hands[seat]
            legal = hand & playable
            if no_nine_out and not hand & hand - 1 and hand & NINES:
                legal = 0  # N6.5
            if legal:
                if legal in PLAYS:
                    action = PLAYS[legal]  # N2.2: it must be played, so nobody is asked
                    continue
                self._choice = legal | self._pairs(hand) if two_packs and legal & NINES else legal
                self.turn = seat
                self.phase = TURN
                self.turns = turns
                return None

            action = None
            if not stock and not self._refill(seat):
                self._pass(seat)  # N4.2
                if self._passes == len(self.table.seats):
                    self.turns = turns + 1
                    return self._finish("deadlock")  # N4.3
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
                    self._choice = bit if until_playable else bit | KEEP  # N2.3, N2.4
                    self.turn = seat
                    self.phase = DRAWN
                    self.turns = turns
                    self.drawn = card
                    return None
            turns += 1
            if turns >= max_turns:
                self.turns = turns
                return self._finish("max_turns")
            seat = after[seat]

    def _ask(self, seat: int, phase: str, choice: int) -> None:
        self.turn, self.phase, self._choice = seat, phase, choice

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
        discards = self._discard_pile()
        if len(discards) < 2:
            return False
        self.reshuffles += 1
        label = f"{self.table.label}/reshuffle/{self.reshuffles}"
        self._stock += self.table.shuffler.shuffle(label, discards[:-1])
        del discards[:-1]
        self._log.append((seat, Action("reshuffle", codes(self._stock))))
        return True

    def _discard_pile(self) -> list[int]:
        """The cards on the discard pile, oldest first: brought up to date from the log only when they are asked for."""
        log = self._log
        for index in range(self._discards_upto, len(log)):
            action = log[index][1]
            if action.do == "play":
                self._discards += [NUMBER[card] for card in action.cards]
        self._discards_upto = len(log)
        return self._discards

    def _use_power(self, power: int, victim: int) -> int:
        """The seat that comes to act after a card with that power was played before the turn of `victim` (N6.2)."""
        if power == _REVERSES and len(self.table.seats) > 2:
            self._after, self._before = self._before, self._after
            return self._after[self._after[victim]]
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

    def _finish(self, reason: str, by: int | None = None) -> None:
        points = HARD if self.table.rules["hard_nines"] else PLAIN
        hands: dict[int, tuple[str, ...]] = {}
        penalties: dict[int, int] = {}
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
        self._finish("forfeit")

    # ---- what can be read

    @property
    def direction(self) -> int:
        """1 clockwise, -1 after an odd number of reversing queens."""
        return 1 if self._after == _neighbours(self.table.seats, self.table.players)[0] else -1

    @property
    def upcard(self) -> str:
        return PACK[TOPS[self._top]]

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
        return tuple(self._stock), tuple(self._discard_pile()), passes

    def event_count(self) -> int:
        return len(self._log)

    def events(self) -> list[dict[str, Json]]:
        return [record.document(seat, action) for seat, action in self._log]

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        return record.visible(self._log[start:], seat)

    def deal(self) -> dict[str, Json]:
        if not self._pile:
            raise ValueError("a round that began at a position was not dealt")
        pile, players, hands = self._pile, len(self.table.seats), {}
        seat, left = self.table.dealer, _neighbours(self.table.seats, self.table.players)[0]
        for place in range(players):
            seat = left[seat]
            hands[seat] = list(codes(_dealt_to(place, pile, players)))
        given = _cards_given(players)
        return {
            "hands": {str(seat): hands[seat] for seat in self.table.seats},
            "upcard": PACK[pile[-given - 1]],
            "stock": list(codes(pile[: -given - 1])),
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
        copy._discards, copy._discards_upto = self._discards[:], self._discards_upto
        copy._keep(self._hands[:], self._stock[:], self._log[:])
        copy._history, copy._history_upto = self._history[:], self._history_upto
        return copy
