"""What holds for every command, whatever it does: found by walking the command line, so a new one is tried too."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from typer.models import ArgumentInfo
from typer.testing import CliRunner, Result

from referee.cli import output
from referee.cli.main import COMMANDS, GROUPS, app
from referee.cli.output import LARGEST, USAGE
from referee.errors import UsageError
from referee.wording import MOST_SHOWN

OURS = "a mistake of Ninefold's own"
NUMBERS: dict[type, list[str]] = {
    int: ["-1", str(LARGEST + 1), str(2**63), "1" + "0" * 300],
    float: ["-1", "nan", "inf", "-inf"],
}
TEXTS = ["n" * 20_000, "\U0001f0a1" * 5_000, "a\x1b[2Jb\r\nc", "²=²", "[::1", "x" * 50 + "=" + "9" * 5_000]


@dataclass(frozen=True)
class Parameter:
    """One option or argument of a command; `kinds` are the types its values have."""

    name: str
    flag: str
    kinds: tuple[Any, ...]
    required: bool


def callbacks() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each command's function by the words that call it."""
    for name, module in {**COMMANDS, **{key: value[0] for key, value in GROUPS.items()}}.items():
        for registered in importlib.import_module(module).app.registered_commands:
            assert registered.callback is not None
            sub = registered.name or registered.callback.__name__
            yield name if name in COMMANDS else f"{name} {sub.replace('_', '-')}", registered.callback


def parameters(callback: Callable[..., Any]) -> Iterator[Parameter]:
    hints = typing.get_type_hints(inspect.unwrap(callback), include_extras=True)
    for parameter in inspect.signature(callback).parameters.values():
        hint = hints[parameter.name]
        info = next((m for m in getattr(hint, "__metadata__", ()) if hasattr(m, "param_decls")), None)
        named = [one for one in (info.param_decls or ()) if one.startswith("--")] if info is not None else []
        argument = isinstance(info, ArgumentInfo)
        flag = "" if argument else (named or [f"--{parameter.name.replace('_', '-')}"])[0]
        plain = typing.get_args(hint)[0] if info is not None else hint
        kinds = typing.get_args(plain) or (plain,)
        yield Parameter(parameter.name, flag.partition("/")[0], kinds, parameter.default is parameter.empty)


EVERY = dict(callbacks())
EACH = [(name, parameter) for name, callback in EVERY.items() for parameter in parameters(callback)]
NUMBERED = [(name, parameter) for name, parameter in EACH if {int, float} & set(parameter.kinds)]
TEXTUAL = [
    (name, parameter)
    for name, parameter in EACH
    if {str, Path} & set(parameter.kinds) and (name, parameter.name) != ("up", "data")  # would run a league there
]


def words(name: str, chosen: Parameter, value: str) -> list[str]:
    """The arguments with that value for one parameter, and something for each that must be there."""
    flags, arguments = [], []
    for parameter in parameters(EVERY[name]):
        if parameter != chosen and not parameter.required:
            continue
        given = value if parameter == chosen else "1" if int in parameter.kinds else "x"
        if parameter.flag:
            flags.append(f"{parameter.flag}={given}")
        else:
            arguments.append(given)
    return [*flags, "--", *arguments]


def run(name: str, arguments: list[str]) -> Result:
    return CliRunner().invoke(app, [*name.split(), *arguments])


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No league, no engine, no credentials, and an empty folder to write to."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("NINEFOLD_")]:
        monkeypatch.delenv(name)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("NINEFOLD_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


def test_every_command_speaks_as_the_others_do() -> None:
    assert len(EVERY) > 40
    assert not [name for name, callback in EVERY.items() if not hasattr(callback, "__wrapped__")], "not wrapped by @command"


@pytest.mark.parametrize(("name", "parameter"), NUMBERED, ids=[f"{name}-{parameter.name}" for name, parameter in NUMBERED])
def test_an_odd_number_is_bad_input(name: str, parameter: Parameter) -> None:
    for value in NUMBERS[float if float in parameter.kinds else int]:
        done = run(name, words(name, parameter, value))
        assert done.exit_code == USAGE, f"{value}: {done.output}"
        assert OURS not in done.output
        assert value[:20] in done.output or "Input should be" in done.output


@pytest.mark.parametrize(("name", "parameter"), TEXTUAL, ids=[f"{name}-{parameter.name}" for name, parameter in TEXTUAL])
def test_an_odd_text_is_no_mistake_of_ours_and_not_echoed_whole(name: str, parameter: Parameter) -> None:
    for text in TEXTS:
        done = run(name, words(name, parameter, text))
        assert done.exit_code != 0 or name == "doctor", text[:20]
        assert OURS not in done.output
        assert "\x1b[2J" not in done.output
        errors = [line for line in done.stderr.splitlines() if line.startswith("ninefold: ")]
        assert max(map(len, errors), default=0) < MOST_SHOWN + 20


def test_numbers_of_a_command_are_tried_before_it_does_anything() -> None:
    done: list[int] = []

    @output.command
    def work(limit: int) -> None:
        done.append(limit)

    with pytest.raises(output.typer.Exit):
        work(limit=-1)
    work(limit=LARGEST)
    assert done == [LARGEST]


def test_what_a_command_logs_goes_to_stderr_as_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    @output.command
    def work() -> None:
        structlog.get_logger().warning("engine_slow", seconds=3, said="x" * 20_000)

    work()
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\S+Z \[warning  \] engine_slow .*seconds=3\n", told.err)
    assert len(told.err) < MOST_SHOWN + 100
    assert "\x1b" not in told.err


def test_an_error_is_one_line_of_some_length_with_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    @output.command
    def work() -> None:
        raise UsageError(f"there is no bot {'n' * 20_000!r}\r\n; check the spelling")

    with pytest.raises(output.typer.Exit):
        work()
    said = capsys.readouterr().err
    assert said.startswith("ninefold: there is no bot 'nnn")
    assert said.endswith("; check the spelling\n")
    assert said.count("\n") == 1
    assert len(said) < MOST_SHOWN + 20
