"""`ninefold bot check` stores nothing for good: of drafts only the last few images stay, and a league's own are not touched."""

from __future__ import annotations

import docker
import pytest

from referee.cli import check
from referee.sandbox.engine import LABEL, Engine
from referee.sandbox.image import labelled
from referee.sandbox.reaper import reap_images
from referee.service.machine import installation
from referee.settings import load
from tests.authors.conftest import Write

pytestmark = pytest.mark.docker
BOT = "from botkit import Bot, run\nclass B(Bot):\n    def act(self, view, legal):\n        return {}\nrun(B())\n"


def images(engine: Engine, league: str) -> list[str]:
    return [image["Id"] for image in labelled(engine, {LABEL: league, f"{LABEL}.purpose": "bot"})]


def test_only_the_last_drafts_stay(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("NINEFOLD_DATA", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setattr(check, "KEPT_IMAGES", 2)
    engine = Engine()
    league = installation(load().data_dir)
    try:
        for number in range(3):
            report = check.run(write(BOT.format(-1 - number), f"draft-{number}"), show=False)
            assert report["stage"] == "trial"  # the index is illegal: drafts that fail leave no more than others
        assert check.run(write(BOT.format(0)), show=False)["admitted"]
        assert len(images(engine, f"{league}-check")) == 2
        assert images(engine, league) == []
    finally:
        reap_images(engine, f"{league}-check", (), newest=0)
        engine.api.close()
    assert docker.from_env().containers.list(all=True, filters={"label": f"{LABEL}={league}-check"}) == []
