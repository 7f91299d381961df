"""Time travel: everything one seat was told in a recorded match, in order, and what it chose each time.

Built from the replay alone by running it again, so it is what the seat's bot saw to the last event, whoever played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from referee.errors import IllegalAction, UsageError
from referee.games.base import Action, Json, Round
from referee.games.match import Match
from referee.match import verify
from referee.match.driver import bot_seed
from referee.match.fixture import Clock
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart, Turn


@dataclass(frozen=True, slots=True)
class Decision:
    """One question to the seat: where it stands in the replay, what it was shown, and what it chose."""

    round: int
    """Index in the replay's `rounds`, from 0."""
    event: int
    """Index of the event that the choice became, in that round; of a fault, where it stands."""
    turn: Turn
    chosen: Action | None
    """None where the seat forfeited instead; then `fault` is its entry in the replay's `faults`."""
    fault: Mapping[str, Json] | None
    resolve: Callable[[Action], Action]
    """Any action as it would be played here; `IllegalAction` names the rule if it is not legal."""

    @property
    def at(self) -> str:
        return f"{self.round}/{self.event}"


Told = MatchStart | RoundStart | Decision | RoundEnd | MatchEnd


def seen(document: Mapping[str, Json], seat: int) -> list[Told]:
    """What the seat was told and chose, until it forfeited if it did; `Discrepancy` if the replay does not hold.

    Three things a replay does not keep. The clock in each Turn is what the times of the seat's own answers leave. A
    match is told as the first of its sitting. A bot that failed before the first answer of a round may have done so
    before the deal or after it, as most do: it is told as after.
    """
    if not 0 <= seat < len(document["seats"]):
        raise UsageError(f"there is no seat {seat}; the match has seats 0 to {len(document['seats']) - 1}")
    watcher = _Watcher(document, seat)
    verify.follow(document, None, watcher.step)
    return watcher.told


@dataclass
class _Watcher:
    """Tells one seat of a match what the driver would have told it, step by step."""

    document: Mapping[str, Json]
    seat: int
    told: list[Told] = field(default_factory=list)
    _round: Round | None = None
    _dealt: int = 0
    _ended: int = 0
    _cursor: int = 0
    _due: list[dict[str, Json]] = field(default_factory=list)
    _scores: tuple[int, ...] = ()
    _out: frozenset[int] = frozenset()
    _held: list[dict[str, Json]] = field(default_factory=list)
    _open: Decision | None = None
    _left_ms: float = 0.0
    _charged_ms: float = 0.0

    def __post_init__(self) -> None:
        faults: Sequence[Mapping[str, Json]] = self.document["faults"]
        self._fault = next((fault for fault in faults if fault["seat"] == self.seat), None)
        self._gone = self._fault is not None and self._fault["kind"] == "start"
        self._scores = tuple([0] * len(self.document["seats"]))
        clock = self.document["clock"] or {}
        self._bank_ms = int(clock.get("bank_ms", Clock().bank_ms))
        self._increment_ms = int(clock.get("increment_ms", Clock().increment_ms))
        self._left_ms = float(self._bank_ms)
        if not self._gone:
            self.told.append(self._match_start(clock.get("charged", "cpu")))

    def step(self, match: Match) -> None:
        """Whatever has happened since the last step is told; if it is the seat's turn, it is asked."""
        if self._gone:
            return
        self._answered(match)
        self._tell_forfeits(match)
        if self._gone:
            return
        dealt = match.rounds_finished + (match.round is not None)
        if dealt > self._dealt:
            self._dealt, self._cursor, self._round = dealt, 0, match.dealt.round
            self._round_start(self.document["rounds"][dealt - 1])
        if match.rounds_finished > self._ended:
            self._ended = match.rounds_finished
            self._round_end(self.document["rounds"][self._ended - 1])
        if match.finished:
            result, lost = self.document["result"], sorted(match.forfeited)
            self.told.append(MatchEnd(tuple(result["places"]), tuple(result["totals"]), tuple(lost)))
        elif match.round is not None:
            if match.round.turn == self.seat and self._open is None:
                self._open = self._ask(match.round, match.rounds_finished)
            self._due, self._held = self._due + self._held, []
            self._gone = self.seat in match.forfeited  # it failed at the first question of the round
            self._answered(match)

    def _ask(self, in_play: Round, index: int) -> Decision:
        here = in_play.clone()
        here.forfeited = in_play.forfeited - {self.seat, *(event["seat"] for event in self._held)}
        self._left_ms += self._increment_ms
        turn = Turn(here.view(self.seat), here.legal(), self._take(), max(0.0, self._left_ms), self._charged_ms)
        found = verify.action_of(self.document["rounds"][index]["events"], in_play.event_count())
        event, chosen = found if found is not None else (in_play.event_count(), None)
        try:
            played = here.resolve(chosen) if chosen is not None else None
        except IllegalAction:  # not its choice: the match ends here, or verifying says what is wrong
            played = None
        return Decision(index, event, turn, played, None, here.resolve)

    def _answered(self, match: Match) -> None:
        """The open question has come to its end, if it has: an answer, the seat's fault, or the end of the match."""
        asked = self._open
        if asked is None:
            return
        assert self._round is not None
        if self.seat in match.forfeited:
            self.told.append(Decision(asked.round, self._cursor, asked.turn, None, self._fault, asked.resolve))
        elif self._round.event_count() > self._cursor:
            self.told.append(asked)
            done = self.document["rounds"][asked.round]["events"][asked.event]
            self._charged_ms = next((done[key] for key in ("cpu_ms", "ms") if done.get(key) is not None), 0.0)
            self._left_ms -= self._charged_ms
        elif match.finished:
            self._due = asked.turn.events + self._due  # withdrawn; the round's end tells them
        else:
            return
        self._open = None

    def _tell_forfeits(self, match: Match) -> None:
        """Forfeits of others stand among the events where they happened."""
        fresh, self._out = match.forfeited - self._out, match.forfeited
        between = self._ended == self._dealt and not match.finished
        self._gone = self.seat in fresh and not between
        if fresh and self._ended < self._dealt:
            self._due = self._take()
        for fault in match.faults:
            if fault["seat"] in fresh:
                later = between and fault["kind"] != "start"
                (self._held if later else self._due).append({"seat": fault["seat"], "do": "forfeit"})

    def _take(self) -> list[dict[str, Json]]:
        """The events that the seat has not been told yet; they count as told from now on."""
        due, self._due = self._due, []
        if self._round is not None:
            due = due + self._round.visible(self.seat, self._cursor)
            self._cursor = self._round.event_count()
        return due

    def _match_start(self, charged_as: str) -> MatchStart:
        game, rules = verify.game_and_rules(self.document)
        seed = bytes.fromhex(self.document["seed"] or "")
        return MatchStart(
            game.name,
            rules,
            self.document["profile"],
            self.seat,
            len(self.document["seats"]),
            self.document["commitment"],
            bot_seed(seed, self.seat),
            self._bank_ms,
            self._increment_ms,
            charged_as,
            1,
        )

    def _round_start(self, played: Mapping[str, Json]) -> None:
        cuts = self.document.get("cuts") or () if self._dealt == 1 else ()
        self.told.append(
            RoundStart(
                played["round"],
                played["kind"] == "playoff",
                played["dealer"],
                tuple(played["seats"]),
                tuple(played["deal"]["hands"].get(str(self.seat), ())),
                played["deal"]["upcard"],
                self._scores,
                tuple({int(seat): card for seat, card in cut.items()} for cut in cuts),
            )
        )

    def _round_end(self, played: Mapping[str, Json]) -> None:
        end, everyone = played["end"], range(len(self.document["seats"]))
        self._scores = tuple(end["totals"])
        self.told.append(
            RoundEnd(
                end["reason"],
                end["by"],
                tuple(tuple(end["hands"].get(str(seat), ())) for seat in everyone),
                tuple(end["penalties"].get(str(seat), 0) for seat in everyone),
                tuple(end["totals"]),
                self._take(),
            )
        )


def decisions(told: Iterable[Told]) -> list[Decision]:
    """The choices among what was told."""
    return [item for item in told if isinstance(item, Decision)]
