"""What a bot's container runs first: the bot's entry file as the main program, from its compiled form.

`python -u start.py ENTRY`. Started as `python ENTRY`, Python would compile the file anew each time; everything else is
as an author knows it: `__main__`, `sys.argv`, the bot's own folder first on `sys.path`, tracebacks (without ours).
"""

import faulthandler
import os
import sys
from importlib.machinery import SourceFileLoader
from types import TracebackType


def main() -> None:
    entry = sys.argv[1]
    os.dup2(1, 2)  # one pipe: what was printed and what was raised stay in order
    try:
        from _signal import SIGUSR1  # the module of that name would cost an enum or two

        faulthandler.register(SIGUSR1, all_threads=False)  # a bot that hangs before `run` can be asked where, too
    except (ImportError, OSError):  # no such signal here
        pass
    sys.argv = [entry]
    sys.path[0] = entry.rpartition("/")[0]
    sys.excepthook = explain
    loader = SourceFileLoader("__main__", entry)
    code = loader.get_code("__main__")
    module = sys.modules["__main__"]
    module.__file__ = entry
    module.__loader__ = loader
    module.__cached__ = None
    exec(code, module.__dict__)  # noqa: S102
    running = sys.modules.get("botkit.running")
    if running is not None and not running.called:
        print(f"botkit: {entry} ended without a game: its last line must be run(MyBot())", flush=True)


def explain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What the bot's file raised is printed with its author's frames only."""
    from botkit import mistakes

    mistakes.explain(error, "", hidden=main.__code__.co_filename)


main()
