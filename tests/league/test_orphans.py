"""Images of leagues whose data folder is gone are named and can be removed; those of any other league never are."""

from __future__ import annotations

import io
import json
import secrets
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from referee.cli.doctor import _images
from referee.cli.main import app
from referee.errors import UsageError
from referee.sandbox.engine import Engine
from referee.sandbox.image import bot_repository, image_id
from referee.sandbox.reaper import reap_images
from referee.service import orphans
from referee.service.machine import CHECKS, installation
from referee.service.orphans import State, holdings, remember

pytestmark = pytest.mark.docker


@dataclass
class Made:
    """Images and containers of this test alone, on the engine that all share."""

    engine: Engine
    images: list[str] = field(default_factory=list)
    containers: list[str] = field(default_factory=list)

    def image(self, league: str, *tags: str) -> str:
        """A bot's image that `league` built, named by these leagues; its id."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            info = tarfile.TarInfo("bot")
            content = secrets.token_bytes(16)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        changes = [f"LABEL ninefold={league}", "LABEL ninefold.purpose=bot", 'CMD ["/bot"]']
        said = self.engine.api.import_image_from_data(packed.getvalue(), changes=changes)
        found = str(json.loads(said.splitlines()[-1])["status"])
        for tag in tags:
            self.engine.api.tag(found, bot_repository(tag), found.removeprefix("sha256:")[:32])
        self.images.append(found)
        return found

    def container(self, league: str, image: str) -> None:
        config = {"Image": image, "Labels": {"ninefold": league}, "HostConfig": {"NetworkMode": "none"}}
        self.containers.append(self.engine.api.create_container_from_config(config)["Id"])

    def there(self, image: str) -> bool:
        return image_id(self.engine, image) is not None


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    engine = Engine()
    found = Made(engine)
    yield found
    for container in found.containers:
        engine.remove_container(container)
    for image in found.images:
        if found.there(image):
            engine.api.remove_image(image, force=True)
    engine.api.close()


@dataclass
class Leagues:
    """A league of each kind, by its id."""

    here: str
    gone: str
    moved: str
    unknown: str


@pytest.fixture
def leagues(tmp_path: Path) -> Leagues:
    here, moved = installation(tmp_path / "here"), secrets.token_hex(4)
    found = Leagues(here, secrets.token_hex(4), moved, secrets.token_hex(4))
    remember(here, tmp_path / "here")
    remember(found.gone, tmp_path / "gone")
    installation(tmp_path / "another")
    remember(moved, tmp_path / "another")
    return found


def test_a_league_is_gone_only_if_its_folder_was_known_and_is_no_more(made: Made, leagues: Leagues) -> None:
    for league in (leagues.here, leagues.gone, leagues.moved, leagues.unknown):
        made.image(league, league)
        made.image(league + CHECKS)
    states = {one.league: (one.state, len(one.images)) for one in holdings(made.engine)}
    for league, state in {
        leagues.here: State.THERE, leagues.gone: State.GONE, leagues.moved: State.GONE, leagues.unknown: State.UNKNOWN,
    }.items():  # fmt: skip
        assert states[league] == states[league + CHECKS] == (state, 1)
    told = _images(made.engine)
    assert told.ok
    assert "4 of leagues that are gone" in told.found
    assert f"{leagues.gone} (" in told.found
    assert "`ninefold images --gone` removes them" in told.found
    assert leagues.unknown not in told.found
    assert leagues.here not in told.found


def test_what_is_gone_is_removed_and_nothing_else(made: Made, leagues: Leagues, tmp_path: Path) -> None:
    old = [made.image(leagues.gone, leagues.gone), made.image(leagues.gone), made.image(leagues.gone + CHECKS), made.image(leagues.moved)]
    mine = made.image(leagues.here, leagues.here)
    foreign = made.image(leagues.unknown, leagues.unknown)
    passed_on = made.image(leagues.gone, leagues.here)  # built by the one that is gone, and now another's
    both = made.image(leagues.gone, leagues.gone, leagues.here)
    done = CliRunner().invoke(app, ["images", "--gone", "--json"])
    assert done.exit_code == 0, done.output
    removed = json.loads(done.stdout)
    assert removed == {leagues.gone: 3, leagues.gone + CHECKS: 1, leagues.moved: 1}
    assert [made.there(image) for image in old] == [False] * 4
    assert all(made.there(image) for image in (mine, foreign, passed_on, both))
    names = made.engine.api.inspect_image(both)["RepoTags"]
    assert [name.partition(":")[0] for name in names] == [bot_repository(leagues.here)]
    left = {path.name for path in (tmp_path / "state" / "ninefold" / "leagues").iterdir()}
    assert left == {leagues.here}
    assert CliRunner().invoke(app, ["images", "--gone"]).stdout.startswith("No league whose data folder is gone")


def test_a_league_that_is_there_or_plays_loses_nothing(made: Made, leagues: Leagues) -> None:
    mine, busy = made.image(leagues.here, leagues.here), made.image(leagues.gone, leagues.gone)
    made.container(leagues.gone, busy)
    for league, says in ((leagues.here, "it removes its old images itself"), ("ffffffffff", "no league"), ("local", "local")):
        with pytest.raises(UsageError, match=says):
            orphans.remove(made.engine, [league, leagues.gone])
    assert orphans.remove(made.engine, [], gone=True) == {leagues.gone: 0}
    assert made.there(mine)
    assert made.there(busy)
    made.engine.remove_container(made.containers.pop())
    assert orphans.remove(made.engine, [], gone=True) == {leagues.gone: 1}


def test_an_unknown_league_goes_if_it_is_named(made: Made, leagues: Leagues) -> None:
    foreign = made.image(leagues.unknown, leagues.unknown)
    assert orphans.remove(made.engine, [], gone=True) == {}
    assert made.there(foreign)
    done = CliRunner().invoke(app, ["images", "--remove", leagues.unknown])
    assert done.stdout == f"{leagues.unknown}: 1 image removed\n"
    assert not made.there(foreign)


def test_a_league_that_tidies_up_leaves_what_another_has_named(made: Made, leagues: Leagues) -> None:
    passed_on = made.image(leagues.here, leagues.unknown)
    reap_images(made.engine, leagues.here, (), newest=0)
    assert made.there(passed_on)


def test_a_folder_that_cannot_be_looked_into_is_there(leagues: Leagues, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    folder = str(tmp_path / "here")
    read = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, **how: closed() if path.name == "installation" else read(path, **how))
    assert orphans._state(leagues.here) == (State.THERE, folder)
