"""`python -m tests.dashboard.screenshots OUT [--data DIR] [--only WORD]`: every page in both themes, and on a phone."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.dashboard import demo_league
from tests.dashboard.conftest import ARGS, CHROMIUM
from tests.dashboard.serving import serving

PAGES = {
    "overview": "/",
    "standings": "/standings?tournament=spring-cup",
    "h2h": "/h2h?tournament=spring-cup",
    "tournament": "/tournament?tournament=summer-league",
    "matches": "/matches",
    "replay-nines": "/replay?match=summer-league/1/1/1&step=31&view=all",
    "replay-seat": "/replay?match=summer-league/1/1/1&step=40&view=2",
    "replay-nine": "/replay?match=call-of-nine/1/1/1&step=9999",
    "replay-waiting": "/replay?match=summer-league/6/5/1",
    "live": "/live",
    "bot": "/bot?name=greedy",
    "about": "/about",
}
SIZES = {"light": ("light", 1280, 900), "dark": ("dark", 1280, 900), "phone": ("light", 390, 844)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="data folder of a league; without it a demo league is played first")
    parser.add_argument("--only", default="", help="pages whose name holds this word")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = arguments.data or Path(folder) / "league"
        if arguments.data is None:
            demo_league.build(data).close()
        with serving(data) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
            for size, (theme, width, height) in SIZES.items():
                page = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
                ).new_page()
                for name, path in PAGES.items():
                    if arguments.only not in name:
                        continue
                    page.goto(address + path)
                    page.wait_for_selector("[data-testid=stMain]", timeout=30_000)
                    page.wait_for_timeout(2500)
                    page.wait_for_selector("[data-testid=stSkeleton]", state="detached", timeout=30_000)
                    if name.startswith("replay-n"):
                        page.wait_for_selector(".felt", timeout=30_000)
                    # Streamlit scrolls inside its own frame: a window as tall as the content shows it all
                    tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
                    page.set_viewport_size({"width": width, "height": max(height, min(tall + 60, 3000))})
                    page.wait_for_timeout(600)
                    page.screenshot(path=arguments.out / f"{name}-{size}.png")
                    page.set_viewport_size({"width": width, "height": height})
                    print(arguments.out / f"{name}-{size}.png")
            browser.close()


if __name__ == "__main__":
    main()
