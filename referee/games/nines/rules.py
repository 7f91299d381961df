"""A round of Nines: deal, legal actions, and what follows from each of them (N1-N6). One engine for every option.

`moves.py` has the representation, `refusal.py` says why an action is not legal, RULES.md has the rules in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.cards import NUMBER, PACK, codes
from referee.errors import IllegalAction
from referee.games.base import Action, Json, Round, RoundEnd, ShufflerLike
from referee.games.nines import record
from referee.games.nines.law import DRAWS_TWO, REVERSES, Law
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
from referee.games.nines.record import Discards
from referee.games.nines.refusal import refusal
from referee.games.nines.scoring import penalty
from referee.games.nines.view import View

NAME_SUIT, TURN, DRAWN, ANSWER = "name_suit", "turn", "drawn", "answer"
"""Phases, as in views: an upcard nine is to be named (N1.5); an ordinary turn; a legal card has been drawn (N2.3,
N2.4); the seat is about to be skipped by a pair of nines (N6.6)."""


class NinesRound(Round):
    """One deal of Nines being played out; see `Round` for what its methods promise."""

    __slots__ = (
        "_after",
        "_before",
        "_choice",
        "_fixed",
        "_hands",
        "_log",
        "_passed_at",
        "_passes",
        "_pile",
        "_seen",
        "_stock",
        "_top",
        "dealer",
        "drawn",
        "kind",
        "law",
        "number",
        "phase",
        "reshuffles",
        "shuffler",
        "totals",
        "turns",
    )

    def __init__(
        self,
        law: Law,
        number: int,
        kind: str,
        dealer: int,
        totals: tuple[int, ...],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
    ) -> None:
        """A round with nothing dealt; use `dealt` or `resumed`."""
        self.law, self.number, self.kind, self.dealer = law, number, kind, dealer
        self.totals, self.forfeited, self.shuffler = totals, forfeited, shuffler
        self.turn = None
        self.end = None
        self.phase = TURN
        self.drawn = -1
        self._after, self._before = law.left, law.right
        self._seen: Discards | None = None
        self.turns = self.reshuffles = self._top = self._choice = self._passes = self._passed_at = 0

    def _keep(self, pile: list[int], hands: list[int], stock: list[int], log: list[Entry]) -> None:
        """The lists are this round's own; `_play_on` has them at hand in one tuple, with what the law says."""
        self._pile, self._hands, self._stock, self._log = pile, hands, stock, log
        self._fixed = (*self.law.flags, hands, stock, log)

    def deal_out(self) -> NinesRound:
        """The round itself, dealt by N1.2 from its own shuffle and advanced to its first real choice."""
        law, dealer = self.law, self.dealer
        pile = self.shuffler.shuffle(f"{self.kind}/{self.number}/deal", law.pack)
        as_hand = two_packs_hand if law.flags[2] else one_pack_hand
        hands = [0] * law.players
        for place, seat in enumerate(law.orders[dealer]):
            hands[seat] = as_hand(law.hand_from(pile, place))
        self._keep(pile, hands, pile[: -law.dealt - 1], [])
        upcard = pile[-law.dealt - 1]
        if upcard in NINE_CARDS:
            self._top = upcard
            self._ask(dealer, NAME_SUIT, NAMING)  # N1.5
        else:
            self._top = TURNED_UP + upcard * 4 + upcard // 13
            self._play_on(law.left[dealer], None)  # N1.3
        return self

    def resume(
        self,
        *,
        hands: Mapping[int, Iterable[int]],
        stock: list[int],
        discards: list[int],
        suit: int | None,
        clockwise: bool,
        passes: int,
        turns: int,
        reshuffles: int,
        seat: int,
        phase: str,
        drawn: int | None,
    ) -> NinesRound:
        """The round itself, in the middle of play, with `seat` about to act; see `position.from_position`."""
        held_by = [two_packs_hand(hands.get(player, ())) for player in range(self.law.players)]
        self._keep([], held_by, stock, [])
        self._seen = Discards(discards)
        if not clockwise:
            self._after, self._before = self._before, self._after
        self._passes, self.turns, self.reshuffles = passes, turns, reshuffles
        upcard = discards[-1]
        self._top = upcard if suit is None else TURNED_UP + upcard * 4 + suit
        if phase == NAME_SUIT:
            self._ask(seat, NAME_SUIT, NAMING)
        elif phase == ANSWER:
            if not self._threatened(seat):
                self._play_on(self._after[self._skip(seat)], None)
        elif phase == DRAWN:
            assert drawn is not None
            self.drawn = drawn
            may_keep = not self.law.flags[0]
            if may_keep or drawn in NINE_CARDS:
                self._ask(seat, DRAWN, BITS[drawn] | (KEEP if may_keep else 0))
            else:
                self._play_on(seat, PLAYS[BITS[drawn]])
        else:
            self._play_on(seat, None)
        return self

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
            return self._play_on(self.turn, action)
        if MASKS[key] & ~self._choice:
            return self.apply(self.resolve(action))
        seat, log = self.turn, self._log
        assert seat is not None
        if key < KEEP_KEY:
            self._hands[seat] = without(self._hands[seat], NUMBER[action.cards[0]])
            self.phase = ANSWER  # a pair threatens the next player as an answer does (N6.3, N6.6)
            return self._play_on(seat, action)
        log.append(LOGGED[seat][key])
        index = len(log) - 1
        if key == KEEP_KEY:
            self.turns += 1
            if self.turns >= self.law.rules["max_turns"]:
                self._finish("max_turns")
                return index
        elif key == ACCEPT_KEY:
            seat = self._skip(seat)
        else:
            self._top = TURNED_UP + TOPS[self._top] * 4 + key - FIRST_NAMING
        self._play_on(self._after[seat], None)
        return index

    def _play_on(self, seat: int | None, action: Action | None) -> int:
        """`seat` has played the card of `action`, or with None comes to act; then the round has gone on to its next
        real choice or its end, by everything that nobody decides: the course of turns (N2, N4). The index in the log
        of what happened first.

        Nearly all time of a match is spent here, so it works on locals and spells out laying and taking one card.
        """
        assert seat is not None
        until_playable, no_nine_out, two_packs, effects, max_turns, hands, stock, log = self._fixed
        index = len(log)
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
                    self._finish("max_turns" if hand else "out", None if hand else seat)  # N5.1, N4.4: before any power
                    return index
                seat = after[seat]
                if effects:
                    if two_packs and self.phase == ANSWER:
                        if self._threatened(seat):
                            self.turns = turns
                            return index
                        seat = after[self._skip(seat)]
                    elif effects[top]:
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
                return index

            action = None
            if not stock and not self._refill(seat):
                self._pass(seat)  # N4.2
                if self._passes == len(self.law.seats):
                    self.turns = turns + 1
                    self._finish("deadlock")  # N4.3
                    return index
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
                    return index
            turns += 1
            if turns >= max_turns:
                self.turns = turns
                self._finish("max_turns")
                return index
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
        discards = self._discards().pile(self._log)
        if len(discards) < 2:
            return False
        self.reshuffles += 1
        label = f"{self.kind}/{self.number}/reshuffle/{self.reshuffles}"
        self._stock += self.shuffler.shuffle(label, discards[:-1])
        del discards[:-1]
        self._log.append((seat, Action("reshuffle", codes(self._stock))))
        return True

    def _discards(self) -> Discards:
        """What has been discarded: followed along the log only when it is asked for."""
        if self._seen is None:
            self._seen = Discards([self._pile[-self.law.dealt - 1]])
        return self._seen

    def _use_power(self, power: int, victim: int) -> int:
        """The seat that comes to act after a card with that power was played before the turn of `victim` (N6.2)."""
        if power == REVERSES and len(self.law.seats) > 2:
            self._after, self._before = self._before, self._after
            return self._after[self._after[victim]]
        if power == DRAWS_TWO:
            self._draw_two(victim)
            if self.law.rules["ace_keeps_turn"]:
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
        if not nines & nines - 1 or (self.law.rules["no_nine_out"] and hand.bit_count() == 2):
            return 0
        return PAIRS | hand & SECOND_NINES

    def _threatened(self, seat: int) -> bool:
        """Whether `seat`, about to be skipped by nines, can answer them, and so is asked (N6.6)."""
        rules = self.law.rules
        hand = self._hands[seat]
        nines = hand & NINES
        if not rules["stacking_nines"] or not nines or (rules["no_nine_out"] and not hand & hand - 1):
            return False
        self._ask(seat, ANSWER, nines | self._pairs(hand) | ACCEPT)
        return True

    def _skip(self, seat: int) -> int:
        """The seat itself, which has been skipped by nines (N6.3)."""
        self._log.append((seat, SKIP))
        self.phase = TURN
        return seat

    def _finish(self, reason: str, by: int | None = None) -> None:
        hands: dict[int, tuple[str, ...]] = {}
        costs: dict[int, int] = {}
        for seat in self.law.seats:
            hand = self._hands[seat]
            hands[seat] = held(hand)
            costs[seat] = 0 if reason == "forfeit" else penalty(hand, self.law.points)
        self.turn = None
        self._choice = 0
        self.end = RoundEnd(reason, by, hands, costs)

    def stop(self) -> None:
        if self.end is not None:
            raise ValueError(f"the round has ended already: {self.end.reason}")
        self._finish("forfeit")

    # ---- what can be read

    @property
    def direction(self) -> int:
        """1 clockwise, -1 after an odd number of reversing queens."""
        return 1 if self._after == self.law.left else -1

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
        return tuple(self._stock), tuple(self._discards().pile(self._log)), passes

    def event_count(self) -> int:
        return len(self._log)

    def events(self) -> list[dict[str, Json]]:
        return [record.document(seat, action) for seat, action in self._log]

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        return record.visible(self._log[start:], seat)

    def deal(self) -> dict[str, Json]:
        if not self._pile:
            raise ValueError("a round that began at a position was not dealt")
        law, pile = self.law, self._pile
        hands = {seat: law.hand_from(pile, place) for place, seat in enumerate(law.orders[self.dealer])}
        return {
            "hands": {str(seat): list(codes(hands[seat])) for seat in law.seats},
            "upcard": PACK[pile[-law.dealt - 1]],
            "stock": list(codes(pile[: -law.dealt - 1])),
        }

    def view(self, seat: int) -> View:
        own = seat == self.turn
        return View(
            seat=seat,
            hand=self.hand(seat),
            upcard=self.upcard,
            active_suit=self.active_suit,
            discards=self._discards().history(self._log),
            hand_sizes=tuple([hand.bit_count() for hand in self._hands]),
            stock_size=len(self._stock),
            direction=self.direction,
            dealer=self.dealer,
            scores=self.totals,
            round=self.number,
            playoff=self.kind == "playoff",
            players=self.law.seats,
            phase=self.phase if own else "",
            drawn=PACK[self.drawn] if own and self.phase == DRAWN else "",
            turns=self.turns,
            reshuffles=self.reshuffles,
            forfeited=tuple(sorted(self.forfeited)),
        )

    def clone(self) -> NinesRound:
        copy = NinesRound(self.law, self.number, self.kind, self.dealer, self.totals, self.forfeited, self.shuffler)
        copy.turn, copy.end, copy.phase, copy.drawn = self.turn, self.end, self.phase, self.drawn
        copy.turns, copy.reshuffles, copy._top, copy._choice = self.turns, self.reshuffles, self._top, self._choice
        copy._after, copy._before = self._after, self._before
        copy._passes, copy._passed_at = self._passes, self._passed_at
        copy._seen = self._seen.copy() if self._seen is not None else None
        copy._keep(self._pile, self._hands[:], self._stock[:], self._log[:])
        return copy
