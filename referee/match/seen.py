"""Time travel: everything one seat was told in a recorded match, in order, and what it chose each time.

Built from the replay alone by running it again, so it is what the seat's bot saw to the last event, whoever played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from referee.errors import UsageError
from referee.games.base import Action, Json, Round
from referee.games.match import Match
from referee.match import verify
from referee.match.driver import bot_seed
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart, Turn

DEFAULT_BANK_MS, DEFAULT_INCREMENT_MS = 10_000, 100


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of the seat: where it stands in the replay, what it was shown, and what it chose."""

    round: int
    """Index in the replay's `rounds`, from 0."""
    event: int
    """Index of the event that the choice became, in that round."""
    turn: Turn
    chosen: Action

    @property
    def at(self) -> str:
        return f"{self.round}/{self.event}"


Told = MatchStart | RoundStart | Decision | RoundEnd | MatchEnd


def seen(document: Mapping[str, Json], seat: int) -> list[Told]:
    """What the seat was told and chose, until it forfeited if it did; `Discrepancy` if the replay does not hold."""
    if not 0 <= seat < len(document["seats"]):
        raise UsageError(f"there is no seat {seat}; the match has seats 0 to {len(document['seats']) - 1}")
    watcher = _Watcher(document, seat)
    verify.follow(document, watcher.look)
    watcher.end()
    return watcher.told


@dataclass
class _Watcher:
    document: Mapping[str, Json]
    seat: int
    told: list[Told] = field(default_factory=list)
    _match: Match | None = None
    _round: Round | None = None
    _index: int = -1
    _cursor: int = 0
    _due: list[dict[str, Json]] = field(default_factory=list)
    _scores: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        faults: Sequence[Mapping[str, Json]] = self.document["faults"]
        self._pending = sorted(faults, key=lambda f: (f["round"], f["event"], f["seat"]))
        own = [(f["round"], f["event"]) for f in faults if f["seat"] == self.seat]
        self._until = own[0] if own else None

    def look(self, match: Match) -> None:
        """Called before every choice of anyone."""
        if self._match is None:
            self._begin(match)
        while self._index < match.rounds_finished:
            self._next_round(match)
        assert match.round is not None
        self._round = match.round
        position = match.round.event_count()
        self._tell_faults(match.rounds_finished, position)
        if match.turn != self.seat or self._gone(match.rounds_finished, position):
            return
        events = self.document["rounds"][match.rounds_finished]["events"]
        found = verify.action_of(events, position)
        if found is None:
            return
        turn = Turn(match.view(self.seat), match.legal(), self._take(), self._bank, 0.0)
        self.told.append(Decision(match.rounds_finished, found[0], turn, match.resolve(found[1])))

    def end(self) -> None:
        """The rest of the last round, and the match's end."""
        if self._match is None:
            return
        while self._index < len(self.document["rounds"]):
            self._next_round(self._match)
        if self._until is None:
            result, lost = self.document["result"], sorted(f["seat"] for f in self.document["faults"])
            self.told.append(MatchEnd(tuple(result["places"]), tuple(result["totals"]), tuple(lost)))

    def _begin(self, match: Match) -> None:
        self._match = match
        clock = self.document["clock"] or {}
        self._bank = float(clock.get("bank_ms", DEFAULT_BANK_MS))
        self._scores = tuple([0] * len(self.document["seats"]))
        self.told.append(
            MatchStart(
                match.game.name,
                match.rules,
                self.document["profile"],
                self.seat,
                len(self.document["seats"]),
                self.document["commitment"],
                bot_seed(bytes.fromhex(self.document["seed"] or ""), self.seat),
                int(self._bank),
                int(clock.get("increment_ms", DEFAULT_INCREMENT_MS)),
                clock.get("charged", "cpu"),
                1,
            )
        )

    def _next_round(self, match: Match) -> None:
        """The round that was in play has ended, the next one has been dealt, if there is one."""
        rounds = self.document["rounds"]
        if 0 <= self._index < len(rounds):
            self._round_end(rounds[self._index])
        self._index += 1
        self._cursor, self._round = 0, None
        if self._index >= len(rounds) or self._gone(self._index, 0):
            return
        played = rounds[self._index]
        self.told.append(
            RoundStart(
                played["round"],
                played["kind"] == "playoff",
                played["dealer"],
                tuple(played["seats"]),
                tuple(played["deal"]["hands"].get(str(self.seat), ())),
                played["deal"]["upcard"],
                self._scores,
                tuple({int(s): card for s, card in cut.items()} for cut in match.cuts or ()) if not self._index else (),
            )
        )

    def _round_end(self, played: Mapping[str, Json]) -> None:
        count = len(played["events"])
        self._tell_faults(self._index, count)
        end, everyone = played["end"], range(len(self.document["seats"]))
        self._scores = tuple(end["totals"])
        if self._gone(self._index, count):
            return
        self.told.append(
            RoundEnd(
                end["reason"],
                end["by"],
                tuple(tuple(end["hands"].get(str(s), ())) for s in everyone),
                tuple(end["penalties"].get(str(s), 0) for s in everyone),
                tuple(end["totals"]),
                self._take(),
            )
        )

    def _tell_faults(self, round_: int, event: int) -> None:
        """Forfeits of others up to here stand among the events where they happened."""
        while self._pending and (self._pending[0]["round"], self._pending[0]["event"]) <= (round_, event):
            fault = self._pending.pop(0)
            if fault["seat"] == self.seat:
                continue
            if self._round is not None and fault["round"] == self._index:
                self._flush(fault["event"])
            self._due.append({"seat": fault["seat"], "do": "forfeit"})

    def _flush(self, before: int | None = None) -> None:
        if self._round is None:
            return
        fresh = self._round.visible(self.seat, self._cursor)
        if before is not None and before < self._round.event_count():
            later = len(self._round.visible(self.seat, before))
            fresh = fresh[: len(fresh) - later]
            self._cursor = before
        else:
            self._cursor = self._round.event_count()
        self._due += fresh

    def _take(self) -> list[dict[str, Json]]:
        self._flush()
        due, self._due = self._due, []
        return due

    def _gone(self, round_: int, event: int) -> bool:
        """Whether the seat has forfeited by then."""
        return self._until is not None and (round_, event) >= self._until


def decisions(told: Iterable[Told]) -> list[Decision]:
    """The choices among what was told."""
    return [item for item in told if isinstance(item, Decision)]
