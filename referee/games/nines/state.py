"""Where a round of Nines stands, and all that is read of it: views, events, the deal. `rules.py` has how it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from referee.cards import PACK
from referee.games.base import Action, Json, Round, RoundEnd, ShufflerLike
from referee.games.nines import record
from referee.games.nines.law import Law
from referee.games.nines.moves import ACTIVE, TOPS, Entry, held
from referee.games.nines.record import Discards
from referee.games.nines.view import View

NAME_SUIT, TURN, DRAWN, ANSWER = "name_suit", "turn", "drawn", "answer"
"""Phases, as in views: an upcard nine is to be named (N1.5); an ordinary turn; a legal card has been drawn (N2.3,
N2.4); the seat is about to be skipped by a pair of nines (N6.6)."""


class Shown(Mapping[int, tuple[str, ...]]):
    """The hands of `seats` at the end of a round, in pack order; written out when they are read."""

    __slots__ = ("_hands", "_seats")

    def __init__(self, seats: tuple[int, ...], hands: list[int]) -> None:
        self._seats, self._hands = seats, hands

    def __getitem__(self, seat: int) -> tuple[str, ...]:
        if seat not in self._seats:
            raise KeyError(seat)
        return held(self._hands[seat])

    def __iter__(self) -> Iterator[int]:
        return iter(self._seats)

    def __len__(self) -> int:
        return len(self._seats)


class State(Round):
    """A round of Nines at one moment; see `moves` for hands, choices and keys."""

    __slots__ = (
        "_after",
        "_before",
        "_choice",
        "_fixed",
        "_hands",
        "_legal",
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
        """A round with nothing dealt yet."""
        self.law, self.dealer = law, dealer
        self.number, self.kind = number, kind
        self.totals, self.forfeited, self.shuffler = totals, forfeited, shuffler
        self.turn: int | None = None
        self.end: RoundEnd | None = None
        self.phase = TURN
        self.drawn = -1
        """The card drawn last in phase `drawn`."""
        self._choice = 0
        """What the seat to act may choose, as in `moves`, and the list of it in the order of S7."""
        self._legal: tuple[Action, ...] = ()
        self._top = 0
        """The key of what was last put on the discard pile, as index of `PLAYABLE`."""
        self._after, self._before = law.left, law.right
        """By seat, who is next in the direction of play, and who was before."""
        self._seen: Discards | None = None
        self.turns = self.reshuffles = self._passes = self._passed_at = 0

    def _keep(self, pile: list[int], hands: list[int], stock: list[int], log: list[Entry]) -> None:
        """The lists are this round's own; `_play_on` has them at hand in one tuple, with what the law says."""
        self._pile, self._hands = pile, hands
        self._stock, self._log = stock, log
        self._fixed = (*self.law.flags, hands, stock, log)

    def legal(self) -> tuple[Action, ...]:
        return self._legal

    def _discards(self) -> Discards:
        """What has been discarded: followed along the log only when it is asked for."""
        if self._seen is None:
            self._seen = Discards([self._pile[-self.law.dealt - 1]])
        return self._seen

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
        return record.documents(self._log)

    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        return record.visible(self._log[start:], seat)

    def deal(self) -> dict[str, Json]:
        if not self._pile:
            raise ValueError("a round that began at a position was not dealt")
        law, pile = self.law, self._pile
        hands = {seat: [PACK[card] for card in pile[dealt]] for seat, dealt in law.dealing[self.dealer]}
        return {
            "hands": {str(seat): hands[seat] for seat in law.seats},
            "upcard": PACK[pile[-law.dealt - 1]],
            "stock": [PACK[card] for card in pile[: -law.dealt - 1]],
        }

    def view(self, seat: int) -> View:
        top, own, forfeited = self._top, seat == self.turn, self.forfeited
        return View(  # by position: by name it would take twice as long
            seat,
            held(self._hands[seat]),
            PACK[TOPS[top]],  # upcard
            ACTIVE[top],  # active_suit
            self._discards().history(self._log),  # discards
            tuple(map(int.bit_count, self._hands)),  # hand_sizes
            len(self._stock),  # stock_size
            self.direction,
            self.dealer,
            self.totals,  # scores
            self.number,  # round
            self.kind == "playoff",  # playoff
            self.law.seats,  # players
            self.phase if own else "",  # phase
            PACK[self.drawn] if own and self.phase == DRAWN else "",  # drawn
            self.turns,
            self.reshuffles,
            tuple(sorted(forfeited)) if forfeited else (),
        )

    def clone(self) -> Self:
        copy = type(self)(self.law, self.number, self.kind, self.dealer, self.totals, self.forfeited, self.shuffler)
        copy.turn, copy.end = self.turn, self.end
        copy.phase, copy.drawn = self.phase, self.drawn
        copy.turns, copy.reshuffles = self.turns, self.reshuffles
        copy._top, copy._choice, copy._legal = self._top, self._choice, self._legal
        copy._after, copy._before = self._after, self._before
        copy._passes, copy._passed_at = self._passes, self._passed_at
        copy._seen = self._seen.copy() if self._seen is not None else None
        copy._keep(self._pile, self._hands[:], self._stock[:], self._log[:])
        return copy
