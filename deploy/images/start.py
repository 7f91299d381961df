"""What a bot's container runs first: the bot's entry file as the main program, from its compiled form.

`python -u start.py ENTRY`. Started as `python ENTRY`, Python would compile the file anew each time; everything else is
as an author knows it: `__main__`, `sys.argv`, the bot's own folder first on `sys.path`, tracebacks.
"""

import os
import sys
from importlib.machinery import SourceFileLoader


def main() -> None:
    entry = sys.argv[1]
    os.dup2(1, 2)  # one pipe: what was printed and what was raised stay in order
    sys.argv = [entry]
    sys.path[0] = entry.rpartition("/")[0]
    loader = SourceFileLoader("__main__", entry)
    code = loader.get_code("__main__")
    module = sys.modules["__main__"]
    module.__file__ = entry
    module.__loader__ = loader
    module.__cached__ = None
    exec(code, module.__dict__)  # noqa: S102


main()
