"""What keeps Python from compiling a bot: the first mistake in its entry file, or in what that imports from its folder.

Used in the cage before anything is installed, and by `ninefold play` before anything is started. Nothing is run. A file
that is not imported at the top level of another may be anything: templates and tests are no mistake.
"""

import ast
import os
import warnings
from collections.abc import Iterator


def mistake(folder: str, entry: str) -> str:
    """`file, line n: what: the line`; empty if all compile. Names are relative to `folder`."""
    root = os.path.dirname(entry)
    todo, seen = [entry], set()
    while todo:
        name = todo.pop()
        if name in seen or not os.path.isfile(os.path.join(folder, name)):
            continue
        seen.add(name)
        with open(os.path.join(folder, name), "rb") as file:
            source = file.read()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(source, name, "exec", dont_inherit=True)
                tree = ast.parse(source, name)
        except SyntaxError as error:
            lines = source.decode("utf-8", "replace").splitlines()
            number = error.lineno or 1
            line = lines[number - 1].strip() if number <= len(lines) else ""
            return f"{name}, line {number}: {error.msg}" + (f": {line}" if line else "")
        except (ValueError, RecursionError, MemoryError) as error:  # zero bytes; nested too deep
            return f"{name} cannot be compiled: {error or type(error).__name__}"
        for statement in tree.body:
            todo += imported(statement, root, os.path.dirname(name))
    return ""


def imported(statement: ast.stmt, root: str, package: str) -> Iterator[str]:
    """The files that the statement may import: from the entry's folder `root`, or relative to `package`."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            yield from files(root, alias.name.split("."))
    elif isinstance(statement, ast.ImportFrom):
        base = root
        if statement.level:
            base = os.path.normpath(os.path.join(package, *[".."] * (statement.level - 1)))
        parts = statement.module.split(".") if statement.module else []
        yield from files(base, parts)
        for alias in statement.names:
            yield from files(base, [*parts, alias.name])


def files(base: str, parts: list[str]) -> Iterator[str]:
    """Where a module of that name, and every package above it, would lie."""
    for count in range(1, len(parts) + 1):
        path = os.path.normpath(os.path.join(base, *parts[:count]))
        yield f"{path}.py"
        yield os.path.join(path, "__init__.py")
