"""The live page with a real league: containers, referee, worker and the dashboard as `ninefold up` starts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from referee.settings import Settings
from referee.store.engine import Store
from referee.store.queries import replays, tournaments
from referee.store.schema import open_store
from tests.dashboard.conftest import until
from tests.dashboard.test_live import INNER
from tests.league.running import SAMPLES, Ninefold, wait_for, write_bot

pytestmark = [pytest.mark.docker, pytest.mark.browser, pytest.mark.timeout(600)]

SLOW = '''import time

from botkit import Bot, run


class Slow(Bot):
    """Takes its time at the start of a match of the cup: long enough to be found and watched."""

    def match_start(self):
        self.slow = 45 if self.rules["rounds"] == 4 else 0

    def act(self, view, legal):
        if self.slow:
            self.slow -= 1
            time.sleep(1)
        return self.rng.choice(legal)


run(Slow())
'''


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ninefold]:
    """A league in which a slow bot and a quick one play, long enough to be watched."""
    root = tmp_path_factory.mktemp("watched")
    running = Ninefold(root / "data")
    running.up()
    try:
        running.ok("bot", "submit", str(SAMPLES / "both/random"))
        running.ok("bot", "submit", str(write_bot(root / "slow", SLOW, "slow")))
        create = (
            "tournament",
            "create",
            "cup",
            "--game",
            "nines",
            "--all",
            "--blocks",
            "1",
            "--matches-per-fixture",
            "1",
        )
        running.ok(*create, "--same-author", "free", "--rule", "match_end=rounds", "--rule", "rounds=4")
        running.ok("tournament", "start", "cup")
        yield running
    finally:
        running.down()


@pytest.fixture(scope="module")
def store(league: Ninefold) -> Iterator[Store]:
    opened = open_store(Settings(league.data))
    yield opened
    opened.close()


def test_a_match_in_containers_is_followed_to_its_end_and_replayed(opened: Any, league: Ninefold, store: Store) -> None:
    assert league.league is not None
    command = [str(word) for word in league.league.args]  # type: ignore[union-attr]
    address = f"http://127.0.0.1:{command[command.index('--port') + 1]}"
    playing = wait_for(lambda: tournaments.fixtures(store, "cup", states=("running",)), 120)[0]["fixture_id"]
    page = opened(f"{address}/live", allow=("404 (Not Found)",), wait="tbody tr")
    page.locator(f'tr[data-key="{playing}"] a').first.click()
    page.wait_for_selector(".felt", timeout=60_000)
    until(page, f"() => {INNER}.querySelector('.live.on') !== null")
    assert page.locator(".hand [data-card]").count() == 0, "hands stay closed while the deals are in use"
    at = int(page.locator(".felt").get_attribute("data-step"))
    until(page, f"() => Number({INNER}.querySelector('.felt').dataset.step) > {at}", seconds=60)
    page.keyboard.press("ArrowLeft")
    back = int(page.locator(".felt").get_attribute("data-step"))
    until(page, f"() => Number({INNER}.querySelector('.scrub').max) > {back + 2}", seconds=60)
    assert int(page.locator(".felt").get_attribute("data-step")) == back, "who stepped back stays there"
    page.reload()  # who comes in late gets the round so far
    page.wait_for_selector(".felt", timeout=60_000)
    page.keyboard.press("End")
    until(page, f"() => {INNER}.querySelector('.result') !== null", seconds=180)
    totals = page.locator(".result").text_content()
    match_id = f"{playing}/1"
    document = wait_for(lambda: _replay(store, match_id), 60)
    assert all(str(total) in totals for total in document["result"]["totals"])
    page.goto(f"{address}/replay?match={match_id}&step=99999")
    page.wait_for_selector(".felt", timeout=60_000)
    until(page, f"() => {INNER}.querySelector('.result') !== null")
    assert all(str(total) in page.locator(".result").text_content() for total in document["result"]["totals"])


def _replay(store: Store, match_id: str) -> dict[str, Any] | None:
    try:
        return replays.replay(store, match_id)
    except Exception:
        return None
