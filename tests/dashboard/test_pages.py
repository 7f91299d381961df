"""The served dashboard in a browser: content equals the store's, addresses work both ways, stepping is silent on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.settings import Settings
from referee.store.engine import Store
from referee.store.queries import crosstable, matches, standings, tournaments
from referee.store.queries.matches import MatchFilter
from referee.store.schema import open_store
from tests.dashboard.conftest import serious, until

pytestmark = pytest.mark.browser

# each page below "/" first asks for health and host-config beside itself: two 404 that Streamlit causes and expects
HARMLESS = ("404 (Not Found)",)
READING = (Path(__file__).parent / "reading.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def store(league: Path) -> Iterator[Store]:
    opened = open_store(Settings(league))
    yield opened
    opened.close()


@pytest.fixture
def visit(opened: Any, address: str, returning: dict[str, Any]) -> Any:
    def go(path: str, wait: str = ".ninefold-viewer", **context: Any) -> Any:
        return opened(address + path, allow=HARMLESS, wait=wait, known=returning, **context)

    return go


def rows(page: Any, label: str) -> list[dict[str, str]]:
    """A table of rows as shown: one dict of texts a row, by column."""
    page.wait_for_selector(f'.rows-scroll[aria-label="{label}"] tbody tr', timeout=30_000)
    return page.locator(f'.rows-scroll[aria-label="{label}"]').first.evaluate(
        """(scroll) => [...scroll.querySelectorAll("tbody tr")].map((row) => ({ _key: row.dataset.key,
            ...Object.fromEntries([...row.children].map((cell) => [cell.dataset.column, cell.textContent])) }))"""
    )


def test_standings_are_the_stores(visit: Any, store: Store) -> None:
    page = visit("/standings?tournament=spring-cup")
    shown = rows(page, "Standings")
    expected = standings.standings(store, "spring-cup")
    assert [row["_key"] for row in shown] == [row["bot"] for row in expected]
    for line, row in zip(shown, expected, strict=True):
        assert line["rank"] == str(row["rank"])
        assert line["score"] == f"{100 * row['score']:.1f}%"
        assert line["rating"] == f"{row['rating']:,.0f}"
        assert line["matches"] == str(row["matches"])
        assert line["forfeits"] == str(row["forfeits"])
        assert line["mean_margin"] == ("–" if row["mean_margin"] is None else f"{row['mean_margin']:,.1f}")
    page.locator("th button", has_text="matches").click()
    page.locator("th button", has_text="rating").first.click()
    page.locator("th button", has_text="rating").first.click()
    order = [row["_key"] for row in rows(page, "Standings")]
    assert order == [row["bot"] for row in sorted(expected, key=lambda row: row["rating"])]
    page.wait_for_timeout(6_000)
    assert [row["_key"] for row in rows(page, "Standings")] == order, "a refresh keeps the reader's order"


def test_standings_are_whole_on_a_small_screen_and_seats_are_no_places(visit: Any) -> None:
    page = visit("/standings?tournament=spring-cup")
    rows(page, "Standings")
    wide = page.locator('.rows-scroll[aria-label="Standings"]').evaluate("(e) => [e.scrollWidth, e.clientWidth]")
    assert wide[0] <= wide[1], "nothing is cut at 1280 pixels"
    page = visit("/matches?tournament=spring-cup")
    seats = rows(page, "Matches")[0]["seats"]
    assert re.fullmatch(r"S1[a-z-]+(1st|2nd)S2[a-z-]+(1st|2nd)", seats), seats


def test_overview_and_matches_are_the_stores(visit: Any, store: Store) -> None:
    page = visit("/")
    latest = rows(page, "Latest results")
    assert [row["_key"] for row in latest] == [r["match_id"] for r in matches.matches(store) if r["has_replay"]][:10]
    page = visit("/matches?cause=timeout")
    shown = rows(page, "Matches")
    expected = matches.matches(store, MatchFilter(cause="timeout"))
    assert [row["_key"] for row in shown] == [row["match_id"] for row in expected]
    assert all(row["ending"] == "out of time" for row in shown)
    page = visit("/matches")
    all_rows = rows(page, "Matches")
    assert len(all_rows) == 200
    page.get_by_text("Older matches").click()
    until(page, "() => location.search.includes('before=')")
    for _ in range(100):
        older = rows(page, "Matches")
        if older[0]["_key"] != all_rows[0]["_key"]:
            break
        page.wait_for_timeout(100)
    assert not {row["_key"] for row in older} & {row["_key"] for row in all_rows}


def test_bot_page_links_faults_and_withdrawn_bot(visit: Any, store: Store) -> None:
    page = visit("/bot?name=sleepy")
    shown = {row["_key"]: row["count"] for row in rows(page, "Forfeits")}
    assert shown == {row["cause"]: str(row["count"]) for row in matches.fault_counts(store, "sleepy")}
    page = visit("/tournament?tournament=summer-league")
    entries = {row["_key"]: row for row in rows(page, "Entries")}
    assert entries["leaver"]["state"] == "withdrawn"
    assert entries["leaver"]["reason"] == "asked to"
    fixtures = {row["_key"]: row["state"] for row in rows(page, "Schedule")}
    assert fixtures == {row["fixture_id"]: row["state"] for row in tournaments.fixtures(store, "summer-league")}
    page = visit("/bot?name=leaver")
    assert rows(page, "Latest matches")


def test_crosstable_pair_is_the_stores(visit: Any, store: Store) -> None:
    page = visit("/h2h?tournament=spring-cup&a=greedy&b=random")
    shown = rows(page, "The pair")[0]
    table = crosstable.crosstable(store, "spring-cup")
    index = {row["bot"]: i for i, row in enumerate(table["bots"])}
    cell = next(c for c in table["cells"] if (c["row"], c["column"]) == (index["greedy"], index["random"]))
    assert shown["score"] == f"{100 * cell['score']:.1f}%"
    assert shown["margin"] == f"{cell['margin']:,.2f}"
    page.wait_for_selector("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg")


def test_replay_address_round_trip_and_a_silent_wire(visit: Any, store: Store) -> None:
    match_id = next(row["match_id"] for row in matches.matches(store) if row["has_replay"])
    frames: list[str] = []
    page = visit(f"/replay?match={match_id}&step=12&view=2", wait=".felt")
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: frames.append("sent")))
    felt = page.locator(".felt")
    assert felt.get_attribute("data-step") == "12"
    page.reload()
    page.wait_for_selector(".felt")
    page.wait_for_timeout(1_500)
    frames.clear()
    for key in ("ArrowRight", "ArrowRight", "n", "0", "s", "ArrowLeft", "]"):
        page.keyboard.press(key)
    page.locator(".scrub").fill("30")
    page.locator(".speed").select_option("16")
    page.keyboard.press("Escape")
    page.locator("[data-act=forward]").click()
    page.wait_for_timeout(1_200)
    assert frames == [], "stepping sends nothing to the server"
    step = felt.get_attribute("data-step")
    until(page, f"() => location.search.includes('step={step}')")
    page.reload()
    page.wait_for_selector(".felt")
    assert page.locator(".felt").get_attribute("data-step") == step
    assert "view=all" in page.url
    assert "round=" in page.url
    other = visit(page.url.split("/", 3)[3].join(["/", ""]), wait=".felt")
    assert other.locator(".felt").get_attribute("data-step") == step


def test_links_inside_the_page_back_and_forward(visit: Any, store: Store) -> None:
    page = visit("/matches?tournament=spring-cup")
    first = rows(page, "Matches")[0]["_key"]
    page.locator(f'tr[data-key="{first}"] a', has_text="watch").click()
    page.wait_for_selector(".felt", timeout=30_000)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(page, "() => location.search.includes('step=3')")  # from the first deal, step 1
    assert "/replay?match=" in page.url
    page.go_back()
    page.wait_for_selector('.rows-scroll[aria-label="Matches"] tbody tr', timeout=30_000)
    assert page.url.endswith("/matches?tournament=spring-cup"), "one step back is the list with its filters"
    assert rows(page, "Matches")[0]["_key"] == first
    page.go_forward()
    page.wait_for_selector(".felt", timeout=30_000)
    assert page.locator(".felt").get_attribute("data-step") == "3"
    page.get_by_text("Previous match").click()
    until(page, f"() => !location.search.includes({first!r})")
    until(page, "() => location.search.includes('match=spring-cup')")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/replay?match=no/1/1/1", "There is no match"),
        ("/replay?match=summer-league/6/5/1", "This match waits for its turn"),
        ("/replay?match=summer-league/6/2/1", "is being played"),
        ("/replay?match=abandoned/1/1/1", "This match has no replay: cancelled"),
        ("/bot?name=gredy", "Names like it"),
        ("/bot?name=<b>x</b>", "There is no bot <b>x</b>"),
        ("/standings?tournament=next-year", "it has not started"),
        ("/standings?tournament=[a](http://x.example)", "There is no tournament [a](http://x.example)"),
        ("/matches?bot=nobody", "there is no bot 'nobody'"),
        ("/matches?bot=greedy&cause=memory", "No match fits"),
        ("/h2h?tournament=abandoned", "No two bots"),
        ("/live?fixture=x/1/1", "There is no fixture"),
        ("/live?fixture=summer-league/1/1", "This fixture is over"),
        ("/about", "Ninefold is a league"),
    ],
)
def test_every_state_is_said_in_words(visit: Any, path: str, text: str) -> None:
    page = visit(path, wait="")
    until(page, "(text) => document.querySelector('[data-testid=stMain]')?.textContent.includes(text)", text)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.locator("[data-testid=stMain] a[href*='x.example']").count() == 0


@pytest.mark.parametrize("path", ["/", "/standings", "/h2h", "/tournament", "/matches", "/live", "/replay", "/bot"])
def test_an_empty_league_says_what_to_do(opened: Any, returning: dict[str, Any], empty_address: str, path: str) -> None:
    page = opened(empty_address + path, allow=HARMLESS, wait="[data-testid=stAlert]", known=returning)
    said = " ".join(page.locator("[data-testid=stAlert]").all_text_contents())
    assert re.search(r"ninefold|No match has ended yet", said), said
    assert page.locator("[data-testid=stException]").count() == 0


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/standings?tournament=spring-cup",
        "/matches",
        "/bot?name=greedy",
        "/replay?match=call-of-nine/1/1/1&step=20",
    ],
)
def test_pages_fit_a_phone(visit: Any, path: str) -> None:
    page = visit(path, viewport={"width": 390, "height": 844})
    page.wait_for_timeout(1_500)
    wide = page.evaluate(
        "() => { const m = document.querySelector('[data-testid=stMain]'); return [document.documentElement.scrollWidth, innerWidth, m.scrollWidth, m.clientWidth]; }"
    )
    assert wide[0] <= wide[1]
    assert wide[2] <= wide[3]


def test_the_bot_one_came_to_watch_is_marked(visit: Any) -> None:
    page = visit("/replay?match=summer-league/1/1/1&step=10&me=greedy", wait=".felt")
    assert page.locator(".seat.me .name").all_text_contents() == ["greedy"]


def test_the_theme_of_the_system_reaches_viewer_and_tables(visit: Any) -> None:
    page = visit("/replay?match=call-of-nine/1/1/1&step=5", wait=".felt", color_scheme="light")
    assert page.locator(".ninefold-viewer:has(.felt)").get_attribute("data-theme") == "light"
    page.emulate_media(color_scheme="dark")
    until(
        page,
        """() => { for (const e of document.querySelectorAll('*')) { const v = e.shadowRoot?.querySelector('.ninefold-viewer'); if (v?.querySelector('.felt')) return v.dataset.theme === 'dark'; } return false; }""",
    )
    assert page.locator(".felt").get_attribute("data-step") == "5"


def test_served_view_shows_what_the_offline_page_shows(visit: Any) -> None:
    page = visit("/replay?match=summer-league/1/1/1&step=10&view=all", wait=".felt", reduced_motion="reduce")
    page.evaluate(READING)
    table = page.evaluate("window.reading.table()")
    assert table["step"] == 10
    assert sum(len(seat["faces"]) for seat in table["seats"].values()) + table["stock"] > 50


WHOLE = {
    "/": "Latest results",
    "/standings?tournament=spring-cup": "Standings",
    "/h2h?tournament=spring-cup": "Their latest matches",
    "/tournament?tournament=summer-league": "Downloads",
    "/tournament?tournament=close-race": "Undecided pairs",
    "/matches?from=2020-01-01&players=3": "Matches",
    "/bot?name=sleepy": "Versions",
    "/live": "Being played now",
    "/replay?match=summer-league/6/5/1": "Seats",
    "/replay?match=call-of-nine/1/1/1&step=20": "",
    "/about": "",
}


@pytest.mark.parametrize("path", WHOLE)
def test_axe_finds_nothing_serious_on_whole_pages(visit: Any, axe: str, path: str) -> None:
    """Both themes, everything Streamlit draws included: nothing is left out."""
    page = visit(path, wait="[data-testid=stMain] h1, [data-testid=stMain] h4", reduced_motion="reduce")
    if WHOLE[path]:
        rows(page, WHOLE[path])
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(700)
        assert serious(page, axe) == [], theme


def test_tournament_page_shows_schedule_balance_and_seeds(visit: Any, store: Store) -> None:
    page = visit("/tournament?tournament=spring-cup")
    shown = rows(page, "Blocks")
    assert [row["_key"] for row in shown] == [f"spring-cup/{block}/{s}" for block in range(1, 16) for s in (1, 2)]
    page.get_by_text("Later blocks").click()
    until(page, "() => location.search.includes('block=16')")
    page.get_by_text("Earlier blocks").wait_for()
    assert rows(page, "Blocks")[0]["_key"] == "spring-cup/16/1"
    even = {row["_key"]: row for row in rows(page, "Balance")}
    # six bots, three blocks a pair, two fixtures a block, two matches a fixture
    assert (even["blocks"]["planned"], even["blocks"]["played"]) == ("15 blocks", "60 matches")
    assert (even["pairs"]["planned"], even["pairs"]["played"]) == ("3 blocks", "12 matches")
    assert (even["seats"]["planned"], even["seats"]["played"]) == ("15 blocks", "30 matches")
    assert {row["even"] for row in even.values()} == {"even"}
    said = page.locator("[data-testid=stMain]").text_content()
    assert "Revealed: its SHA-256 is the commitment." in said
    hrefs = page.locator(".rows-scroll[aria-label=Downloads] a").evaluate_all("(all) => all.map((a) => a.pathname)")
    assert "/data/matches/spring-cup.json" in hrefs
    assert "/data/seeds/spring-cup.json" in hrefs


def test_a_bots_times_have_their_limit(visit: Any) -> None:
    page = visit("/bot?name=greedy")
    page.wait_for_selector("[data-testid=stVegaLiteChart]")
    assert "never touches its time bank" in page.locator("[data-testid=stMain]").text_content()
