"""One round of Nine: dealing, drawing, discarding, calling (K1-K3, K5), and what each seat may see of it (K6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.errors import IllegalAction
from referee.games.base import Action, Json, Round, RoundEnd, Rules, ShufflerLike
from referee.games.nine import scoring
from referee.games.nine.cards import (
    CALL,
    CODES,
    DRAW_PILE,
    FIRST_DISCARD,
    MASKS,
    NUMBERS,
    PACK,
    TAKE_DISCARD,
    TOTALS,
    codes,
    discard,
    discards,
    total,
)
from referee.games.nine.refusal import why_no_discard, why_not
from referee.games.nine.view import Discarded, Taken, View

HAND = 5
"""Cards dealt to each seat (K1.3)."""
DRAW, DISCARD, OVER = "draw", "discard", "over"

MAY_CALL, MAY_DRAW, MAY_TAKE = (1 << action.key for action in (CALL, DRAW_PILE, TAKE_DISCARD))
"""Flags of what may be chosen in phase `draw`."""
_DRAW_PHASE = tuple(
    tuple(action for action in (CALL, DRAW_PILE, TAKE_DISCARD) if may >> action.key & 1) for may in range(8)
)
"""By those flags: the legal actions, in the order of S7."""

_Entry = tuple[int, str, Any]
"""Seat, verb, and what belongs to it: a card, cards, or a total."""


class NineRound(Round):
    """One deal of Nine. Hands are integers with a bit for each card; piles are lists whose last card is on top."""

    __slots__ = (
        "_dealt",
        "_discarded",
        "_hands",
        "_held",
        "_history",
        "_kind",
        "_limit",
        "_log",
        "_may",
        "_overcalls",
        "_pile",
        "_rules",
        "_shown",
        "_shuffler",
        "_taken",
        "_teams",
        "_turns",
        "_turns_taken",
        "dealer",
        "drawn",
        "number",
        "phase",
        "reshuffles",
        "totals",
    )

    def __init__(
        self,
        rules: Rules,
        *,
        number: int,
        kind: str,
        players: int,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
    ) -> None:
        """A round with nothing dealt yet: `deal_out` or `resume` follows."""
        self._rules, self._kind, self._shuffler = rules, kind, shuffler
        self._teams: int = rules["teams"]
        self._overcalls: bool = rules["overcall"] == "penalised"
        self._limit: int = rules["max_goarounds"] * players
        self.number, self.dealer, self.totals, self.forfeited = number, dealer, tuple(totals), forfeited
        self._dealt: tuple[tuple[tuple[int, ...], ...], int, tuple[int, ...]] = ((), -1, ())
        self._hands: list[int] = []
        self._held: list[int] = []
        """By seat, what the hand counts (K3.1)."""
        self._pile: list[int] = []
        self._discarded: list[int] = []
        self._history: list[Discarded] = []
        self._taken: list[Taken] = []
        self._shown = 0
        """How much of the log is in the two histories, which follow it only when a view is asked for."""
        self._log: list[_Entry] = []
        self._may = 0
        """What the seat to act may do in phase `draw`, as flags."""
        self._turns_taken = [0] * players
        self._turns = 0
        self.reshuffles = 0
        self.phase, self.drawn = DRAW, -1
        self.turn: int | None = None
        self.end: RoundEnd | None = None

    def deal_out(self) -> NineRound:
        """The round itself, dealt from its label (K1.3, S4, S5) and at its first real choice."""
        players, dealer = len(self._turns_taken), self.dealer
        pile = self._shuffler.shuffle(f"{self._kind}/{self.number}/deal", PACK)
        dealt: list[tuple[int, ...]] = [()] * players
        for place in range(players):
            dealt[(dealer + 1 + place) % players] = tuple(pile[-1 - place : -1 - HAND * players : -players])
        del pile[-HAND * players :]
        upcard = pile.pop()
        self._dealt = tuple(dealt), upcard, tuple(pile)
        self._hold(dealt)
        self._pile = pile
        self._discarded = [upcard]
        self._history = [Discarded(CODES[upcard], None)]
        self._go_on((dealer + 1) % players)
        return self

    def resume(
        self,
        *,
        hands: Sequence[Sequence[int]],
        pile: Sequence[int],
        discarded: Sequence[int],
        turns_taken: Sequence[int],
        reshuffles: int,
        phase: str,
        drawn: int | None,
        seat: int,
    ) -> NineRound:
        """The round itself in the middle of play, `seat` about to act; who discarded what is not known."""
        self._hold(hands)
        self._pile, self._discarded = list(pile), list(discarded)
        self._history = [Discarded(CODES[card], None) for card in discarded]
        self._dealt = tuple(map(tuple, hands)), discarded[-1] if discarded else -1, tuple(pile)
        self._turns_taken, self._turns, self.reshuffles = list(turns_taken), sum(turns_taken), reshuffles
        self.drawn = -1 if drawn is None else drawn
        self._go_on(seat, phase)
        return self

    def _hold(self, hands: Sequence[Sequence[int]]) -> None:
        self._hands = [sum([1 << card for card in hand]) for hand in hands]
        self._held = [total(hand) for hand in self._hands]

    # ------------------------------------------------------------------ choices

    def legal(self) -> tuple[Action, ...]:
        """All legal actions, in the order of S7: call, draw_pile, take_discard; or every discard of the hand."""
        if self.turn is None:
            return ()
        return discards(self._hands[self.turn]) if self.phase == DISCARD else _DRAW_PHASE[self._may]

    def apply(self, action: Action) -> int:
        """The action is played; the index of its own event, which a reshuffle may precede (K2.4)."""
        key, seat = action.key, self.turn
        if seat is None or key < 0:
            return self.apply(self.resolve(action))
        if self.phase == DISCARD:
            if key < FIRST_DISCARD or MASKS[key] & ~self._hands[seat]:
                return self.apply(self.resolve(action))
            index = len(self._log)
            self._put_down(seat, action)
            if self.end is None:
                self._go_on(seat + 1 if seat + 1 < len(self._hands) else 0)
            return index
        if key >= FIRST_DISCARD or not self._may >> key & 1:
            return self.apply(self.resolve(action))
        index = len(self._log)
        if action is CALL:
            self._call(seat)
        else:
            if action is DRAW_PILE and not self._pile:
                index += 1
            self._draw(seat, action)
            self._go_on(seat, DISCARD)
        return index

    def _go_on(self, seat: int, phase: str = DRAW) -> None:
        """`seat` comes to act; what nobody decides is done at once, until somebody has a choice or the round ends."""
        hands = self._hands
        while True:
            hand = hands[seat]
            if phase == DRAW:
                may = MAY_TAKE if self._discarded else 0
                if self._pile or len(self._discarded) > 1:  # K2.4
                    may |= MAY_DRAW
                if self._turns_taken[seat] and (self._overcalls or self._held[seat] <= scoring.CALL_LIMIT):
                    may |= MAY_CALL  # K3.1, K3.4
                if may & may - 1:
                    self._may = may
                    break
                self._draw(seat, _DRAW_PHASE[may][0])
                phase = DISCARD
            elif hand & hand - 1:
                break
            else:
                self._put_down(seat, discards(hand)[0])
                if self.end is not None:
                    return
                seat = (seat + 1) % len(hands)
                phase = DRAW
        self.turn, self.phase = seat, phase

    def _call(self, seat: int) -> None:
        held = self._held
        self._log.append((seat, "call", held[seat]))
        self._finish("call", seat, scoring.call_penalties(seat, held, self._teams))

    def _draw(self, seat: int, action: Action) -> None:
        """`seat` has drawn from the pile, or taken the top discard (K2.1)."""
        if action is DRAW_PILE:
            if not self._pile:
                self._reshuffle(seat)
            card = self._pile.pop()
        else:
            card = self._discarded.pop()
        self._log.append((seat, action.do, CODES[card]))
        self._hands[seat] |= 1 << card
        self._held[seat] += card // 4  # its value
        self.drawn = card

    def _put_down(self, seat: int, action: Action) -> None:
        """`seat` has discarded, which ends its turn (K2.2), and perhaps the round (K3.5)."""
        cards = action.cards
        self._hands[seat] ^= MASKS[action.key]
        self._held[seat] -= TOTALS[action.key]
        for code in cards:
            self._discarded.append(NUMBERS[code])
        self._log.append((seat, "discard", cards))
        self.drawn = -1
        self._turns_taken[seat] += 1
        self._turns += 1
        if self._turns >= self._limit:
            self._finish("max_goarounds", None, dict(enumerate(self._held)))

    def _reshuffle(self, seat: int) -> None:
        """All discards but the top one become a new pile (K2.4)."""
        self.reshuffles += 1
        top = self._discarded.pop()
        self._pile = self._shuffler.shuffle(f"{self._kind}/{self.number}/reshuffle/{self.reshuffles}", self._discarded)
        self._discarded = [top]
        self._log.append((seat, "reshuffle", tuple(CODES[card] for card in self._pile)))

    def _finish(self, reason: str, by: int | None, penalties: Mapping[int, int]) -> None:
        self.phase, self.turn = OVER, None
        self.end = RoundEnd(reason, by, {seat: codes(hand) for seat, hand in enumerate(self._hands)}, penalties)

    def stop(self) -> None:
        """The round ends here with reason `forfeit`: no penalties (F2)."""
        self._finish("forfeit", None, dict.fromkeys(range(len(self._hands)), 0))

    # ------------------------------------------------------------------ replies

    def resolve(self, action: Action) -> Action:
        """The action as it will be played: of equal cards any will do; `IllegalAction` names the rule broken."""
        hand = 0 if self.turn is None else self._hands[self.turn]
        if action.do == "discard" and self.phase == DISCARD and action.suit is None:
            refused = why_no_discard(hand, action.cards)
            if refused is None:
                return discard(action.cards)
        else:
            for listed in _DRAW_PHASE[self._may] if self.phase == DRAW else ():
                if listed == action:
                    return listed
            refused = why_not(
                action, self.phase, hand, first_turn=self.turn is None or not self._turns_taken[self.turn]
            )
        seat = self.turn if self.turn is not None else -1
        raise IllegalAction(seat, str(action), *refused, [str(listed) for listed in self.legal()])

    # ------------------------------------------------------------------ records

    def events(self) -> list[dict[str, Json]]:
        """Everything that happened, as in the replay file."""
        return [_event(entry) for entry in self._log]

    def event_count(self) -> int:
        return len(self._log)

    def deal(self) -> dict[str, Json]:
        """Hands in the order dealt, upcard, and the pile with the next card last."""
        hands, upcard, pile = self._dealt
        return {
            "hands": {str(seat): [CODES[card] for card in hand] for seat, hand in enumerate(hands)},
            "upcard": CODES[upcard] if upcard >= 0 else "",
            "stock": [CODES[card] for card in pile],
        }

    def _show(self) -> None:
        """The histories of the discard pile have followed the log."""
        for seat, do, what in self._log[self._shown :]:
            if do == "discard":
                self._history += [Discarded(code, seat) for code in what]
            elif do == "take_discard":
                self._taken.append(Taken(seat, what))
        self._shown = len(self._log)

    def view(self, seat: int) -> View:
        """What `seat` may see: its own hand, and what lies or happened in the open (K6)."""
        own_turn = seat == self.turn
        self._show()
        return View(  # by position: by name it would take twice as long
            seat,
            codes(self._hands[seat]),
            self.top,
            tuple(self._history),  # discards
            tuple(self._taken),
            tuple(map(int.bit_count, self._hands)),  # hand_sizes
            len(self._pile),  # draw_pile_size
            self.dealer,
            self.totals,  # scores
            self.number,  # round
            self._turns // len(self._hands) + 1,  # go_around
            tuple(self._turns_taken),
            self._teams,
            self.phase,
            CODES[self.drawn] if own_turn and self.drawn >= 0 else "",  # drawn
            self.reshuffles,
            tuple(sorted(self.forfeited)),
        )

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        """The events from `start` on as `seat` may know them: not what another drew unseen, nor a new pile's order."""
        seen: list[dict[str, Json]] = []
        for entry in self._log[start:]:
            actor, do, what = entry
            if do == "reshuffle":
                seen.append({"seat": actor, "do": do, "count": len(what)})
            elif do == "draw_pile" and actor != seat:
                seen.append({"seat": actor, "do": do})
            else:
                seen.append(_event(entry))
        return seen

    @property
    def top(self) -> str:
        """The top card of the discard pile, which may be taken; empty while the pile is."""
        return CODES[self._discarded[-1]] if self._discarded else ""

    def clone(self) -> NineRound:
        """An independent copy."""
        copy = NineRound(
            self._rules,
            number=self.number,
            kind=self._kind,
            players=len(self._hands),
            dealer=self.dealer,
            totals=self.totals,
            forfeited=self.forfeited,
            shuffler=self._shuffler,
        )
        copy.turn, copy.end, copy.phase, copy.drawn, copy._may = self.turn, self.end, self.phase, self.drawn, self._may
        copy.reshuffles, copy._turns, copy._shown, copy._dealt = self.reshuffles, self._turns, self._shown, self._dealt
        copy._hands, copy._held = self._hands[:], self._held[:]
        copy._pile = self._pile[:]
        copy._discarded = self._discarded[:]
        copy._history = self._history[:]
        copy._taken = self._taken[:]
        copy._log = self._log[:]
        copy._turns_taken = self._turns_taken[:]
        return copy


def _event(entry: _Entry) -> dict[str, Json]:
    seat, do, what = entry
    if do == "discard":
        return {"seat": seat, "do": do, "cards": list(what)}
    if do == "call":
        return {"seat": seat, "do": do, "total": what}
    if do == "reshuffle":
        return {"seat": seat, "do": do, "stock": list(what)}
    return {"seat": seat, "do": do, "card": what}
