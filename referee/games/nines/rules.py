"""A round of Nines: deal, legal actions, and what follows from each of them (N1-N6). One engine for every option.

`moves.py` has the representation, `state.py` what is read of a round, `refusal.py` says why an action is not legal,
RULES.md has the rules in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.cards import NUMBER, codes
from referee.errors import IllegalAction
from referee.games.base import Action, RoundEnd
from referee.games.nines.law import DRAWS_TWO, REVERSES
from referee.games.nines.moves import (
    ACCEPT,
    ACCEPT_KEY,
    BITS,
    CARDS,
    DRAWS,
    FACE_UP,
    FIRST_NAMING,
    INTERNED,
    KEEP,
    KEEP_KEY,
    LEGAL,
    LOGGED,
    MASKS,
    NAMING,
    NINE_CARDS,
    NINES,
    ONE_CARD,
    PAIRS,
    PASS,
    PLAYABLE,
    PLAYED,
    SECOND_NINES,
    SKIP,
    TOPS,
    TURNED_UP,
    one_pack_hand,
    two_packs_hand,
    without,
)
from referee.games.nines.record import Discards
from referee.games.nines.refusal import refusal
from referee.games.nines.scoring import penalty
from referee.games.nines.state import ANSWER, DRAWN, NAME_SUIT, TURN, Shown, State


class NinesRound(State):
    """One deal of Nines being played out; see `Round` for what its methods promise."""

    __slots__ = ()

    def deal_out(self) -> NinesRound:
        """The round itself, dealt by N1.2 from its own shuffle and advanced to its first real choice."""
        law, dealer = self.law, self.dealer
        pile = self.shuffler.shuffle(f"{self.kind}/{self.number}/deal", law.pack)
        as_hand = two_packs_hand if law.flags[2] else one_pack_hand
        hands = [0] * law.players
        for seat, dealt in law.dealing[dealer]:
            hands[seat] = as_hand(pile[dealt])
        self._keep(pile, hands, pile[: -law.dealt - 1], [])
        upcard = pile[-law.dealt - 1]
        self._top = FACE_UP[upcard]
        if self._top >= 0:
            self._play_on(law.left[dealer])  # N1.3
        else:
            self._top = upcard
            self._ask(dealer, NAME_SUIT, NAMING)  # N1.5
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
                self._play_on(self._after[self._skip(seat)])
        elif phase == DRAWN:
            assert drawn is not None
            self.drawn = drawn
            may_keep = not self.law.flags[0]
            if may_keep or drawn in NINE_CARDS:
                self._ask(seat, DRAWN, BITS[drawn] | (KEEP if may_keep else 0))
            else:
                self._play_on(seat, drawn)  # N2.4: its key is its number
        else:
            self._play_on(seat)
        return self

    # ---- play

    def resolve(self, action: Action) -> Action:
        known = INTERNED.get(action)
        if known is not None and self._choice & MASKS[known.key] == MASKS[known.key]:
            return known
        rule, reason = refusal(self, action)
        seat = -1 if self.turn is None else self.turn
        raise IllegalAction(seat, str(action), rule, reason, [str(legal) for legal in self.legal()])

    def apply(self, action: Action) -> int:
        key, seat = action.key, self.turn
        if ONE_CARD[key] & self._choice:  # by far the most frequent choice
            return self._play_on(seat, key)
        if self._choice & MASKS[key] != MASKS[key]:
            return self.apply(self.resolve(action))
        log = self._log
        assert seat is not None
        if key < KEEP_KEY:
            self._hands[seat] = without(self._hands[seat], NUMBER[action.cards[0]])
            self.phase = ANSWER  # a pair threatens the next player as an answer does (N6.3, N6.6)
            return self._play_on(seat, key)
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
        self._play_on(self._after[seat])
        return index

    def _play_on(self, seat: int | None, key: int | None = None) -> int:
        """`seat` has played the card of the action with that key, or comes to act where none is given; then the round
        has gone on to its next real choice or its end, by everything that nobody decides: the course of turns (N2, N4).
        The index in the log of what happened first.

        Nearly all time of a match is spent here, so it works on locals and spells out laying and taking one card.
        """
        assert seat is not None
        until_playable, no_nine_out, two_packs, effects, max_turns, hands, stock, log = self._fixed
        index, after, turns = len(log), self._after, self.turns
        playable = PLAYABLE[self._top]
        while True:
            if key is not None:
                entry, bit, playable = PLAYED[seat][key]
                log.append(entry)
                self._top = key
                if two_packs and hands[seat] >> CARDS & bit:
                    bit <<= CARDS
                hands[seat] = hand = hands[seat] ^ bit
                turns += 1
                if not hand or turns >= max_turns:  # N5.1, N4.4: before any power
                    self._finish("max_turns" if hand else "out", None if hand else seat)
                    break
                seat = after[seat]
                if effects:
                    if two_packs and self.phase == ANSWER:
                        if self._threatened(seat):
                            break
                        seat = after[self._skip(seat)]
                    elif effects[key]:
                        seat = self._use_power(effects[key], seat)
                        after = self._after

            hand = hands[seat]
            legal = hand & playable
            if no_nine_out and not hand & hand - 1 and hand & NINES:
                legal = 0  # N6.5
            if legal:
                if two_packs and legal & NINES:
                    legal |= self._pairs(hand)
                ways = LEGAL[legal]
                if len(ways) == 1:
                    key = ways[0].key  # N2.2: it must be played, so nobody is asked
                    continue
                self.turn, self.phase = seat, TURN
                self._choice, self._legal = legal, ways
                break

            key = None
            if not stock and not self._refill(seat):
                self._pass(seat)  # N4.2
                if self._passes == len(self.law.seats):
                    turns += 1
                    self._finish("deadlock")  # N4.3
                    break
            else:
                if until_playable:
                    card = self._draw_series(seat, playable)
                    bit = BITS[card]
                else:
                    card = stock.pop()
                    entry, bit = DRAWS[seat][card]
                    log.append(entry)
                    hands[seat] = hand | (bit << CARDS if two_packs and hand & bit else bit)
                if bit & playable:
                    if until_playable and card not in NINE_CARDS:
                        key = card  # N2.4: it must be played; the key of its play is its number
                        continue
                    self._ask(seat, DRAWN, bit if until_playable else bit | KEEP)  # N2.3, N2.4
                    self.drawn = card
                    break
            turns += 1
            if turns >= max_turns:
                self._finish("max_turns")
                break
            seat = after[seat]
        self.turns = turns
        return index

    def _ask(self, seat: int, phase: str, choice: int) -> None:
        self.turn, self.phase = seat, phase
        self._choice, self._legal = choice, LEGAL[choice]

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
        seats, hands, points = self.law.seats, self._hands, self.law.points
        costs = dict.fromkeys(seats, 0)
        if reason != "forfeit":
            for seat in seats:
                costs[seat] = penalty(hands[seat], points)
        self.turn, self._choice, self._legal = None, 0, ()
        self.end = RoundEnd(reason, by, Shown(seats, hands), costs)

    def stop(self) -> None:
        if self.end is not None:
            raise ValueError(f"the round has ended already: {self.end.reason}")
        self._finish("forfeit")
