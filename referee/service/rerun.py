"""A bot at a recorded table: told exactly what the seat was told, and asked what it would do there now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.errors import BotFault, IllegalAction
from referee.games import registry
from referee.games.base import Action
from referee.match.seat import MatchEnd, MatchStart, RoundEnd, RoundStart
from referee.match.seen import Decision, Told
from referee.service.host import HostConfig, Platform
from referee.service.seat import RemoteSeat, open_seat

PATIENCE_SECONDS = 60.0
"""Debugging may stop at a breakpoint; this is no clock, only the end of waiting for a bot that hangs."""


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
        """Whether it chooses as it was chosen then."""
        return self.action == self.decision.chosen


async def rerun(
    told: Sequence[Told], image: str, runtime: str, *, until: str = "", progress: Callable[[int], None] = lambda n: None
) -> list[Answered]:
    """The bot's answers in order, up to the decision `until`; the last one has a problem if the bot failed there."""
    platform = Platform(HostConfig(league="debug", sandbox="process"))
    seat = next(item.seat for item in told if isinstance(item, MatchStart))
    opened = open_seat(
        platform.sandbox, platform.limits, platform.rundir.seat_folder, "debug", [(image, runtime)] * (seat + 1)
    )
    client = opened(seat)
    answers: list[Answered] = []
    try:
        await client.start()
        news = asyncio.Event()
        client.listen(news.set)
        for item in told:
            match item:
                case MatchStart():
                    game = registry.get(item.game)
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
        del game
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
        return Answered(decision, None, f"no answer within {PATIENCE_SECONDS:.0f} s", "", _printed(client))
    answer, client.answer = client.answer, None
    if answer is None:
        fault: BotFault = await client.verdict()
        await asyncio.sleep(0.05)
        return Answered(
            decision,
            None,
            f"{fault.kind}: {fault.detail}" + (f" (sent {fault.sent})" if fault.sent else ""),
            "",
            _printed(client),
        )
    legal = decision.turn.legal
    pick = answer.pick
    if isinstance(pick, int):
        if pick < len(legal):
            return Answered(decision, legal[pick], "", answer.note, _printed(client))
        return Answered(
            decision, None, f"illegal: index {pick} of {len(legal)} legal actions", answer.note, _printed(client)
        )
    try:
        action = _listed(pick, legal)
    except IllegalAction as error:
        return Answered(decision, None, f"illegal: {error}", answer.note, _printed(client))
    return Answered(decision, action, "", answer.note, _printed(client))


def _listed(pick: Action, legal: Sequence[Action]) -> Action:
    """The listed action that the answer means; equal cards in another order count as the same."""
    for action in legal:
        if (action.do, sorted(action.cards), action.suit) == (pick.do, sorted(pick.cards), pick.suit):
            return action
    raise IllegalAction(-1, str(pick), "S7", "it is not among the legal actions", [str(action) for action in legal])


def _printed(client: RemoteSeat) -> str:
    return client.log().text.decode("utf-8", "replace")
