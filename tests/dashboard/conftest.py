"""A browser for the tests that need one, and a page that says what went wrong in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard import source

APP = Path(source.__file__).parent / "app.py"
AXE = "4.10.3"
CHROMIUM = "/usr/bin/chromium"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def until(page: Any, expression: str, arg: Any = None, seconds: float = 30.0) -> None:
    """Waits for a JavaScript function to hold; Playwright's own wait needs `eval`, which our pages forbid."""
    for _ in range(int(seconds * 20)):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression} ({arg!r})")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield chromium
        chromium.close()


Opener = Callable[..., Any]


@pytest.fixture
def opened(browser: Any) -> Iterator[Opener]:
    """Opens pages; at the end none may have thrown, logged an error, or asked another host.

    Each is in a context of its own, or in one out of `known`, a browser that was here before and has the scripts.
    """
    pages: list[Any] = []
    complaints: list[str] = []

    def open_page(
        url: str,
        *,
        allow: tuple[str, ...] = (),
        wait: str = ".ninefold-viewer",
        known: dict[str, Any] | None = None,
        **context: Any,
    ) -> Any:
        options = {"viewport": {"width": 1280, "height": 900}, **context}
        if known is None:
            page = browser.new_context(**options).new_page()
            pages.append(page.context)
        else:
            if (kind := str(options)) not in known:
                known[kind] = browser.new_context(**options)
            page = known[kind].new_page()
            pages.append(page)

        def complain(text: str) -> None:
            if not any(word in text for word in allow):
                complaints.append(text)

        def asked(request: Any) -> None:
            if not request.url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:", "http://localhost:")):
                complaints.append(f"asked another host: {request.url}")

        page.on("pageerror", lambda error: complain(f"page error: {error}"))
        page.on("console", lambda message: complain(f"console: {message.text}") if message.type == "error" else None)
        page.on(
            "console",
            lambda message: (
                complain(f"warning: {message.text}")
                if message.type == "warning" and "viewer" in str(message.location)
                else None
            ),
        )
        page.on("request", asked)
        page.goto(url)
        if wait:
            page.wait_for_selector(wait, timeout=30_000)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture(scope="session")
def returning(browser: Any) -> Iterator[dict[str, Any]]:
    """Contexts of browsers that have been here before, by their options; for `known`."""
    known: dict[str, Any] = {}
    yield known
    for context in known.values():
        context.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's script, fetched by npm at its pinned version."""
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run(
        ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder), f"axe-core@{AXE}"],
        capture_output=True,
        text=True,
        timeout=240,
    )
    if done.returncode:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            f"npm could not fetch axe-core: {done.stderr[-300:]}"
        )
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def serious(page: Any, axe: str, leaving_out: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds serious or worse on the page, without what is within the selectors left out."""
    page.evaluate(axe)
    found = page.evaluate(
        "(out) => axe.run({ exclude: out.map((one) => [one]) }, { resultTypes: ['violations'] })", list(leaving_out)
    )
    return [
        json.dumps(
            {"id": v["id"], "nodes": [(n["html"][:160], n.get("failureSummary", "")[:200]) for n in v["nodes"][:3]]}
        )
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


@pytest.fixture
def offline(opened: Opener, tmp_path: Path) -> Opener:
    """Opens a match as its offline page, by `file:`; `at` is the part after "#"."""
    from dashboard.assets import offline_page

    def open_match(steps: dict[str, Any], at: str = "", **context: Any) -> Any:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.html"
        path.write_text(offline_page(steps), encoding="utf-8")
        return opened(f"file://{path}{'#' + at if at else ''}", **context)

    return open_match


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of the demo league."""
    from tests.dashboard import demo_league

    folder = tmp_path_factory.mktemp("league") / "data"
    demo_league.build(folder).close()
    return folder


@pytest.fixture(scope="session")
def address(league: Path) -> Iterator[str]:
    """The dashboard of the demo league, really served."""
    from tests.dashboard.serving import serving

    with serving(league) as url:
        yield url


@pytest.fixture(scope="session")
def empty_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The dashboard of a league in which nothing has happened."""
    from referee.settings import Settings
    from referee.store.schema import open_store
    from tests.dashboard.serving import serving

    folder = tmp_path_factory.mktemp("empty") / "data"
    open_store(Settings(folder)).close()
    with serving(folder) as url:
        yield url


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Runs a page on the league in a data folder; nothing read before is remembered."""

    def go(data: Path, page: str, **query: str) -> AppTest:
        monkeypatch.setenv("NINEFOLD_DATA", str(data))
        st.cache_resource.clear()
        source.match_steps.clear()
        app = AppTest.from_file(str(APP), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name] = value
        if page != "overview":
            app.switch_page(f"views/{page}.py").run()
        assert not app.exception
        return app

    yield go
    st.cache_resource.clear()
