"""A browser for the tests that need one, and a page that says what went wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
    """Opens pages in contexts of their own; at the end none may have thrown, logged an error, or asked another host."""
    pages: list[Any] = []
    complaints: list[str] = []

    def open_page(url: str, *, allow: tuple[str, ...] = (), wait: str = ".ninefold-viewer", **context: Any) -> Any:
        page = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context}).new_page()
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
        page.context.close()
    assert complaints == []


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
