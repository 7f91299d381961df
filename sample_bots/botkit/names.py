"""A field that is misspelt is answered with the fields there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type[tuple[Any, ...]])


def has_no(value: object, name: str, names: Iterable[str]) -> AttributeError:
    """The error for `value.name`, which lists `names`."""
    return AttributeError(f"{type(value).__name__} has no {name!r}; it has {', '.join(names)}")


def naming(kind: Kind) -> Kind:
    """The named tuple, whose errors list its fields. Not in its class body: a checker shall know the fields alone."""

    def unknown(self: Any, name: str) -> Any:
        raise has_no(self, name, self._fields)

    kind.__getattr__ = unknown  # type: ignore[attr-defined]
    return kind
