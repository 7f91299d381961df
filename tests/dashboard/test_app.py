"""Every page under Streamlit's AppTest: runs on a full league, an empty one, none at all, and one that cannot be read."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import charts, frame, words
from referee.settings import Settings
from referee.store.schema import open_store
from tests.dashboard.conftest import APP

PAGES = ("overview", "standings", "h2h", "tournament", "matches", "replay", "live", "bot", "about")


def tables(app: AppTest) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table on the page, by label."""
    found = {}
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if "table" in data:
            found[data["table"]["label"]] = data["table"]["rows"]
    return found


def said(app: AppTest) -> str:
    return " ".join(
        e.value for kind in ("info", "warning", "caption", "markdown", "error", "title") for e in app.get(kind)
    )


@pytest.mark.parametrize("page", PAGES)
def test_pages_run_on_a_full_league(run: Any, league: Path, page: str) -> None:
    app = run(league, page)
    assert "cannot be shown" not in said(app)
    if page in ("overview", "standings", "matches", "tournament"):
        assert all(tables(app).values())


@pytest.mark.parametrize("page", PAGES)
def test_pages_run_without_a_league(run: Any, tmp_path: Path, page: str) -> None:
    app = run(tmp_path / "nothing", page)
    assert page == "about" or "There is no league here yet" in said(app)
    assert not (tmp_path / "nothing").exists(), "the dashboard makes no store"


@pytest.mark.parametrize("page", PAGES)
def test_pages_run_while_the_store_is_broken(run: Any, tmp_path: Path, page: str) -> None:
    (tmp_path / "ninefold.db").write_bytes(b"this is no database" * 100)
    app = run(tmp_path, page)
    assert str(tmp_path) not in said(app)
    assert page == "about" or "cannot be" in said(app)


def test_streamlit_finds_no_pages_of_its_own() -> None:
    """A folder `pages` beside the app would be served page by page, without app.py, to the first visitor of a server."""
    assert not (APP.parent / "pages").exists()


def test_one_bot_and_no_match(run: Any, tmp_path: Path) -> None:
    from tests.dashboard import demo_league

    store = open_store(Settings(tmp_path))
    demo_league.admit(store, demo_league.author(store, "ann"), "lonely")
    store.close()
    assert "has not played" in said(run(tmp_path, "bot", name="lonely"))
    assert tables(run(tmp_path, "bot"))["Bots"][0]["bot"]["text"] == "lonely"


def test_filters_stand_in_the_address(run: Any, league: Path) -> None:
    app = run(league, "matches", bot="sleepy", cause="crash")
    assert {row["ending"]["text"] for row in tables(app)["Matches"]} == {"crashed"}
    assert app.text_input[0].value == "sleepy"
    app = run(league, "matches", bot="sleepy", cause="memory")
    assert "No match fits" in said(app)
    assert [button.label for button in app.button] == ["Remove “bot”", "Remove “cause”"]
    app.button[1].click().run()
    assert tables(app)["Matches"]
    assert "cause" not in app.query_params


def test_matches_by_day_and_players_stand_in_the_address(run: Any, league: Path) -> None:
    three = tables(run(league, "matches", players="3"))["Matches"]
    assert {len(row["seats"]) for row in three} == {3}
    assert (
        tables(run(league, "matches", **{"from": "2020-01-01", "to": "2199-12-31", "players": "3"}))["Matches"] == three
    )
    app = run(league, "matches", to="2020-01-01", players="5")
    assert "No match fits" in said(app)
    assert [button.label for button in app.button] == ["Remove “players”", "Remove “to”"]
    app.button[1].click().run()
    assert {len(row["seats"]) for row in tables(app)["Matches"]} == {5}
    for odd in ("yesterday", "2026-02-31", "99999-01-01", "0001-01-01", "<b>"):
        app = run(league, "matches", **{"from": odd})
        assert "is no day" in said(app)
        assert len(tables(app)["Matches"]) == 200, "what is no day filters nothing"
    assert "There is no players" in said(run(league, "matches", players="9"))


def test_a_tournament_that_stops_early_says_where_it_stands(run: Any, league: Path) -> None:
    app = run(league, "tournament", tournament="close-race")
    assert "at least 1 and at most 2 blocks" in said(app)
    undecided = tables(app)["Undecided pairs"]
    assert len(undecided) == 3, "a block or two cannot decide anything"
    assert max(row["passes"] for row in undecided) <= 2
    assert "whoever leads by then" in said(run(league, "tournament", tournament="spring-cup"))


def test_after_a_cancel_all_numbers_agree_and_results_are_of_matches_played(run: Any, tmp_path: Path) -> None:
    from referee.store.commands import tournaments
    from tests.dashboard import demo_league

    store = demo_league.build_small(tmp_path)
    demo_league.begin(store, "short", ["greedy", "random"], "nines/strict", blocks=4, matches_per_fixture=1)
    demo_league.play(store, "short", leave=5)  # three of eight fixtures
    tournaments.cancel(store, "short", by="org", reason="enough")
    store.close()
    app = run(tmp_path, "overview")
    latest = tables(app)["Latest results"]
    assert [row["ending"]["text"] for row in latest] == ["completed"] * 3
    assert len(tables(run(tmp_path, "matches", tournament="short"))["Matches"]) == 8
    app = run(tmp_path, "tournament", tournament="short")
    bar = app.get("progress")[0].proto
    assert bar.text == "3 of 8 matches played · 3 of 8 fixtures played, 5 cancelled"
    assert bar.value == 37
    assert "8 fixtures. A block" in said(app)


def test_what_does_not_exist_is_said_and_nothing_else_stands_in_for_it(run: Any, league: Path) -> None:
    for page in ("standings", "h2h", "tournament"):
        app = run(league, page, tournament="no-such-cup")
        assert "There is no tournament `no-such-cup`" in said(app)
        assert tables(app) == {}, page
        assert app.selectbox[0].value is None
    app.selectbox[0].select("spring-cup").run()
    assert app.query_params["tournament"] in ("spring-cup", ["spring-cup"])
    assert tables(app)["Entries"]
    app = run(league, "bot", name="greedi")
    onward = [json.loads(e.proto.json) for e in app.get("bidi_component")]
    assert ["/bot", "/standings", "/matches"] in [[link["href"] for link in d.get("links", [])] for d in onward]


def test_undecided_neighbours_are_marked_also_while_provisional(run: Any, league: Path) -> None:
    rows = tables(run(league, "standings", tournament="spring-cup"))["Standings"]
    assert {row["note"]["text"] for row in rows if row["_tone"] == "undecided"} == {"undecided"}
    assert {row["note"]["text"] for row in rows if not row["_tone"]} == {"provisional"}


def test_odd_addresses_are_read_with_a_shrug(run: Any, league: Path) -> None:
    for page, query in (
        ("tournament", {"tournament": "spring-cup", "block": "-1"}),
        ("tournament", {"tournament": "spring-cup", "block": "99999999999999999999"}),
        ("tournament", {"tournament": "spring-cup", "block": "999999"}),
        ("matches", {"before": "²"}),
        ("matches", {"before": "99999999999999999999"}),
        ("h2h", {"a": "x", "b": "y", "metric": "z"}),
        ("replay", {"match": "a/b/c/d"}),
        ("replay", {"match": "spring-cup/1/1/99999999999"}),
        ("live", {"fixture": "//"}),
        ("live", {"fixture": "x" * 5000}),
        ("bot", {"name": "\x00"}),
    ):
        assert "cannot be shown" not in said(run(league, page, **query)), (page, query)


def test_a_store_that_is_emptied_or_replaced_is_seen_at_once(run: Any, league: Path, tmp_path: Path) -> None:
    shutil.copytree(league, tmp_path / "data")
    data, database = tmp_path / "data", tmp_path / "data" / "ninefold.db"
    assert tables(run(data, "standings", tournament="spring-cup"))["Standings"]
    assert tables(run(data, "replay", match="spring-cup/1/1/1"))
    for path in data.glob("ninefold.db*"):
        path.unlink()
    assert "There is no league here yet" in said(run(data, "standings", tournament="spring-cup"))
    open_store(Settings(data)).close()
    assert "No tournament yet" in said(run(data, "standings", tournament="spring-cup"))
    assert "There is no match" in said(run(data, "replay", match="spring-cup/1/1/1"))
    database.write_bytes(b"no database at all" * 500)
    assert "cannot be read" in said(run(data, "matches"))


def test_the_replay_page_never_writes_the_address(run: Any, league: Path) -> None:
    app = run(league, "replay", match="spring-cup/1/1/1", step="12", view="2")
    assert app.query_params == {"match": "spring-cup/1/1/1", "step": "12", "view": "2"}
    source_text = (APP.parent / "views" / "replay.py").read_text(encoding="utf-8")
    assert "query_params[" not in source_text


def test_what_is_sent_to_the_browser_holds_nothing_private(run: Any, league: Path) -> None:
    for page, query in [(page, {}) for page in PAGES] + [
        ("bot", {"name": "sleepy"}),
        ("replay", {"match": "spring-cup/5/1/1"}),
    ]:
        app = run(league, page, **query)
        everything = said(app) + " ".join(e.proto.json for e in app.get("bidi_component"))
        for secret in ("TOP-SECRET-MOVE", "PRIVATE-LOG-LINE", "image-", str(league), "nf_"):
            assert secret not in everything, (page, secret)


@pytest.mark.parametrize(
    "text",
    [
        "**bold**",
        "[a](http://x.example)",
        "`code`",
        "``two``",
        ":smile: $x^2$",
        "<b>x</b>",
        "www.x.example",
        "a@b.example",
        "line\nbreak",
        "",
        "` ",
    ],
)
def test_code_shows_letter_for_letter(text: str) -> None:
    shown = words.code(text)
    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    assert shown.endswith(fence)
    inside = shown[len(fence) : -len(fence)]
    assert fence not in inside or not inside.strip("` ")
    assert " ".join(text.split()) in inside or not text.strip()
    assert words.name("plain-name-2") == "plain-name-2"
    assert words.name("cup/1/2/3") == "cup/1/2/3"
    assert words.name(text).startswith("`")


def test_every_chart_is_plain_data() -> None:
    row = {"bot": "<b>", "rating": 1500.0, "rating_low": 1400.0, "rating_high": 1600.0, "provisional": True}
    cell = {
        "row": 0,
        "column": 1,
        "matches": 4,
        "score": 0.75,
        "margin": 3.0,
        "low": -1.0,
        "high": 7.0,
        "significant": False,
    }
    specs = [
        charts.ratings([row, {**row, "rating": None}]),
        *(charts.crosstable(["a", "b"], [cell], metric) for metric in charts.METRICS),
        charts.crosstable([f"bot{i}" for i in range(40)], [cell], "score"),
        charts.decision_times(charts.log_bins([0.1, 3.0, 3.1, 200.0, 0.0]), {"increment 100 ms": 100.0}),
        charts.decision_times([], {}),
        charts.rating_history([]),
    ]
    for spec in specs:
        assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert [b["count"] for b in charts.log_bins([1.0, 1.1, 100.0])] == [2, 1]


def test_causes_have_one_wording_and_all_of_them() -> None:
    from referee.match.fixture import BOT_CAUSES, OUR_CAUSES

    assert set(BOT_CAUSES) == set(words.FAULTS)
    assert {*BOT_CAUSES, *OUR_CAUSES, "completed", "cancelled", "withdrawn"} == set(words.CAUSES)


def test_a_challenge_is_shown_where_there_is_nothing_else() -> None:
    known = [
        {"name": name, "kind": kind, "state": state}
        for name, kind, state in (
            ("newest", "challenge", "running"),
            ("summer", "league", "draft"),
            ("spring", "league", "done"),
            ("endless", "league", "running"),
            ("first", "league", "done"),
            ("oldest", "challenge", "done"),
        )
    ]
    wanted = [row["name"] for row in frame.most_wanted(known)]
    assert wanted == ["endless", "spring", "first", "summer", "newest", "oldest"]


def test_no_text_links_to_a_file_that_is_no_page(run: Any, league: Path) -> None:
    app = run(league, "about")
    told = "\n".join(text.value for text in app.markdown)
    assert "**F1**" in told, "the rules of both games"
    assert not re.search(r"\]\((?!https?:|#)", told)
