"""Options as data: what is refused, in which words, and how they are read from a command line."""

from __future__ import annotations

import pytest

from referee.errors import InvalidRules
from referee.games import registry
from referee.games.options import Option, Options

OPTIONS = Options(
    Option("speed", "slow", ("slow", "fast"), "how fast"),
    Option("loud", False, (False, True), "whether loud"),
    Option("packs", 1, (1, 2), "how many packs"),
    Option("limit", 10, range(1, 101), "at most"),
)


def test_every_option_gets_a_value() -> None:
    assert OPTIONS.complete({}) == {"speed": "slow", "loud": False, "packs": 1, "limit": 10}
    assert OPTIONS.complete({"limit": 100, "loud": True}) == {"speed": "slow", "loud": True, "packs": 1, "limit": 100}


REFUSED = [
    (
        {"sped": "slow"},
        "option 'sped' cannot be 'slow': there is no such option (did you mean 'speed'?); the options are speed, loud, packs, limit",
    ),
    ({"speed": "quick"}, "option 'speed' cannot be 'quick': allowed is slow or fast"),
    ({"loud": 1}, "option 'loud' cannot be 1: allowed is false or true"),
    ({"loud": "true"}, "option 'loud' cannot be 'true': allowed is false or true"),
    ({"packs": True}, "option 'packs' cannot be True: allowed is 1 or 2"),
    ({"packs": 3}, "option 'packs' cannot be 3: allowed is 1 or 2"),
    ({"limit": 0}, "option 'limit' cannot be 0: allowed is a whole number from 1 to 100"),
    ({"limit": 101}, "option 'limit' cannot be 101: allowed is a whole number from 1 to 100"),
    ({"limit": 5.0}, "option 'limit' cannot be 5.0: allowed is a whole number from 1 to 100"),
    ({"limit": "5"}, "option 'limit' cannot be '5': allowed is a whole number from 1 to 100"),
    ({"limit": None}, "option 'limit' cannot be None: allowed is a whole number from 1 to 100"),
    ({"limit": [5]}, "option 'limit' cannot be [5]: allowed is a whole number from 1 to 100"),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSED)
def test_refused_in_one_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRules) as caught:
        OPTIONS.complete(given)
    assert str(caught.value) == sentence


PARSED = [
    ("speed=fast", ("speed", "fast")), ("loud=true", ("loud", True)), ("loud=False", ("loud", False)),
    ("packs=2", ("packs", 2)), ("limit=50", ("limit", 50)), (" limit = 7 ", ("limit", 7)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PARSED)
def test_parsed(text: str, expected: tuple[str, object]) -> None:
    parsed = OPTIONS.parse(text)
    assert parsed == expected
    assert type(parsed[1]) is type(expected[1])


@pytest.mark.parametrize(
    "text", ["limit", "limit=", "limit=ten", "limit=-1", "limit=1e1", "limit=٣", "loud=yes", "x=1", ""]
)
def test_not_parsed(text: str) -> None:
    with pytest.raises(InvalidRules, match="allowed is|no such option"):
        OPTIONS.parse(text)


@pytest.mark.parametrize("name", registry.names())
def test_every_default_is_allowed_and_every_text_reads_back(name: str) -> None:
    options = registry.get(name).options
    assert options.complete({}) == {option.name: option.default for option in options.values()}
    for option in options.values():
        ends = (option.allowed[0], option.allowed[-1])
        for value in (option.default, *ends):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            assert options.parse(f"{option.name}={text}") == (option.name, value)


COMBINATIONS = [
    ("nines", {"decks": 2}, 4, "option 'decks' cannot be 2: two packs need 5 or 6 players, not 4 (N1.1); allowed is 1"),
    ("nines", {}, 7, "option 'players' cannot be 7: Nines is for 2 to 6 players (N1.1)"),
    ("nines", {"teams": 2}, 4, "option 'teams' cannot be 2: there is no such option; the options are decks, draw, "),
]


@pytest.mark.parametrize(("game", "given", "players", "sentence"), COMBINATIONS)
def test_options_that_do_not_go_together(game: str, given: dict[str, object], players: int, sentence: str) -> None:
    with pytest.raises(InvalidRules) as caught:
        registry.get(game).complete(given, players)
    assert str(caught.value).startswith(sentence)


def test_the_errors_survive_a_process_boundary() -> None:
    import pickle

    error = InvalidRules("limit", 0, "allowed is more")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
