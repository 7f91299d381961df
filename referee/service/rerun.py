"""A bot at a recorded table: told exactly what the seat was told, and asked what it would do there now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.errors import BotFault, IllegalAction
from referee.games.base import Action
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart
from referee.match.seen import Decision, Told
from referee.service.host import HostConfig, Platform
from referee.service.seat import RemoteSeat, open_seat

PATIENCE_SECONDS = 60.0
"""Debugging may stop at a breakpoint; this is no clock, only the end of waiting for a bot that hangs."""
LAST_WORDS_S = 0.2
"""What a bot that has failed is given to print why."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the bot does now at one decision: `action`, or `problem` in words; `log` is what it printed meanwhile."""

    decision: Decision
    action: Action | None
    problem: str
    note: str
    log: str

    @property
    def same(self) -> bool:
        """Whether it does as was done then: chooses the same, or fails where the seat failed."""
        return self.action == self.decision.chosen


async def rerun(
    told: Sequence[Told], image: str, runtime: str, *, until: str = "", progress: Callable[[int], None] = lambda n: None
) -> list[Answered]:
    """The bot's answers in order, up to the decision `until`. Where it fails, the last one has a problem."""
    start = next((item for item in told if isinstance(item, MatchStart)), None)
    first = next((item for item in told if isinstance(item, Decision)), None)
    if start is None or first is None:
        return []
    platform = Platform(HostConfig(league="debug", sandbox="process"))
    images = [(image, runtime)] * (start.seat + 1)
    client = open_seat(platform.sandbox, platform.limits, platform.rundir.seat_folder, "debug", images)(start.seat)
    answers: list[Answered] = []
    try:
        try:
            await client.start()
        except BotFault as fault:
            await asyncio.sleep(LAST_WORDS_S)
            return [Answered(first, None, f"{fault.kind}: {fault.detail}", "", _printed(client))]
        news = asyncio.Event()
        client.listen(news.set)
        for item in told:
            match item:
                case MatchStart():
                    client.match_start(item)
                case RoundStart():
                    client.round_start(item)
                case RoundEnd():
                    client.round_end(item)
                case MatchEnd():
                    client.match_end(item)
                case Decision():
                    answers.append(await _ask(client, item, news))
                    progress(len(answers))
                    if answers[-1].action is None or item.at == until:
                        break
        else:  # a hook may still fail over what came after the last decision
            await asyncio.sleep(LAST_WORDS_S)
            if client.failing:
                late = await client.verdict()
                problem = f"{late.kind} after this decision: {late.detail}"
                answers.append(Answered(answers[-1].decision, None, problem, "", _printed(client)))
    finally:
        await client.stop("done")
        await platform.close()
    return answers


async def _ask(client: RemoteSeat, decision: Decision, news: asyncio.Event) -> Answered:
    news.clear()
    client.ask(decision.turn)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while client.answer is None and not client.failing:
                await news.wait()
                news.clear()
    except TimeoutError:
        await client.tell_where()
        return Answered(decision, None, f"no answer within {PATIENCE_SECONDS:.0f} s", "", _printed(client))
    answer, client.answer = client.answer, None
    if answer is None:
        fault = await client.verdict()
        await asyncio.sleep(LAST_WORDS_S)
        sent = f" (it sent {fault.sent})" if fault.sent else ""
        return Answered(decision, None, f"{fault.kind}: {fault.detail}{sent}", "", _printed(client))
    action, problem = _judged(decision, answer.pick)
    return Answered(decision, action, problem, answer.note, _printed(client))


def _judged(decision: Decision, pick: int | Action) -> tuple[Action | None, str]:
    """The action as it would be played, or why it would not be."""
    legal = decision.turn.legal
    if isinstance(pick, int):
        if pick < len(legal):
            return legal[pick], ""
        return None, f"illegal: index {pick} names none of {len(legal)} legal actions"
    try:
        return decision.resolve(pick), ""
    except IllegalAction as error:
        return None, f"illegal under {error.rule}: {error.action} ({error.reason})"


def _printed(client: RemoteSeat) -> str:
    return client.log().text.decode("utf-8", "replace")
