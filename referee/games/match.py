"""The one match machine for all games: rounds, cuts, totals, playoffs, forfeits and places, as pure rules.

It knows no clock and no bots: whoever drives it asks `turn` what to play, hands in `choose` or `forfeit`, and reads
`document()` when it is over. The same seed, decisions and faults give the same document everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cards import CODES, PACK
from referee.errors import IllegalAction
from referee.games.base import Action, Game, Json, Round, Rules, ShufflerLike
from referee.games.places import places
from referee.games.shuffler import Shuffler
from referee.games.standin import pick

MOST_PLAYOFFS = 10
"""After so many playoff rounds those still tied share (N5.4)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a seat forfeits (F1): `kind` is one of the bot's causes, `detail` the rule or limit alone; times or None."""

    seat: int
    kind: str
    detail: str
    ms: float | None = None
    cpu_ms: float | None = None
    limit_ms: float | None = None


def cut_for_deal(shuffler: ShufflerLike, players: int) -> tuple[int, list[dict[int, str]]]:
    """Who deals first, and the cards that each cut gave to each seat still in it (N1.4): lowest rank, ace low."""
    seats = list(range(players))
    cuts: list[dict[int, str]] = []
    while len(seats) > 1:
        pack = shuffler.shuffle(f"cut/{len(cuts) + 1}", range(len(PACK)))
        drawn = {seat: pack.pop() for seat in seats}
        cuts.append({seat: CODES[card] for seat, card in drawn.items()})
        lowest = min(card % 13 for card in drawn.values())
        seats = [seat for seat, card in drawn.items() if card % 13 == lowest]
    return seats[0], cuts


class Played:
    """One round of a match with what the match knows beyond it: what was chosen, in what times, and by stand-ins, by
    index of event."""

    __slots__ = ("chosen", "dealer", "kind", "number", "round", "seats", "standins", "times", "totals")

    def __init__(self, number: int, kind: str, dealer: int, seats: tuple[int, ...], started: Round) -> None:
        self.number, self.kind, self.dealer = number, kind, dealer
        self.seats, self.round = seats, started
        self.chosen: list[int] = []
        self.times: dict[int, tuple[float | None, float | None]] = {}
        self.standins: set[int] = set()
        self.totals: list[int] = []

    def document(self) -> dict[str, Json]:
        """The finished round as REPLAY's ROUND."""
        end = self.round.end
        assert end is not None
        events = self.round.events()
        for index in self.chosen:
            event = events[index]
            event["ms"], event["cpu_ms"] = self.times.get(index, (None, None))
        for index in self.standins:
            events[index]["standin"] = True
        return {
            "round": self.number,
            "kind": self.kind,
            "dealer": self.dealer,
            "seats": list(self.seats),
            "deal": self.round.deal(),
            "events": events,
            "end": {
                "reason": end.reason,
                "by": end.by,
                "hands": {str(seat): list(hand) for seat, hand in end.hands.items()},
                "penalties": {str(seat): penalty for seat, penalty in end.penalties.items()},
                "totals": list(self.totals),
            },
        }


class Match:
    """A match from its seed to its places; always at the next real choice of a seat that has not forfeited, or over.

    With `pausing` the machine also stops where nobody is asked but a fault may be noticed: before each deal (such a
    fault counts for the round to come, as event 0, F1) and before each choice of a stand-in. There `turn` is None, and
    `proceed()` goes on.
    A `shuffler` takes the place of the seed's own: for a replay whose seed is not yet revealed.
    """

    __slots__ = (
        "_asked",
        "_chosen",
        "_current",
        "_documents",
        "_next_dealer",
        "_next_seats",
        "_pausing",
        "_played",
        "_playoffs",
        "_shuffler",
        "_sides",
        "_standin_decisions",
        "_times",
        "_winners",
        "cuts",
        "faults",
        "first_dealer",
        "forfeited",
        "game",
        "legal",
        "places",
        "players",
        "round",
        "rules",
        "seed",
        "totals",
        "turn",
    )

    def __init__(
        self,
        game: Game,
        rules: Rules,
        players: int,
        seed: bytes,
        *,
        start_faults: Sequence[Fault] = (),
        pausing: bool = False,
        shuffler: ShufflerLike | None = None,
    ) -> None:
        self.game, self.rules, self.players, self.seed = game, rules, players, seed
        self.turn: int | None = None
        """The seat that must choose; None when finished, and where `pausing` stops."""
        self.round: Round | None = None
        self.legal: Callable[[], tuple[Action, ...]] = tuple
        """The legal actions of the seat to act, two or more, in the order of S7; empty when nobody is asked."""
        self.totals = [0] * players
        self.places: list[int] | None = None
        self.forfeited: frozenset[int] = frozenset()
        self._asked: frozenset[int | None] = frozenset(range(players))
        """The seats that have not forfeited: those whose choices are their own."""
        self.faults: list[dict[str, Json]] = []
        self.first_dealer = 0
        self.cuts: list[dict[int, str]] = []
        self._shuffler: ShufflerLike = shuffler or Shuffler(seed)
        self._sides = game.sides(rules, players)
        self._pausing = pausing
        self._played: list[Played] = []
        self._documents: list[dict[str, Json]] = []
        self._current: Played | None = None
        self._chosen: list[int] = []
        self._times: dict[int, tuple[float | None, float | None]] = {}
        self._playoffs = 0
        self._winners: tuple[int, ...] = ()
        self._standin_decisions = [0] * players
        if rules["first_dealer"] == "cut":
            self.first_dealer, self.cuts = cut_for_deal(self._shuffler, players)
        self._next_dealer, self._next_seats = self.first_dealer, tuple(range(players))
        if start_faults:
            self._record(start_faults)
        if self._decided():
            self._finish()
        elif not pausing:
            self.proceed()

    @property
    def finished(self) -> bool:
        """Whether the match is over and `places` are known."""
        return self.places is not None

    @property
    def rounds(self) -> list[dict[str, Json]]:
        """The finished rounds as REPLAY's ROUND documents, in order; do not change them."""
        for played in self._played[len(self._documents) :]:
            self._documents.append(played.document())
        return self._documents

    @property
    def rounds_finished(self) -> int:
        """How many rounds are over, playoffs too: `len(rounds)` without writing the documents."""
        return len(self._played)

    @property
    def dealt(self) -> Played:
        """The round dealt last, in play or over: its number, kind, dealer, seats and the round itself."""
        return self._current or self._played[-1]

    def resolve(self, action: Action, seat: int | None = None) -> Action:
        """The action as it will be played; `IllegalAction` names the rule if it is not legal, or not `seat`'s turn."""
        if seat is not None and seat != self.turn:
            whose = "nobody's" if self.turn is None else f"seat {self.turn}'s"
            raise IllegalAction(seat, str(action), self.game.turn_rule, f"it is {whose} turn", ())
        return self._in_play().resolve(action)

    def view(self, seat: int) -> Any:
        """What `seat` may know of the round in play (N8, K6)."""
        return self._in_play().view(seat)

    def _in_play(self) -> Round:
        if self.round is None:
            raise ValueError("no round is in play: the match has ended or waits for proceed()")
        return self.round

    def choose(self, action: Action, ms: float | None = None, cpu_ms: float | None = None) -> None:
        """The seat to act has played `action`, and all that follows has happened, up to the next real choice.

        The times go to the event that the choice became. `IllegalAction` leaves everything as it was.
        """
        current = self.round
        if current is None or self.turn is None:
            raise ValueError("nobody is to choose: the match has ended or waits for proceed()")
        index = current.apply(action)
        self._chosen.append(index)
        if ms is not None or cpu_ms is not None:
            self._times[index] = ms, cpu_ms
        turn = current.turn
        if turn in self._asked:
            self.turn = turn
        else:
            self._advance()

    def forfeit(self, faults: Sequence[Fault]) -> None:
        """The seats of `faults`, which failed at one moment, have forfeited (F1); stand-ins play them from here on.

        Ends the match at once when fewer than two sides are left (F2). After the match has ended it changes nothing.
        """
        if self.finished:
            return
        self._record(faults)
        if self._decided():
            if self.round is not None:
                if self.round.end is None:
                    self.round.stop()
                self._close_round()
            self._finish()
        elif self.round is not None:
            self.round.forfeited = self.forfeited
            self._advance()

    def proceed(self) -> None:
        """Where the machine has paused, the next round has been dealt or the stand-in has chosen, and play gone on."""
        if self.turn is not None or self.finished:
            raise ValueError("a seat is to choose or the match has ended")
        if self.round is None:
            self._deal()
        else:
            self._stand_in()
        self._advance()

    def document(self) -> dict[str, Json]:
        """The fields of the replay that follow from the rules: `first_dealer`, `cuts` where cards were cut, `rounds`,
        `result` (None until the match is over) and `faults`."""
        document: dict[str, Json] = {"first_dealer": self.first_dealer}
        if self.rules["first_dealer"] == "cut":
            document["cuts"] = [{str(seat): card for seat, card in cut.items()} for cut in self.cuts]
        document["rounds"] = list(self.rounds)
        document["result"] = None
        if self.places is not None:
            document["result"] = {"totals": list(self.totals), "places": list(self.places)}
        document["faults"] = [dict(fault) for fault in self.faults]
        return document

    # ---- between choices

    def _record(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            if fault.seat in self.forfeited:
                continue  # a seat forfeits once; what it does afterwards is nobody's concern
            self.faults.append(
                {
                    "seat": fault.seat,
                    "round": len(self._played),
                    "event": self.round.event_count() if self.round is not None else 0,
                    "kind": fault.kind,
                    "detail": fault.detail,
                    "ms": fault.ms,
                    "cpu_ms": fault.cpu_ms,
                    "limit_ms": fault.limit_ms,
                }
            )
            self.forfeited |= {fault.seat}
            self._asked -= {fault.seat}

    def _decided(self) -> bool:
        """Whether fewer than two sides are left without a forfeit (F2)."""
        return sum(self.forfeited.isdisjoint(side) for side in self._sides) < 2

    def _deal(self) -> None:
        kind = "playoff" if self._playoffs else "round"
        number = self._playoffs or len(self._played) + 1
        dealer, seats = self._next_dealer, self._next_seats
        self.round = self.game.start_round(
            self.rules,
            number=number,
            kind=kind,
            seats=seats,
            players=self.players,
            dealer=dealer,
            totals=tuple(self.totals),
            forfeited=self.forfeited,
            shuffler=self._shuffler,
        )
        self._current = played = Played(number, kind, dealer, seats, self.round)
        self._chosen, self._times = played.chosen, played.times

    def _advance(self) -> None:
        """Stand-ins play and rounds follow each other until a seat that has not forfeited must choose."""
        while self.round is not None:
            seat = self.round.turn
            if seat is not None and seat not in self.forfeited:
                self.turn, self.legal = seat, self.round.legal
                return
            self.turn, self.legal = None, tuple
            if seat is None:
                self._close_round()
                self._after_round()
            if self.finished or self._pausing:
                return
            if seat is None:
                self._deal()
            else:
                self._stand_in()

    def _stand_in(self) -> None:
        """The stand-in of the forfeited seat to act has chosen (S6)."""
        played = self._current
        assert played is not None
        seat = played.round.turn
        assert seat is not None
        self._standin_decisions[seat] += 1
        choice = pick(self._shuffler, seat, self._standin_decisions[seat], played.round.legal())
        played.standins.add(played.round.apply(choice))

    def _close_round(self) -> None:
        played = self._current
        assert played is not None
        assert played.round.end is not None
        if played.kind == "round" and played.round.end.reason != "forfeit":
            self.totals = self.game.add_up(self.rules, self.totals, played.round.end.penalties)
        played.totals = list(self.totals)
        self._played.append(played)
        self._current = self.round = self.turn = None
        self.legal = tuple

    def _after_round(self) -> None:
        """What follows a round that was played out: the end of the match, a playoff, or the next deal (N5.2-N5.4)."""
        last = self._played[-1]
        if last.kind == "playoff":
            assert last.round.end is not None
            penalties = last.round.end.penalties
            lowest = min(penalties.values())
            self._winners = tuple(seat for seat in last.seats if penalties[seat] == lowest)
            if len(self._winners) == 1 or self._playoffs == MOST_PLAYOFFS:
                self._finish()
            else:
                self._start_playoff(self._winners, last.dealer)
        elif not self.game.is_over(self.rules, self.totals, len(self._played)):
            self._next_dealer = (last.dealer + 1) % self.players  # N1.3
        else:
            tied = tuple(seat for seat, total in enumerate(self.totals) if total == min(self.totals))
            if len(tied) > 1 and self.game.playoff(self.rules):
                self._start_playoff(tied, last.dealer)
            else:
                self._finish()

    def _start_playoff(self, tied: tuple[int, ...], last_dealer: int) -> None:
        self._playoffs += 1
        self._next_seats = tied
        self._next_dealer = min(tied, key=lambda seat: (seat - last_dealer - 1) % self.players)

    def _finish(self) -> None:
        self.places = places(self.totals, self._sides, self.forfeited, self._winners)
