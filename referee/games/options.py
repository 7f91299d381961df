"""Options of a game as data: name, default, what is allowed; one sentence when a value is refused.

A game lists its options once, as an `Options`; completing, checking, reading from the command line and documenting all
follow from that list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import InvalidRules
from referee.wording import meant

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `allowed` is the values it may take, or a `range` of whole numbers."""

    name: str
    default: Value
    allowed: tuple[Value, ...] | range
    meaning: str
    """One line for the option table, with the rule's number."""

    def what_is_allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.allowed, range):
            return f"a whole number from {self.allowed[0]} to {self.allowed[-1]}"
        texts = [_text(value) for value in self.allowed]
        return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]

    def check(self, value: object) -> Value:
        """The value, if it is allowed and of the option's own type (1 is not true); else `InvalidRules`."""
        # `in` alone would let True pass for 1, and 1.0 for 1
        if isinstance(value, bool | int | str) and type(value) is type(self.default) and value in self.allowed:
            return value
        raise InvalidRules(self.name, value, f"allowed is {self.what_is_allowed()}")

    def parse(self, text: str) -> Value:
        """The value that `text` stands for, as typed on a command line; else `InvalidRules`."""
        for value in () if isinstance(self.allowed, range) else self.allowed:
            if text.strip().lower() == _text(value):
                return value
        if isinstance(self.allowed, range) and text.strip().isascii() and text.strip().isdigit() and len(text) < 20:
            return self.check(int(text))
        raise InvalidRules(self.name, text, f"allowed is {self.what_is_allowed()}")


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Options(Mapping[str, Option]):
    """All options of a game, in the order in which documents show them."""

    def __init__(self, *options: Option) -> None:
        self._options = {option.name: option for option in options}

    def __getitem__(self, name: str) -> Option:
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def _named(self, name: str, value: object) -> Option:
        try:
            return self._options[name]
        except KeyError:
            allowed = f"there is no such option{meant(name, self)}; the options are {', '.join(self)}"
            raise InvalidRules(name, value, allowed) from None

    def complete(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Every option with its value: given, else the default; `InvalidRules` for the first that is refused."""
        values = {name: self._named(name, value).check(value) for name, value in given.items()}
        return {option.name: values.get(option.name, option.default) for option in self.values()}

    def parse(self, text: str) -> tuple[str, Value]:
        """Name and value of a `name=value` from the command line; `InvalidRules` says what is wrong."""
        name, equals, value = text.partition("=")
        option = self._named(name.strip(), value if equals else None)
        if not equals:
            raise InvalidRules(option.name, "", f"write {option.name}=VALUE; allowed is {option.what_is_allowed()}")
        return option.name, option.parse(value)

    def table(self) -> str:
        """The option table of the contestants' pages, as Markdown."""
        rows = [f"| `{o.name}` | `{_text(o.default)}` | {o.what_is_allowed()} | {o.meaning} |" for o in self.values()]
        return "\n".join(["| option | default | allowed | meaning |", "|---|---|---|---|", *rows])
