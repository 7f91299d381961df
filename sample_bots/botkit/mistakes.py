"""What an author is told when a bot goes wrong: their own file and line, the decision, and what was legal."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, NoReturn

from botkit.actions import Action

HERE = os.path.dirname(os.path.abspath(__file__))
HOOKS = {
    "act": ("view", "legal"),
    "match_start": (),
    "round_start": ("start",),
    "observe": ("event",),
    "round_end": ("end",),
    "match_end": ("end",),
}


class BotMistake(Exception):
    """The bot did something that cannot be played; the text says what, where, and what to do."""


def check_bot(bot: object) -> None:
    """The bot can be called as botkit will call it; `BotMistake` names the file and line of what cannot."""
    from botkit.bot import Bot

    if not isinstance(bot, Bot):
        raise BotMistake(f"run() was given {bot!r}, which is no Bot: write class MyBot(Bot) and run(MyBot())")
    if type(bot).act is Bot.act:
        raise BotMistake(f"{where(type(bot))}: {type(bot).__name__} has no act: define act(self, view, legal)")
    for name, parameters in HOOKS.items():
        hook = getattr(bot, name)
        written = f"def {name}(self{''.join(', ' + p for p in parameters)})"
        if inspect.iscoroutinefunction(hook):
            raise BotMistake(f"{where(hook)}: {name} is an async def, which is never awaited: write {written}")
        try:
            inspect.signature(hook).bind(*parameters)
        except TypeError:
            signature = inspect.signature(hook)
            raise BotMistake(f"{where(hook)}: {name}{signature} cannot be called: write {written}") from None


def where(thing: Any) -> str:
    """`file:line` of a class or function, as far as that is known."""
    try:
        return f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"
    except (OSError, TypeError):
        return getattr(thing, "__qualname__", repr(thing))


def wrong_return(value: object, decision: int, legal: Sequence[Action], act: Any) -> BotMistake:
    """The mistake of an `act` that returned something that is no action."""
    what = f"{shorten(value)} of type {type(value).__name__}"
    if value is None:
        what = "None (is a return missing on some path?)"
    return BotMistake(f"{where(act)}: act returned {what} at decision {decision}; return one of legal: {listed(legal)}")


def not_legal(value: object, decision: int, legal: Sequence[Action], act: Any) -> str:
    """What is logged when `act` returned an action that is not legal; it is sent all the same."""
    what = f"{shorten(value)} at decision {decision}"
    return f"{where(act)}: act returned {what}, which is not legal; legal were: {listed(legal)}"


def listed(legal: Sequence[Action]) -> str:
    """The legal actions with their indexes, in one line."""
    return ", ".join(f"[{index}] {action}" for index, action in enumerate(legal))


def shorten(value: object) -> str:
    """At most 200 characters of a value, whatever its own `repr` does."""
    try:
        text = str(value) if isinstance(value, Action) else repr(value)
    except Exception as error:
        text = f"<a {type(value).__name__} whose repr fails: {error}>"
    return text if len(text) <= 200 else text[:200] + "…"


def say(text: str) -> None:
    """The text stands in the bot's log; a log that cannot be written is no reason to stop."""
    try:
        print(f"botkit: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def explain(error: BaseException, moment: str, hidden: str = "") -> None:
    """The log holds the error as its author should see it, without botkit's own frames, and the moment it happened.

    Frames of the file `hidden`, which started the bot's, are left out too.
    """
    if isinstance(error, BotMistake):
        say(str(error))
    else:
        frames = _author_frames(error.__traceback__, hidden)
        if frames is None and not isinstance(error, SyntaxError):  # which names its own place
            frames = error.__traceback__
        lines = traceback.format_exception(type(error), error, frames)
        try:
            sys.stderr.write("".join(lines))
        except (OSError, ValueError):
            return
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        line = f"a line like {package}==1.2.3 in requirements.txt"
        say(f"{package} is no file of the bot and not installed; {line} installs it")
    if moment:
        say(moment)


def left(leaving: SystemExit, moment: str) -> None:
    """The log says where the bot ended its own process in mid-match."""
    place, frames = "", _author_frames(leaving.__traceback__)
    while frames is not None:
        code = frames.tb_frame.f_code
        place, frames = f"{code.co_filename}:{frames.tb_lineno}: {code.co_name} ended the process: ", frames.tb_next
    say(f"{place}the bot left the table with exit code {leaving.code!r}; return an action instead of exiting")
    if moment:
        say(moment)


def _author_frames(trace: TracebackType | None, hidden: str = "") -> TracebackType | None:
    """The traceback without botkit's own frames and those of `hidden`; None if it has no other."""
    if trace is None:
        return None
    rest = _author_frames(trace.tb_next, hidden)
    if _is_ours(trace.tb_frame) or trace.tb_frame.f_code.co_filename == hidden:
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    return name.startswith((HERE, "<frozen")) or f"{os.sep}asyncio{os.sep}" in name


def check_note(bot: object) -> None:
    """`note` can still be called; `BotMistake` if the bot has put a value in its place."""
    if "note" in vars(bot):
        value = shorten(vars(bot)["note"])
        raise BotMistake(f"{where(type(bot))}: self.note was set to {value}, and is to be called: self.note({value})")


def leave(code: int) -> NoReturn:
    """The process ends at once with everything printed, whatever threads the bot has left."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    os._exit(code)
