"""A running match: the fold from public events alone, and a viewer that follows it through the referee's Watch stream."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import streamlit as st

from dashboard import live
from dashboard.closed import Story
from protos.ninefold.v1 import referee_pb2, referee_pb2_grpc
from referee.games import registry
from referee.games.match import Match
from referee.service.live import LiveFeed
from referee.store.commands import fixtures
from tests.dashboard import demo_league
from tests.dashboard.conftest import until
from tests.dashboard.serving import serving
from tests.services import certificate


def updates(
    profile: str, players: int, *, from_decision: int = 3, every: int = 4
) -> Iterator[tuple[Match, bool, dict[str, Any]]]:
    """A match played at random and what its live feed sends to somebody who comes in at a decision."""
    game = registry.get(profile.partition("/")[0])
    match = Match(game, game.complete(game.profiles[profile], players), players, bytes([players]) * 32)
    rng, sent = random.Random(5), []
    feed = LiveFeed(lambda whole, update: sent.append((whole, json.loads(json.dumps(update)))))
    decisions = 0
    while match.turn is not None:
        feed(match)
        if decisions == from_decision:
            feed.watch()
        if decisions > from_decision and decisions % every == 0:
            feed.flush()
        while sent:
            yield match, *sent.pop(0)
        match.choose(rng.choice(match.legal()))
        decisions += 1
    feed(match)
    feed.flush()
    while sent:
        yield match, *sent.pop(0)


@pytest.mark.parametrize(
    ("profile", "players"), [("nines/powers", 4), ("nines/double", 6), ("nines/draw-until", 2), ("nine/standard", 3)]
)
def test_the_fold_is_the_table_and_holds_no_hand(profile: str, players: int) -> None:
    story, compared = None, 0
    for match, whole, update in updates(profile, players):
        if story is None:
            story = Story(
                "x/1/1/1",
                match.game.name,
                match.rules,
                profile,
                [{"bot": f"b{s}", "version": 1} for s in range(players)],
            )
        story.take(update, whole=whole)
        if match.round is None or story.table is None or update["state"]["table"] is None:
            continue
        view = match.view(match.dealt.seats[0]).to_json()
        assert {int(seat): len(hand) for seat, hand in story.table["hands"].items()} == {
            s: view["hand_sizes"][s] for s in match.dealt.seats
        }
        assert story.table["stock"] == view.get("stock_size", view.get("draw_pile_size"))
        assert story.table["top"] == (view.get("upcard") or view.get("top") or None)
        compared += 1
    assert story is not None
    assert compared > 5
    document = story.document()
    assert document["steps"][-1]["kind"] == "result"
    for step in document["steps"]:
        for table in (step.get("table"), step.get("set")):
            for hand in (table or {}).get("hands", {}).values():
                assert set(hand) <= {None}
        assert "legal" not in step
        assert "seed" not in step


class FakeReferee(referee_pb2_grpc.RefereeServicer):
    """Sends the updates of one match, the later half of them when told to go on."""

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.go_on = threading.Event()
        self.found = [(whole, update) for _, whole, update in updates("nines/double", 5)]

    def Watch(self, request: referee_pb2.WatchRequest, context: Any) -> Iterator[referee_pb2.WatchUpdate]:
        for i, (whole, update) in enumerate(self.found):
            if i == len(self.found) // 2 and not self.go_on.wait(60):
                return
            yield referee_pb2.WatchUpdate(match_id=self.match_id, match=1, whole=whole, json=json.dumps(update))


@contextmanager
def refereed(data: Path, tls: bool = False) -> Iterator[tuple[FakeReferee, str, int]]:
    """A fixture of a small league is being played by a stand-in referee; which, and at which port."""
    store = demo_league.build_small(data)
    fixture_id = demo_league.waiting(store, "small")[0]
    servicer = FakeReferee(f"{fixture_id}/1")
    server = grpc.server(ThreadPoolExecutor(4))
    referee_pb2_grpc.add_RefereeServicer_to_server(servicer, server)
    if tls:
        cert, key = certificate(data.parent)
        credentials = grpc.ssl_server_credentials([(key.read_bytes(), cert.read_bytes())])
        port = server.add_secure_port("127.0.0.1:0", credentials)
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    fixtures.claim_fixture(
        store, fixture_id, worker="w", machine="here", referee=f"127.0.0.1:{port}", lease_seconds=600
    )
    store.close()
    try:
        yield servicer, fixture_id, port
    finally:
        server.stop(0)


def told(data: Path, fixture_id: str, monkeypatch: pytest.MonkeyPatch, **settings: str) -> list[str]:
    """The server-sent events that a viewer of the fixture gets until the stream ends."""
    for name, value in {"data": str(data), "tls_ca": "", "referee_address": "", **settings}.items():
        monkeypatch.setenv(f"NINEFOLD_{name.upper()}", value)
    st.cache_resource.clear()

    async def stays() -> bool:
        return False

    async def follow() -> list[str]:
        return [event async for event in live.events(fixture_id, stays)]

    with ThreadPoolExecutor(1) as apart:  # Playwright may have left a loop running in this thread
        return apart.submit(asyncio.run, asyncio.wait_for(follow(), 60)).result()


def test_watch_over_tls_and_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    with refereed(data, tls=True) as (servicer, fixture_id, port):
        servicer.go_on.set()
        cert = str(tmp_path / "cert.pem")
        events = told(data, fixture_id, monkeypatch, tls_ca=cert)
        assert events[0].startswith("event: whole")
        assert events[-1] == live.message("over", {})
        assert json.loads(events[0].split("data: ", 1)[1])["match_id"] == f"{fixture_id}/1"
        elsewhere = told(data, fixture_id, monkeypatch, tls_ca=cert, referee_address=f"127.0.0.1:{port}")
        assert (elsewhere[0], elsewhere[-1]) == (events[0], events[-1])
        for settings in ({}, {"tls_ca": cert, "referee_address": "127.0.0.1:1"}):
            lost = told(data, fixture_id, monkeypatch, **settings)
            assert "does not answer; trying again" in lost[0], settings
            assert lost[-1] == live.AGAIN, "the browser comes back by itself"
        unreadable = told(data, fixture_id, monkeypatch, tls_ca=str(tmp_path / "none.pem"))
        assert "cannot be followed from here" in unreadable[0]
        assert str(tmp_path) not in "".join(unreadable), "no path on a public page"
    gone = told(data, "small/9/9", monkeypatch)
    assert "there is no fixture" in gone[0]


@pytest.mark.browser
def test_a_viewer_follows_steps_back_and_returns(opened: Any, tmp_path: Path) -> None:
    with (
        refereed(tmp_path / "data", tls=True) as (servicer, fixture_id, _),
        serving(tmp_path / "data", tls_ca=str(tmp_path / "cert.pem")) as address,
    ):
        page = opened(f"{address}/live?fixture={fixture_id}", allow=("404 (Not Found)",), wait=".felt")
        until(page, f"() => {INNER}.querySelector('.live.on') !== null")
        assert page.locator(".views [data-view]").count() == 1, "only the spectator's view"
        assert page.locator(".hand [data-card]").count() == 0
        first = int(page.locator(".felt").get_attribute("data-step"))
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        back = int(page.locator(".felt").get_attribute("data-step"))
        assert back < first
        servicer.go_on.set()
        until(page, f"() => Number({INNER}.querySelector('.scrub').max) > {first + 20}")
        assert int(page.locator(".felt").get_attribute("data-step")) == back, "who stepped back stays there"
        page.locator("[data-act=live], [data-act=last]").first.click()
        page.keyboard.press("End")
        until(page, f"() => {INNER}.querySelector('.result') !== null")
        assert "over" in page.locator(".status").first.text_content()
        page.close()


INNER = "[...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.ninefold-viewer:has(.felt)')).find(Boolean)"
