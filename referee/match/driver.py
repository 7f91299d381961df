"""Plays one match: asks the seat whose choice it is, checks the answer, reads the clocks, forfeits who fails.

The driver knows the rules (`Match`), the clocks and the `SeatClient` protocol, nothing of Docker or gRPC. An answer is
acted on where it arrives, up to the next question, without waking anyone; one future wakes the driver for all else: a
bot that fails, whoever is asked, a clock that ran out, the end. One timer is re-armed; an answered decision costs none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from referee.errors import BotFault, IllegalAction, PlatformFault
from referee.games.base import Action, Json, Round
from referee.games.match import Fault, Match
from referee.games.shuffler import commitment
from referee.match.clock import FIRST_LOOK_MS, GRACE_MS, Overrun, SeatClock, Stalled
from referee.match.fixture import Clock
from referee.match.seat import (
    NOTE_CHARACTERS,
    Answer,
    MatchEnd,
    MatchStart,
    RoundEnd,
    RoundStart,
    SeatClient,
    Turn,
    shortened,
)

MOMENT_S = 0.05
"""Bots that fail within so much of each other fail at one moment (F1): both forfeit, whoever's end is noticed first."""

Observer = Callable[[Match], None]
"""Called after every change of a match in play; what it shows to others is its own responsibility."""


@dataclass(slots=True)
class SeatRecord:
    """What one seat did in one match, beyond the replay; `sent` is for the bot's owner alone."""

    decisions: int = 0
    wall_ms: float = 0.0
    cpu_ms: float | None = None
    sent: str = ""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One finished match: the rules' side in `match`, the rest beside it; `charged_as` is `wall` if any seat's was."""

    match: Match
    charged_as: str
    notes: list[dict[str, Json]]
    seats: tuple[SeatRecord, ...]


def bot_seed(seed: bytes, seat: int) -> bytes:
    """The seed of a bot's own randomness, for this match and seat alone."""
    return sha256(seed + f"seat/{seat}/bot".encode()).digest()


async def play_match(
    match: Match,
    seats: Sequence[SeatClient],
    *,
    seed: bytes,
    clock: Clock,
    profile: str | None = None,
    number: int = 1,
    observer: Observer | None = None,
) -> MatchRecord:
    """The match (made with `pausing` and its start faults) has been played to its end by `seats`.

    Seats that never started are in `match.forfeited` already and are not spoken to. Whoever forfeits is stopped on the
    spot. Raises `PlatformFault` when it is our fault that the match cannot go on.
    """
    return await _Table(match, seats, seed, clock, profile, number, observer).play()


class _Table:
    """One match in play."""

    def __init__(
        self,
        match: Match,
        seats: Sequence[SeatClient],
        seed: bytes,
        clock: Clock,
        profile: str | None,
        number: int,
        observer: Observer | None,
    ) -> None:
        self.match, self.seats, self.observer = match, seats, observer
        self.seed, self.clock, self.profile, self.number = seed, clock, profile, number
        self.loop = asyncio.get_running_loop()
        self.clocks: dict[int, SeatClock] = {}
        self.records = tuple(SeatRecord() for _ in seats)
        self.notes: list[dict[str, Json]] = []
        self.asked: int | None = None
        self.faults: list[BotFault] = []  # noticed, not yet acted on
        self.stalled: Stalled | None = None
        self.events: list[list[dict[str, Json]]] = [[] for _ in seats]  # due to each seat before the cursor's
        self.cursors = [0 for _ in seats]
        self.scores = tuple(match.totals)  # before the round in play
        self.wake: asyncio.Future[None] | None = None  # set while `play` waits
        self.advancing = False
        self.legal: tuple[Action, ...] = ()  # of the open decision
        self.timer: asyncio.TimerHandle | None = None
        self.leaving: dict[int, asyncio.Future[None]] = {}

    async def play(self) -> MatchRecord:
        self._start()
        try:
            self._advance()
            while not self.match.finished:
                if self.faults or self._failing():
                    await self._forfeit()
                    self._advance()
                elif self.stalled is not None:
                    raise PlatformFault("internal", f"seat {self.asked}: {self.stalled}")
                else:
                    self.wake = self.loop.create_future()
                    await self.wake
                    self.wake = None
            return await self._finish()
        finally:
            if self.timer is not None:
                self.timer.cancel()
            for client in self.seats:
                client.listen(_nobody)
            for task in self.leaving.values():
                await asyncio.shield(task)

    def _advance(self) -> None:
        """Everything has happened up to where an answer is waited for, or something must be awaited.

        Runs where the answer arrives, in the reader of its stream: no task is woken for a decision.
        """
        match, seats = self.match, self.seats
        self.advancing = True
        try:
            while not match.finished:
                if self.asked is not None and (answer := seats[self.asked].answer) is not None:
                    self._take(self.asked, answer)
                elif self.faults or self.asked is not None or self._failing():
                    return
                elif match.turn is not None:
                    self._ask(match.turn)
                else:
                    self._proceed()
        finally:
            self.advancing = False

    def _news(self) -> None:
        """A seat has answered or is failing; whatever needs awaiting is left to `play`."""
        wake = self.wake
        if self.advancing or wake is None or wake.done():
            return  # whoever is at work looks again
        try:
            self._advance()
        except Exception as error:  # the stream's reader could do nothing with it
            wake.set_exception(error)
            return
        if self.match.finished or self.faults or self.stalled is not None or self._failing():
            wake.set_result(None)

    # ---- the course of a match

    def _live(self) -> list[int]:
        return [seat for seat in range(len(self.seats)) if seat not in self.match.forfeited]

    def _failing(self) -> list[int]:
        return [seat for seat in self.clocks if self.seats[seat].failing and seat not in self.match.forfeited]

    def _start(self) -> None:
        for seat in sorted(self.match.forfeited):
            self._tell_forfeit(seat)
        for seat in self._live():
            client = self.seats[seat]
            client.listen(self._news)
            self.clocks[seat] = clock = SeatClock(self.clock.bank_ms, self.clock.increment_ms, client.reading())
            client.match_start(
                MatchStart(
                    self.match.game.name,
                    self.match.rules,
                    self.profile,
                    seat,
                    len(self.seats),
                    commitment(self.seed),
                    bot_seed(self.seed, seat),
                    self.clock.bank_ms,
                    self.clock.increment_ms,
                    clock.charged_as,
                    self.number,
                )
            )
        self._observe()

    def _proceed(self) -> None:
        """What nobody is asked for has happened: a stand-in's choice, or the next deal."""
        playing = self.match.round
        self.match.proceed()
        if playing is None:
            self._tell_deal()
        self._after(playing or self.match.dealt.round)

    def _tell_deal(self) -> None:
        """Each seat has been told that a round was dealt, and its own hand."""
        match, started = self.match, self.match.dealt
        deal = started.round.deal()
        is_first = started.kind == "round" and started.number == 1
        self.cursors = [0] * len(self.seats)
        for seat in self._live():
            self.seats[seat].round_start(
                RoundStart(
                    started.number,
                    started.kind == "playoff",
                    started.dealer,
                    started.seats,
                    tuple(deal["hands"].get(str(seat), ())),
                    deal["upcard"],
                    self.scores,
                    match.cuts if is_first else (),
                )
            )

    def _ask(self, seat: int) -> None:
        client, clock, match = self.seats[seat], self.clocks[seat], self.match
        if overrun := clock.ask(client.reading()):
            self._ran_out(seat, overrun)
            return
        self.legal = match.legal()
        turn = Turn(match.view(seat), self.legal, self._due(seat, match.round), clock.left_ms, clock.charged)
        self.asked = seat
        client.ask(turn)
        if self.timer is None or clock.left_ms < FIRST_LOOK_MS:
            self._arm(min(FIRST_LOOK_MS, clock.left_ms + GRACE_MS))

    def _take(self, seat: int, answer: Answer) -> None:
        """The answer has been judged: played, or a fault."""
        match, record, client = self.match, self.records[seat], self.seats[seat]
        client.answer = None
        charge = self.clocks[seat].answer(answer.at)
        self.asked = None
        if isinstance(charge, Overrun):
            self._ran_out(seat, charge)
            return
        record.decisions += 1
        record.wall_ms += charge.ms
        try:
            action = self._resolve(seat, answer.pick)
        except IllegalAction as error:
            # The reason names cards: it is for the owner, as is what was sent; the record has the rule alone.
            sent = f"{shortened(error.action)}: {error.reason}; legal were {shortened(', '.join(error.legal))}"
            self.faults.append(BotFault(seat, "illegal", error.rule, sent, charge.ms, charge.cpu_ms))
            return
        playing = match.round
        assert playing is not None
        if answer.note:
            note = {"seat": seat, "round": match.rounds_finished, "event": playing.event_count()}
            self.notes.append(note | {"text": answer.note[:NOTE_CHARACTERS]})
        match.choose(action, _round(charge.ms), _round(charge.cpu_ms))
        self._after(playing)

    def _resolve(self, seat: int, pick: int | Action) -> Action:
        legal = self.legal
        if not isinstance(pick, int):
            return self.match.resolve(pick)
        if 0 <= pick < len(legal):
            return legal[pick]
        reason = f"index {pick} names none of {len(legal)} legal actions"
        raise IllegalAction(seat, f"index {pick}", "S7", reason, [str(action) for action in legal])

    async def _forfeit(self) -> None:
        """All that have failed by now forfeit together (F1), and the others are told (F4)."""
        match = self.match
        if failing := self._failing():
            await asyncio.sleep(MOMENT_S)
            if self.asked in failing and self.seats[self.asked].answer is not None:
                self._advance()  # it was on its way when the end of its bot was noticed, and counts (F1)
                if match.finished:
                    return
        known = {fault.seat for fault in self.faults}
        ends = await asyncio.gather(*(self.seats[seat].verdict() for seat in self._failing() if seat not in known))
        first = {fault.seat: self._timed(fault) for fault in reversed([*self.faults, *ends])}  # a seat fails once
        faults = [first[seat] for seat in sorted(first)]
        self.faults = []
        playing = match.round
        for seat in self._live():
            self.events[seat] = self._due(seat, playing)
        for fault in faults:
            self._leave(fault)
        match.forfeit(
            [Fault(f.seat, f.kind, f.detail, _round(f.ms), _round(f.cpu_ms), _round(f.limit_ms)) for f in faults]
        )
        if self.asked in match.forfeited:
            self.asked = None
        self._after(playing)

    def _leave(self, fault: BotFault) -> None:
        """The seat is out of the match; its processes are stopped while the others play on."""
        seat, record = fault.seat, self.records[fault.seat]
        record.sent = fault.sent
        record.cpu_ms = self._used(seat)
        self.leaving[seat] = asyncio.ensure_future(self.seats[seat].stop("forfeit"))
        self._tell_forfeit(seat)

    def _tell_forfeit(self, seat: int) -> None:
        for other, events in enumerate(self.events):
            if other != seat:
                events.append({"seat": seat, "do": "forfeit"})

    def _after(self, playing: Round | None) -> None:
        """Whatever has just changed the match has been told to all whom it concerns."""
        match = self.match
        if playing is not None and playing.end is not None and match.round is not playing:
            self._round_end(playing)
        self._observe()

    def _round_end(self, ended: Round) -> None:
        end, totals = ended.end, tuple(self.match.totals)
        self.scores = totals
        assert end is not None
        everyone = range(len(self.seats))
        hands = tuple(tuple(end.hands.get(seat, ())) for seat in everyone)
        penalties = tuple(end.penalties.get(seat, 0) for seat in everyone)
        for seat in self._live():
            events = self._due(seat, ended)
            self.seats[seat].round_end(RoundEnd(end.reason, end.by, hands, penalties, totals, events))

    async def _finish(self) -> MatchRecord:
        match = self.match
        if self.asked is not None:
            self.seats[self.asked].withdraw()
        assert match.places is not None
        message = MatchEnd(tuple(match.places), tuple(match.totals), tuple(sorted(match.forfeited)))
        for seat in self._live():
            self.records[seat].cpu_ms = self._used(seat)
            self.seats[seat].match_end(message)
        for task in self.leaving.values():
            await task
        charged_as = "wall" if any(clock.charged_as == "wall" for clock in self.clocks.values()) else "cpu"
        return MatchRecord(match, charged_as, self.notes, self.records)

    # ---- small parts

    def _due(self, seat: int, playing: Round | None) -> list[dict[str, Json]]:
        """The events that `seat` has not been told yet; they count as told from now on."""
        due = self.events[seat]
        if playing is not None:
            visible = playing.visible(seat, self.cursors[seat])
            self.cursors[seat] = playing.event_count()
            if not due:
                return visible
            due = due + visible
        self.events[seat] = []
        return due

    def _used(self, seat: int) -> float | None:
        clock = self.clocks[seat]
        return _round(clock.used_ms(self.seats[seat].reading())) if clock.charged_as == "cpu" else None

    def _timed(self, fault: BotFault) -> BotFault:
        """The fault with the time that the open decision has taken, if it was this seat's."""
        if fault.seat == self.asked and fault.ms is None:
            fault.ms, fault.cpu_ms = self.clocks[fault.seat].so_far(self.seats[fault.seat].reading())
        return fault

    def _ran_out(self, seat: int, overrun: Overrun) -> None:
        self.faults.append(BotFault(seat, "timeout", str(overrun), "", overrun.ms, overrun.cpu_ms, overrun.limit_ms))

    def _observe(self) -> None:
        if self.observer is not None:
            self.observer(self.match)

    # ---- the watchdog

    def _arm(self, delay_ms: float) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_later(delay_ms / 1000, self._watch)

    def _watch(self) -> None:
        """Looks at the seat that is asked now, whichever it is, and again when something could have run out."""
        self.timer = None
        if (seat := self.asked) is None:
            return  # the next question arms it
        client, clock = self.seats[seat], self.clocks[seat]
        if client.answer is not None or client.failing:
            self._arm(FIRST_LOOK_MS)
            return
        now = client.reading()
        if clock.is_due(now):
            now = client.look()
            verdict = clock.look(now)
            if isinstance(verdict, Overrun):
                self._ran_out(seat, verdict)
                self._news()
                return
            if verdict is not None:
                self.stalled = verdict
                self._news()
                return
        self._arm(clock.next_look_ms(now))


def _nobody() -> None:
    """Nobody listens between matches; what happened then is found at the next one's start."""


def _round(ms: float | None) -> float | None:
    """Microseconds are all that is worth keeping of a time in milliseconds."""
    return None if ms is None else round(ms, 3)
