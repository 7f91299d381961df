"""The viewer as a thing to use: keys, buttons, address, phone, themes, hostile text, long matches, what it cannot read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dashboard.assets import offline_page
from referee.match.steps import steps
from tests.dashboard import samples
from tests.dashboard.conftest import serious, until

pytestmark = pytest.mark.browser
READING = (Path(__file__).parent / "reading.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return steps(samples.played("nines/powers", 4, 3))


def step_of(page: Any) -> int:
    return int(page.locator(".felt").get_attribute("data-step"))


def view_of(page: Any) -> str:
    return page.locator(".views [aria-checked=true]").get_attribute("data-view")


def test_every_key_does_what_its_button_does(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told, at="step=0")
    end = len(told["steps"]) - 1
    first_rounds = [entry["step"] for entry in told["rounds"][:3]]
    for keys, step in [
        (["ArrowRight"] * 3, 3),
        (["Shift+ArrowRight"], 13),
        (["ArrowLeft", "Shift+ArrowLeft"], 2),
        (["End"], end),
        (["Home"], 0),
        (["]"], first_rounds[0]),
        (["]"], first_rounds[1]),
        (["["], first_rounds[0]),
    ]:
        for key in keys:
            page.keyboard.press(key)
        assert step_of(page) == step, keys
    for act, step in [
        ("forward", first_rounds[0] + 1),
        ("back", first_rounds[0]),
        ("last", end),
        ("first", 0),
        ("next-round", first_rounds[0]),
    ]:
        page.locator(f"[data-act={act}]").click()
        assert step_of(page) == step, act
    page.keyboard.press("n")
    marked = step_of(page)
    assert marked > first_rounds[0]
    page.keyboard.press("n")
    assert step_of(page) > marked
    page.keyboard.press("p")
    assert step_of(page) == marked
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    assert step_of(page) == marked
    for key, view in [("0", "public"), ("0", "open"), ("2", "1"), ("4", "3"), ("6", "3"), ("0", "open")]:
        page.keyboard.press(key)
        assert view_of(page) == view, key
    assert page.locator(".ninefold-viewer").get_attribute("data-suits") == "four"
    page.keyboard.press("s")
    assert page.locator(".ninefold-viewer").get_attribute("data-suits") == "two"
    page.keyboard.press("+")
    assert page.locator(".speed").input_value() == "4"
    page.keyboard.press("?")
    assert page.locator(".keys").is_visible()
    page.keyboard.press("ArrowRight")
    assert step_of(page) == marked, "keys under the overlay move nothing"
    page.keyboard.press("Escape")
    assert not page.locator(".keys").is_visible()


def test_playing_moves_on_is_silent_and_stops_at_the_result(offline: Any) -> None:
    short = steps(samples.played("nine/teams", 4, 1, most=12))
    page = offline(short, at="step=0&view=all")
    page.locator(".speed").select_option("16")
    before = page.locator(".speaker").text_content()
    page.keyboard.press("Space")
    until(page, "() => document.querySelector('.felt').dataset.step > 4")
    assert page.locator(".speaker").text_content() == before
    until(page, f"() => document.querySelector('.felt').dataset.step == {len(short['steps']) - 1}")
    until(page, "() => document.querySelector('[aria-label=Play]')")
    assert "Match over" in page.locator(".speaker").text_content()
    assert page.locator(".result").is_visible()


def test_the_address_holds_step_and_view_and_gives_them_back(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told, at="step=7&view=2")
    assert (step_of(page), view_of(page)) == (7, "1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("0")
    until(page, "() => location.hash.includes('step=8') && location.hash.includes('view=all')")
    page.reload()
    page.wait_for_selector(".felt")
    assert (step_of(page), view_of(page)) == (8, "open")
    page.evaluate("location.hash = '#12'")
    until(page, "() => document.querySelector('.felt').dataset.step == 12")
    page.evaluate("location.hash = '#step=99999'")
    page.wait_for_selector(".toast:not([hidden])")
    assert step_of(page) == len(told["steps"]) - 1


def test_a_replay_opens_on_the_first_deal(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told)
    assert step_of(page) == told["rounds"][0]["step"] > 0
    assert page.locator(".seat .card").count() >= 4
    page.keyboard.press("Home")
    assert step_of(page) == 0


def test_seeking_by_strip_slider_number_and_list(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told)
    page.locator(".step-input").fill("20")
    page.locator(".step-input").press("Enter")
    assert step_of(page) == 20
    assert page.locator(".event[aria-selected=true]").get_attribute("data-index") == "20"
    page.locator(".event[data-index='24']").click()
    assert step_of(page) == 24
    box = page.locator(".strip").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 30, box["y"] + 40)
    assert step_of(page) > len(told["steps"]) * 0.9
    page.locator(".scrub").fill("5")
    assert step_of(page) == 5
    page.locator(".scrub").focus()
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 6, "the focused slider moves once, not twice"


@pytest.mark.parametrize(
    ("profile", "players"), [("nines/powers", 4), ("nines/double", 6), ("nine/standard", 2), ("nine/teams", 6)]
)
def test_a_phone_has_no_horizontal_scroll_and_large_targets(offline: Any, profile: str, players: int) -> None:
    rules = {"teams": 3} if profile == "nine/teams" else {}
    page = offline(
        steps(samples.played(profile, players, 1, rules=rules)),
        at="step=30",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    for key in ("ArrowRight", "End"):
        page.keyboard.press(key)
        wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1]
    small = page.evaluate(
        """() => [...document.querySelectorAll('.ninefold-viewer button, .ninefold-viewer select, .event')]
            .filter((e) => e.offsetParent && !e.closest('.keys')).map((e) => [e.getAttribute('aria-label') || e.className, e.getBoundingClientRect()])
            .filter(([, r]) => r.height < 43.5).map(([name]) => name)"""
    )
    assert small == []
    page.get_by_label("More").click()
    assert page.locator("[data-act=suits]").is_visible()


def test_theme_changes_live_and_suits_stay_readable(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told, at="step=20", color_scheme="light")
    root = page.locator(".ninefold-viewer")
    assert root.get_attribute("data-theme") == "light"
    page.emulate_media(color_scheme="dark")
    until(page, "() => document.querySelector('.ninefold-viewer').dataset.theme == 'dark'")
    assert step_of(page) == 20
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        until(page, f"() => document.querySelector('.ninefold-viewer').dataset.theme == '{theme}'")
        ratios = page.evaluate(
            """() => {
              const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
              const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
              const ground = light(getComputedStyle(document.querySelector('.list')).backgroundColor);
              const probe = document.createElement('i'); document.querySelector('.list').append(probe);
              return 'CDHS'.split('').map((suit) => { probe.style.color = `var(--mark-${suit})`; const x = light(getComputedStyle(probe).color); return (Math.max(x, ground) + 0.05) / (Math.min(x, ground) + 0.05); });
            }"""
        )
        assert min(ratios) >= 4.5, (theme, ratios)


def test_hostile_names_and_notes_are_text(offline: Any) -> None:
    names = samples.HOSTILE[:4]
    document = samples.played("nines/strict", 4, 2, names=names)
    document["notes"] = [
        {"seat": s, "round": 0, "event": 2, "text": text} for s, text in enumerate(samples.HOSTILE[:4])
    ]
    told = steps(document)
    page = offline(told, at=f"step={told['notes'][0]['step']}&view=all")
    assert page.locator(".ninefold-viewer .seat .name").all_text_contents() == [names[0], names[1], names[3], names[2]]
    bubbles = [text for text in page.locator(".bubble:visible").all_text_contents() if text]
    assert sorted(bubbles) == sorted(samples.HOSTILE[:4])
    assert page.locator(".ninefold-viewer img, .ninefold-viewer b b, .ninefold-viewer script").count() == 0
    assert page.locator("h1").text_content() == f"Match {told['match_id']}"
    page.keyboard.press("2")
    shown = [text for text in page.locator(".bubble:visible").all_text_contents() if text]
    assert shown == [samples.HOSTILE[1]], "a seat sees its own notes only"


def test_what_cannot_be_read_is_said(offline: Any, told: dict[str, Any]) -> None:
    page = offline({**told, "format": "ninefold-steps/9"}, wait=".status p")
    assert "another release" in page.locator(".status").text_content()
    page = offline({**told, "steps": []}, wait=".status p")
    assert "Nothing has happened" in page.locator(".status").text_content()
    cut = {**told, "steps": told["steps"][:40]}
    page = offline(cut)
    page.keyboard.press("End")
    assert step_of(page) == 39
    page = offline({**told, "problem": "round 1: the deal does not follow from the seed"})
    assert "does not verify" in page.locator("[role=alert]").text_content()


def test_a_game_without_a_table_gets_its_events(offline: Any, told: dict[str, Any]) -> None:
    plain = [{k: v for k, v in step.items() if k not in ("table", "set")} for step in told["steps"]]
    page = offline({**told, "game": "whist", "has_table": False, "steps": plain}, at="step=0", wait=".no-table")
    page.keyboard.press("ArrowRight")
    assert page.locator(".event[aria-selected=true]").get_attribute("data-index") == "1"
    assert page.locator(".event").count() > 10


def test_a_match_of_thousands_of_events_stays_quick(offline: Any) -> None:
    document = samples.played("nines/ten-rounds", 2, 0, rules={"rounds": 100})
    told = steps(document)
    assert len(told["steps"]) > 2_000
    page = offline(told, at="step=0", reduced_motion="reduce")
    assert page.locator(".event").count() < 60
    spent = page.evaluate(
        """() => { const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
            const start = performance.now(); for (let i = 0; i < 50; i++) press('ArrowRight'); return (performance.now() - start) / 50; }"""
    )
    assert step_of(page) == 50
    page.keyboard.press("End")
    assert page.locator(".event[aria-selected=true]").get_attribute("data-index") == str(len(told["steps"]) - 1)
    assert page.locator(".event").count() < 60
    print(f"{spent:.1f} ms a step")


def test_reduced_motion_moves_no_card(offline: Any, told: dict[str, Any]) -> None:
    page = offline(told, reduced_motion="reduce")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(offline: Any, told: dict[str, Any], axe: str, theme: str) -> None:
    page = offline(told, at="step=20", color_scheme=theme, reduced_motion="reduce")
    assert serious(page, axe) == []
    page.keyboard.press("3")
    page.keyboard.press("End")
    assert serious(page, axe) == []
    page.keyboard.press("?")
    assert serious(page, axe) == []


def test_the_offline_page_is_one_file(told: dict[str, Any]) -> None:
    page = offline_page(told)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    assert "</script><script>alert" not in offline_page({**told, "match_id": "</script><script>alert(1)</script>"})
