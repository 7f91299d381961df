"""`ninefold bot new`: names it refuses, and folders that play at once in every language and game."""

from __future__ import annotations

import re
import shutil
import tomllib

import pytest

from referee.cli.scaffold import LANGUAGES, check_name, create, files
from referee.errors import UsageError
from tests.conftest import CI

NAMES = [  # refused, what the sentence says
    ("", "0 characters, not 2 to 32"),
    ("a", "1 characters, not 2 to 32"),
    ("a" * 33, "33 characters"),
    ("-a", "starts with '-'; no lower-case letter or digit"),
    ("My Bot", "starts with 'M'"),
    ("my bot", "' ' is no lower-case letter, digit or hyphen; 'my-bot' would do"),
    ("my_bot", "'_'"),
    ("böt", "'ö'"),
    ("../x", "'.'"),
    ("bot\n", "'\\n'"),
]


@pytest.mark.parametrize(("name", "said"), NAMES)
def test_a_bad_name_is_refused_in_one_sentence(name, said):
    with pytest.raises(UsageError) as refused:
        check_name(name)
    for part in said.split("; "):
        assert part.split(", not")[0].replace("no lower-case letter or digit", "") in str(refused.value)
    assert "\n" not in str(refused.value)


def test_good_names_pass():
    for name in ("ab", "7up", "a" * 32, "my-bot-2", "a-"):
        check_name(name)


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(UsageError, match="not empty"):
        create(tmp_path, "ab", "nines")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(("game", "language"), [("chess", "python"), ("nines", "cobol")])
def test_unknown_games_and_languages_name_the_known_ones(game, language):
    with pytest.raises(UsageError, match="choose one of"):
        files("ab", game, language)


@pytest.mark.parametrize("game", ["nines", "nine"])
@pytest.mark.parametrize("language", list(LANGUAGES))
def test_the_documents_name_every_field_and_leave_no_gap(game, language):
    from protos.ninefold.v1 import games_pb2

    written = files("my-bot", game, language)
    assert tomllib.loads(written["bot.toml"])["games"] == [game]
    view = games_pb2.NineView if game == "nine" else games_pb2.NinesView
    for name in ("README.md", "NOTES.md"):
        assert "{{" not in written[name]
        for field in view.DESCRIPTOR.fields:
            assert re.search(rf"`{field.name}`", written[name]), f"{field.name} is not explained in {name}"


@pytest.mark.parametrize("game", ["nines", "nine"])
@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_new_bot_plays_at_once_and_beats_random(house, tmp_path, request, game, language):
    if language == "node":
        request.getfixturevalue("node")
    if language == "c" and shutil.which("cc") is None:
        (pytest.fail if CI else pytest.skip)("a C compiler is missing")
    folder = tmp_path / "my-bot"
    hints = create(folder, "my-bot", game, language)
    assert hints == [f"ninefold play {folder} random"]
    played = house.play(str(folder), "random", game=game, matches=5)
    assert [seat.cause for match in played.matches for seat in match.seats] == ["completed"] * 10
    assert sum(match.seats[0].points for match in played.matches) >= 4
    assert played.log(0) == ""


def test_without_a_compiler_the_author_is_told_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    hints = create(tmp_path / "b", "bb", "nines", "c")
    assert "cc -O2 -static -o bot bot.c" in hints[0]
