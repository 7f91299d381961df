"""`python -m referee.sandbox`: the base image is there, made with progress if it was not."""

from __future__ import annotations

import sys

from referee.errors import NinefoldError
from referee.sandbox.engine import Engine
from referee.sandbox.image import ensure_base


def main() -> int:
    try:
        print(ensure_base(Engine(), lambda line: print(line, file=sys.stderr)))
    except NinefoldError as error:
        print(f"ninefold: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
