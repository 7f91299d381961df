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
    NUMBERS,
    PACK,
    RUN,
    TAKE_DISCARD,
    codes,
    discard,
    discards,
    total,
)
from referee.games.nine.view import Discarded, Taken, View

HAND = 5
"""Cards dealt to each seat (K1.3)."""
DRAW, DISCARD, OVER = "draw", "discard", "over"

_DRAW_PHASE: dict[tuple[bool, bool, bool], tuple[Action, ...]] = {
    (call, pile, top): tuple(action for action, may in ((CALL, call), (DRAW_PILE, pile), (TAKE_DISCARD, top)) if may)
    for call in (False, True)
    for pile in (False, True)
    for top in (False, True)
}

_Entry = tuple[int, str, Any]
"""Seat, verb, and what belongs to it: a card, cards, or a total."""


class NineRound(Round):
    """One deal of Nine. Hands are integers with a bit for each card; piles are lists whose last card is on top."""

    __slots__ = (
        "_dealt",
        "_discarded",
        "_hands",
        "_history",
        "_label",
        "_legal",
        "_limit",
        "_log",
        "_overcalls",
        "_pile",
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
        kind: str = "round",
        players: int,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int] = frozenset(),
        shuffler: ShufflerLike,
    ) -> None:
        """A round dealt from its label (K1.3, S4, S5), at its first real choice."""
        self._prepare(rules, number, f"{kind}/{number}", players, dealer, totals, forfeited, shuffler)
        pile = shuffler.shuffle(f"{self._label}/deal", PACK)
        dealt: list[list[int]] = [[] for _ in range(players)]
        for turn in range(HAND * players):
            dealt[(dealer + 1 + turn) % players].append(pile.pop())
        upcard = pile.pop()
        self._dealt = tuple(map(tuple, dealt)), upcard, tuple(pile)
        self._hands = [sum(1 << card for card in hand) for hand in dealt]
        self._pile = pile
        self._discarded = [upcard]
        self._history = [Discarded(CODES[upcard], None)]
        self._seek((dealer + 1) % players)

    def _prepare(
        self,
        rules: Rules,
        number: int,
        label: str,
        players: int,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
    ) -> None:
        self._teams: int = rules["teams"]
        self._overcalls: bool = rules["overcall"] == "penalised"
        self._limit: int = rules["max_goarounds"] * players
        self._label, self._shuffler = label, shuffler
        self.number, self.dealer, self.totals, self.forfeited = number, dealer, tuple(totals), forfeited
        self._taken: list[Taken] = []
        self._log: list[_Entry] = []
        self._turns_taken = [0] * players
        self._turns = 0
        self.reshuffles = 0
        self.phase, self.drawn = DRAW, -1
        self.turn: int | None = None
        self.end: RoundEnd | None = None

    @classmethod
    def resumed(
        cls,
        rules: Rules,
        *,
        number: int,
        kind: str,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
        hands: Sequence[Sequence[int]],
        pile: Sequence[int],
        discarded: Sequence[int],
        turns_taken: Sequence[int],
        reshuffles: int,
        phase: str,
        drawn: int | None,
        seat: int,
    ) -> NineRound:
        """A round in the middle of play, `seat` about to act; its log is empty, and who discarded what is not known."""
        state = cls.__new__(cls)
        state._prepare(rules, number, f"{kind}/{number}", len(hands), dealer, totals, forfeited, shuffler)
        state._hands = [sum(1 << card for card in hand) for hand in hands]
        state._pile, state._discarded = list(pile), list(discarded)
        state._history = [Discarded(CODES[card], None) for card in discarded]
        state._dealt = tuple(map(tuple, hands)), discarded[-1] if discarded else -1, tuple(pile)
        state._turns_taken, state._turns, state.reshuffles = list(turns_taken), sum(turns_taken), reshuffles
        state.drawn = -1 if drawn is None else drawn
        state._seek(seat, phase)
        return state

    # ------------------------------------------------------------------ choices

    def legal(self) -> tuple[Action, ...]:
        """All legal actions, in the order of S7: call, draw_pile, take_discard; or every discard of the hand."""
        return self._legal

    def _choices(self, seat: int) -> tuple[Action, ...]:
        if self.phase == DISCARD:
            return discards(self._hands[seat])
        may_call = self._turns_taken[seat] > 0 and (self._overcalls or total(self._hands[seat]) <= scoring.CALL_LIMIT)
        top = bool(self._discarded)
        return _DRAW_PHASE[may_call, bool(self._pile) or len(self._discarded) > 1, top]

    def _seek(self, seat: int, phase: str = DRAW) -> None:
        """`seat` comes to act; what nobody decides is done at once, until somebody has a choice or the round ends."""
        self.phase = phase
        legal = self._choices(seat)
        while len(legal) == 1 and self.end is None:
            following = self._perform(seat, legal[0])
            if following is None:
                return
            seat, self.phase = following
            legal = self._choices(seat)
        self.turn, self._legal = seat, legal

    def apply(self, action: Action) -> int:
        """The action is played; the index of its own event, which a reshuffle may precede (K2.4)."""
        if self.turn is None or action not in self._legal:
            action = self.resolve(action)
        assert self.turn is not None
        index = len(self._log) + (action.do == "draw_pile" and not self._pile)
        following = self._perform(self.turn, action)
        if following is not None:
            self._seek(*following)
        return index

    def _perform(self, seat: int, action: Action) -> tuple[int, str] | None:
        """The seat and phase that follow; None when the round has ended."""
        if self.phase == DISCARD:
            return self._put_down(seat, action.cards)
        if action.do == "call":
            hands = [total(hand) for hand in self._hands]
            self._log.append((seat, "call", hands[seat]))
            self._finish("call", seat, scoring.call_penalties(seat, hands, self._teams))
            return None
        if action.do == "draw_pile":
            if not self._pile:
                self._reshuffle(seat)
            card = self._pile.pop()
            self._log.append((seat, "draw_pile", CODES[card]))
        else:
            card = self._discarded.pop()
            code = CODES[card]
            self._taken.append(Taken(seat, code))
            self._log.append((seat, "take_discard", code))
        self._hands[seat] |= 1 << card
        self.drawn = card
        return seat, DISCARD

    def _put_down(self, seat: int, cards: tuple[str, ...]) -> tuple[int, str] | None:
        hand = self._hands[seat]
        for code in cards:
            card = NUMBERS[code]
            hand ^= 1 << card
            self._discarded.append(card)
            self._history.append(Discarded(code, seat))
        self._hands[seat] = hand
        self._log.append((seat, "discard", cards))
        self.drawn = -1
        self._turns_taken[seat] += 1
        self._turns += 1
        if self._turns >= self._limit:  # K3.5
            self._finish("max_goarounds", None, {player: total(held) for player, held in enumerate(self._hands)})
            return None
        return (seat + 1) % len(self._hands), DRAW

    def _reshuffle(self, seat: int) -> None:
        """All discards but the top one become a new pile (K2.4)."""
        self.reshuffles += 1
        top = self._discarded.pop()
        self._pile = self._shuffler.shuffle(f"{self._label}/reshuffle/{self.reshuffles}", self._discarded)
        self._discarded = [top]
        self._log.append((seat, "reshuffle", tuple(CODES[card] for card in self._pile)))

    def _finish(self, reason: str, by: int | None, penalties: Mapping[int, int]) -> None:
        self.phase, self.turn, self._legal = OVER, None, ()
        self.end = RoundEnd(reason, by, {seat: codes(hand) for seat, hand in enumerate(self._hands)}, penalties)

    def stop(self) -> None:
        """The round ends here with reason `forfeit`: no penalties (F2)."""
        self._finish("forfeit", None, dict.fromkeys(range(len(self._hands)), 0))

    # ------------------------------------------------------------------ replies

    def resolve(self, action: Action) -> Action:
        """The action as it will be played: of equal cards any will do; `IllegalAction` names the rule broken."""
        for listed in self._legal:
            if listed == action:
                return listed
        if action.do == "discard" and self.phase == DISCARD and action.suit is None:
            self._check_discard(action)
            return discard(action.cards)
        raise self._refusal(action, *self._why_not(action))

    def _refusal(self, action: Action, rule: str, reason: str) -> IllegalAction:
        seat = self.turn if self.turn is not None else -1
        return IllegalAction(seat, str(action), rule, reason, [str(listed) for listed in self._legal])

    def _why_not(self, action: Action) -> tuple[str, str]:
        seat = self.turn
        if seat is None:
            return "K3.1", "the round is over"
        if action.do not in ("call", "draw_pile", "take_discard", "discard"):
            return "K2", "there is no such action in Nine"
        if action.suit is not None:
            return "K1.1", "suits mean nothing in play, so none is named"
        if action.do != "discard" and action.cards:
            return "K2", f"{action.do} names no cards"
        if self.phase == DISCARD:
            if action.do == "call":
                return "K3.1", "a call comes before drawing"
            return "K2.1", "one card is drawn a turn, then one discard follows"
        if action.do == "discard":
            return "K2.1", "draw before you discard"
        if action.do == "call":
            if not self._turns_taken[seat]:
                return "K3.1", "nobody calls in their first turn of the round"
            held = total(self._hands[seat])
            return "K3.4", f"overcalls are forbidden and the hand counts {held}, more than {scoring.CALL_LIMIT}"
        return "K2.4", "there is no card left to draw there"

    def _check_discard(self, action: Action) -> None:
        """Nothing happens if the hand holds these cards and they are one discard (K2.2, K2.3)."""
        assert self.turn is not None
        hand, cards = self._hands[self.turn], action.cards
        if not cards:
            raise self._refusal(action, "K2.2", "a discard names its cards")
        for code in cards:
            if code not in NUMBERS:
                raise self._refusal(action, "K1.1", f"{code!r} is no card of Nine")
            if not hand >> NUMBERS[code] & 1:
                raise self._refusal(action, "K2.2", f"{code} is not in the hand")
        if len(set(cards)) < len(cards):
            raise self._refusal(action, "K2.2", "a card is named twice")
        values = [NUMBERS[code] // 4 for code in cards]
        if len(set(values)) == 1:
            return
        if len(cards) != RUN:
            raise self._refusal(action, "K2.2", f"cards of more than one value go only as a run of exactly {RUN}")
        if 0 in values:
            raise self._refusal(action, "K2.2", "a zero is in no run")
        low = min(values)
        if sorted(values) != list(range(low, low + RUN)):
            raise self._refusal(action, "K2.2", f"a run is {RUN} consecutive values; values do not wrap from 13")
        if values != sorted(values):
            raise self._refusal(action, "K2.3", "of a run the highest card lies on top: name it lowest first")

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

    def view(self, seat: int) -> View:
        """What `seat` may see: its own hand, and what lies or happened in the open (K6)."""
        own_turn = seat == self.turn
        return View(
            seat=seat,
            hand=codes(self._hands[seat]),
            top=CODES[self._discarded[-1]] if self._discarded else "",
            discards=tuple(self._history),
            taken=tuple(self._taken),
            hand_sizes=tuple(hand.bit_count() for hand in self._hands),
            draw_pile_size=len(self._pile),
            dealer=self.dealer,
            scores=self.totals,
            round=self.number,
            go_around=self._turns // len(self._hands) + 1,
            turns_taken=tuple(self._turns_taken),
            teams=self._teams,
            phase=self.phase,
            drawn=CODES[self.drawn] if own_turn and self.drawn >= 0 else "",
            reshuffles=self.reshuffles,
            forfeited=tuple(sorted(self.forfeited)),
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
        copy = NineRound.__new__(NineRound)
        copy.turn, copy.end, copy.forfeited = self.turn, self.end, self.forfeited
        for name in _SHARED:
            setattr(copy, name, getattr(self, name))
        copy._hands = self._hands[:]
        copy._pile = self._pile[:]
        copy._discarded = self._discarded[:]
        copy._history = self._history[:]
        copy._taken = self._taken[:]
        copy._log = self._log[:]
        copy._turns_taken = self._turns_taken[:]
        return copy


_COPIED = {"_hands", "_pile", "_discarded", "_history", "_taken", "_log", "_turns_taken"}
_SHARED = tuple(name for name in NineRound.__slots__ if name not in _COPIED)


def _event(entry: _Entry) -> dict[str, Json]:
    seat, do, what = entry
    if do == "discard":
        return {"seat": seat, "do": do, "cards": list(what)}
    if do == "call":
        return {"seat": seat, "do": do, "total": what}
    if do == "reshuffle":
        return {"seat": seat, "do": do, "stock": list(what)}
    return {"seat": seat, "do": do, "card": what}
