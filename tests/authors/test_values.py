"""Clocks, seeds and rules are written in one way wherever a command takes them."""

from __future__ import annotations

import pytest

from referee.errors import UsageError
from referee.games import registry
from referee.match.fixture import Clock
from referee.service.values import complete_rules, parse_clock, parse_rules, parse_seed
from tests.authors.conftest import ninefold

CLOCKS = [
    ("10+0.1", Clock(10_000, 100)), ("10s+100ms", Clock(10_000, 100)), ("10s+0.1s", Clock(10_000, 100)), ("1+.01", Clock(1000, 10)),
    ("500ms+0", Clock(500, 0)), ("500 ms + 10 ms", Clock(500, 10)), ("3", Clock(3000, 0)), ("2s", Clock(2000, 0)), ("1ms", Clock(1, 0)),
]  # fmt: skip
NO_CLOCKS = [
    ("soon", "no clock"), ("", "no clock"), ("10+", "no clock"), ("-1+0", "no clock"), ("nan+0", "no clock"), ("1e3+0", "no clock"),
    ("10s+100", "one unit for two times"), ("10+100ms", "one unit for two times"), ("0+1", "out of range"),
    ("3601+0", "out of range"), ("10s+601s", "out of range"), ("9" * 400, "out of range"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "clock"), CLOCKS)
def test_a_clock(text: str, clock: Clock) -> None:
    assert parse_clock(text) == clock


@pytest.mark.parametrize(("text", "said"), NO_CLOCKS)
def test_no_clock(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_clock(text)


@pytest.mark.parametrize("arguments", [("play", "random", "random"), ("tournament", "create", "x", "--game", "nines")])
def test_both_commands_read_it_alike(arguments: tuple[str, ...]) -> None:
    done = ninefold(*arguments, "--clock", "10s+100")
    assert (done.code, done.err) == (2, "ninefold: --clock '10s+100' has one unit for two times: write both or none, such as 10s+100ms\n")


def test_seeds() -> None:
    assert parse_seed("7", padded=True) == bytes(31) + b"\x07"
    assert parse_seed("aB" * 32) == parse_seed("ab" * 32, padded=True) == b"\xab" * 32
    for text, padded in (("", True), ("g", True), ("a" * 65, True), ("a b", True), ("abc", False), ("", False)):
        with pytest.raises(UsageError, match="64 hex digits"):
            parse_seed(text, padded=padded)


def test_rules() -> None:
    assert parse_rules(["cutoff=50", " decks = 1 "]) == {"cutoff": "50", "decks": "1"}
    for text in ("cutoff", "=5", " = "):
        with pytest.raises(UsageError, match=r"option=value"):
            parse_rules([text])


@pytest.mark.parametrize("game", registry.names())
def test_rules_are_named_by_the_profile_they_are(game: str) -> None:
    played = registry.get(game)
    for name in played.profiles:
        players = 6 if played.profiles[name].get("decks") == 2 else 4
        assert complete_rules(played, name, {}, players) == (dict(played.complete(played.profile(name, players), players)), name)
    changed, profile = complete_rules(played, "", {"cutoff": "31"}, 3)
    assert (changed["cutoff"], profile) == (31, None)


def test_a_clock_without_increment_is_said_to_have_none() -> None:
    play = ("play", "random", "random", "--game", "nine", "--matches", "1", "--seed", "1")
    assert "--clock 10: 10 s for a match and nothing more per decision (10+0 says so)\n" in ninefold(*play, "--clock", "10").err
    assert "per decision" not in ninefold(*play, "--clock", "10+0").err
