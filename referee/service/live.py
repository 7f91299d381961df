"""A running match as spectators may follow it: public information only.

The same deals are in use at other tables of the block until the block is over, so the live feed shows no hand, not even
at a round's end, and no seed; what a player may not know of another (N8, K6) it does not know either. Documents::

    UPDATE {"state": STATE, "events": [EVENT…]}
    STATE  {"game", "players", "round", "kind": "round" | "playoff", "dealer", "seats": [who plays this round],
            "totals": [by seat], "forfeited": [seats], "table": public fields of the game's view (hand_sizes, upcard or
            top, stock_size or draw_pile_size, …) or null between rounds, "finished": bool, "places": [by seat] | null}
    EVENT  the replay's events as everyone may know them (draws without cards, no keep, no accept), and
           {"do": "deal", "upcard"}, {"do": "forfeit", "seat"},
           {"do": "round_end", "reason", "by", "penalties": {seat: n}, "totals": [by seat]}
"""

from __future__ import annotations

from collections.abc import Callable

from referee.games.base import Json, Round
from referee.games.match import Match

PRIVATE = frozenset({"seat", "hand", "phase", "drawn", "discards", "taken", "scores", "forfeited"})
"""Fields of a view that a spectator is not shown: the seat's own knowledge, and what the events or the state say."""
NOBODY = -1
"""A seat that no one has: what it may know is what everyone may know."""

Send = Callable[[bool, dict[str, Json]], None]
"""`(whole, update)`: whether the update stands for itself, and the update."""


class LiveFeed:
    """Follows one match as its observer; costs next to nothing while `watched` is false."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.watched = False
        self.match: Match | None = None
        self._round: Round | None = None
        self._cursor = 0
        self._ended = False
        self._forfeited: frozenset[int] = frozenset()
        self._pending: list[dict[str, Json]] = []

    def __call__(self, match: Match) -> None:
        """A change of the match (an `Observer`)."""
        if match is not self.match:
            self.match, self._round, self._forfeited = match, None, frozenset()
            self._pending = []
        if self.watched:
            self._collect(match)

    def watch(self) -> None:
        """From now on somebody watches, and gets the whole round first."""
        self.watched = True
        self._round, self._pending = None, []
        if self.match is not None:
            self._forfeited = self.match.forfeited
            self._collect(self.match)
            self.flush(whole=True)

    def unwatch(self) -> None:
        """Nobody watches any more."""
        self.watched = False
        self._pending = []

    def flush(self, *, whole: bool = False) -> None:
        """What has come together since the last time is sent; nothing if nothing has."""
        if self.match is None or not (self._pending or whole):
            return
        events, self._pending = self._pending, []
        self._send(whole, {"state": state(self.match), "events": events})

    def _collect(self, match: Match) -> None:
        if match.round is None and not match.rounds_finished:
            return  # nothing dealt yet
        playing = match.dealt.round
        if playing is not self._round:
            self._round, self._cursor, self._ended = playing, 0, False
            self._pending.append({"do": "deal", "upcard": playing.deal()["upcard"]})
        if self._ended:
            return
        self._pending += playing.visible(NOBODY, self._cursor)
        self._cursor = playing.event_count()
        for seat in sorted(match.forfeited - self._forfeited):
            self._pending.append({"do": "forfeit", "seat": seat})
        self._forfeited = match.forfeited
        if playing.end is not None and match.round is not playing:
            self._ended = True
            end = playing.end
            self._pending.append(
                {
                    "do": "round_end",
                    "reason": end.reason,
                    "by": end.by,
                    "penalties": {str(seat): penalty for seat, penalty in end.penalties.items()},
                    "totals": list(match.totals),
                }
            )


def state(match: Match) -> dict[str, Json]:
    """The match as everyone may see it now."""
    table = None
    if match.round is not None:
        seat = match.dealt.seats[0]
        table = {name: value for name, value in match.view(seat).to_json().items() if name not in PRIVATE}
    dealt = match.dealt if match.round is not None or match.rounds_finished else None
    return {
        "game": match.game.name,
        "players": match.players,
        "round": dealt.number if dealt else 0,
        "kind": dealt.kind if dealt else "round",
        "dealer": dealt.dealer if dealt else match.first_dealer,
        "seats": list(dealt.seats) if dealt else list(range(match.players)),
        "totals": list(match.totals),
        "forfeited": sorted(match.forfeited),
        "table": table,
        "finished": match.finished,
        "places": match.places,
    }
