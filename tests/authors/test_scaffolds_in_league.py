"""What `ninefold bot new` makes, in every language and game: checked, submitted, and a tournament played in containers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli.scaffold import LANGUAGES, create
from tests.authors.conftest import ninefold
from tests.conftest import CI
from tests.league.running import Ninefold, wait_for

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]
GAMES = ("nines", "nine")


@pytest.fixture(scope="module")
def scaffolds(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """A bot's folder by game and language, as an author finds it."""
    if shutil.which("cc") is None:
        (pytest.fail if CI else pytest.skip)("a C compiler is missing")
    root = tmp_path_factory.mktemp("scaffolds")
    made: dict[tuple[str, str], Path] = {}
    for game in GAMES:
        for language in LANGUAGES:
            folder = root / f"{game}-{language}"
            create(folder, folder.name, game, language)
            made[game, language] = folder
    return made


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", list(LANGUAGES))
def test_it_would_be_admitted(scaffolds: dict[tuple[str, str], Path], game: str, language: str) -> None:
    done = ninefold("bot", "check", scaffolds[game, language])
    assert done.code == 0, done.said
    assert f"{game}-{language} would be admitted" in done.out
    for stage in ("unpack", "manifest", "dependencies", "build", "trial"):
        assert f"ok       {stage}" in done.out


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_it_plays_locally_in_the_production_sandbox(scaffolds: dict[tuple[str, str], Path], language: str) -> None:
    bot = scaffolds["nines", language]
    done = ninefold("play", bot, bot, "--sandbox", "docker", "--matches", "1", "--json")
    assert done.code == 0, done.said
    assert done.json()["forfeits"] == []


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ninefold]:
    running = Ninefold(tmp_path_factory.mktemp("league") / "data")
    running.up()
    yield running
    if running.league is not None:
        assert running.down() == 0
    assert wait_for(lambda: not running.processes(), 15), running.processes()


@pytest.mark.parametrize("game", GAMES)
def test_the_three_languages_play_a_tournament(
    league: Ninefold, scaffolds: dict[tuple[str, str], Path], game: str, tmp_path: Path
) -> None:
    names = [f"{game}-{language}" for language in LANGUAGES]
    for language in LANGUAGES:
        verdict = league.json("bot", "submit", str(scaffolds[game, language]), timeout=400)
        assert verdict["state"] == "admitted", verdict
    cup = f"cup-{game}"
    settings = ("--game", game, "--bots", ",".join(names), "--blocks", "1", "--matches-per-fixture", "1")
    assert league.json("tournament", "create", cup, *settings)["entries_count"] == 3
    league.ok("tournament", "start", cup)
    final = league.json("tournament", "watch", cup, timeout=500)
    assert final["tournament"]["state"] == "done"
    standings = league.json("tournament", "standings", cup)["standings"]
    assert {row["bot"]: (row["matches"], row["forfeits"]) for row in standings} == dict.fromkeys(names, (4, 0))

    league.ok("tournament", "export", cup, "--to", str(tmp_path / "out"))
    replays = sorted((tmp_path / "out").rglob("replays/**/*.json"))
    assert len(replays) == 6
    assert "6 matches verified" in league.ok("replay", "verify", *map(str, replays))


def test_a_match_of_the_league_is_debugged_on_the_authors_machine(
    league: Ninefold, scaffolds: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    """The scaffold in Python is deterministic: at every decision it does again what it did in its container."""
    page = league.json("replay", "list", "--bot", "nines-python", "--limit", "1")
    match = page["matches"][0]["match_id"]
    league.ok("replay", "export", match, "--to", str(tmp_path / "match.json"))
    seat = [row["bot"] for row in page["matches"][0]["seats"]].index("nines-python")
    bot = scaffolds["nines", "python"]
    done = ninefold("replay", "debug", tmp_path / "match.json", "--seat", str(seat), "--bot", bot)
    assert done.code == 0, done.said
    assert "0 of " in done.out
