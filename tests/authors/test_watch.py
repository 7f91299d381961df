"""`ninefold play --watch`: the match as one page in the browser, or as lines in the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from referee.match.replay import read
from tests.authors.conftest import Write, ninefold

PLAY = ("play", "random", "random", "--game", "nine", "--matches", "1", "--seed", "3", "--rule", "cutoff=20")


def page_of(text: str) -> Path:
    return Path(text.strip().splitlines()[-1].rsplit(": ", 1)[1])


def steps_in(page: Path) -> dict[str, object]:
    text = page.read_text()
    return json.loads(text.split('<script type="application/json" id="steps">')[1].split("</script>")[0])


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_browser_the_page_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("there is no screen"))
    done = ninefold(*PLAY, "--watch", "--replays", tmp_path)
    assert done.code == 0
    page = page_of(done.err)
    assert page == tmp_path / "0001.html"
    assert "open it in a browser" in done.err
    told = steps_in(page)
    assert (told["match_id"], told["game"], told["problem"]) == ("local/1/1/1", "nine", None)
    assert "default-src 'none'" in page.read_text(), "it loads nothing"


@pytest.mark.parametrize(("opens", "said"), [(True, "opens in the browser"), (False, "open it in a browser")])
def test_with_a_browser_it_opens(monkeypatch: pytest.MonkeyPatch, opens: bool, said: str) -> None:
    asked: list[str] = []

    def opened(address: str) -> bool:
        asked.append(address)
        return opens

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", opened)
    done = ninefold(*PLAY, "--watch", "page", "--json")
    page = page_of(done.err)
    assert said in done.err
    assert asked == [page.as_uri()]
    assert page.parent.name.startswith("ninefold-")
    assert len(done.json()["matches"]) == 1
    page.unlink()
    page.parent.rmdir()


def test_a_match_that_was_forfeited_is_shown_first(write: Write, tmp_path: Path) -> None:
    bot = write(
        """
        from botkit import Bot, run

        class SecondTimeUnlucky(Bot):
            def act(self, view, legal):
                return legal[99] if self.match == 2 else legal[0]

        run(SecondTimeUnlucky())
        """
    )
    done = ninefold(
        "play", bot, "random", "--matches", "3", "--rule", "cutoff=20", "--watch", "--replays", tmp_path / "r"
    )
    assert page_of(done.err).name == "0002.html"
    assert steps_in(page_of(done.err))["faults"]


def test_in_the_terminal_it_reads_as_replay_show_prints_it(tmp_path: Path) -> None:
    done = ninefold(*PLAY, "--watch", "terminal", "--replays", tmp_path)
    shown = ninefold("replay", "show", tmp_path / "0001.json.gz")
    assert done.code == 0
    assert shown.out
    assert done.out.endswith(shown.out)


def test_watching_takes_a_word_of_its_own_only_if_it_is_one_of_two(tmp_path: Path) -> None:
    done = ninefold(PLAY[0], "--watch", *PLAY[1:], "--replays", tmp_path)
    assert page_of(done.err).name == "0001.html"
    assert ninefold(*PLAY, "--watch=cinema").code == 2
    both = ninefold(*PLAY, "--watch", "terminal", "--json")
    assert (both.code, both.out) == (2, "")
    assert "leave one out" in both.err


def test_playing_without_it_loads_nothing_of_it() -> None:
    code = (
        "import sys; from referee.cli.main import app\n"
        f"try: app({[*PLAY, '--json']!r})\n"
        "except SystemExit: print(sorted({'dashboard', 'webbrowser', 'referee.match.steps', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("game", ["nines", "nine"])
def test_each_round_begins_with_the_cards_that_may_be_known(tmp_path: Path, game: str) -> None:
    play = ("play", "random", "random", "--game", game, "--matches", "1", "--seed", "3")
    watched = ninefold(*play, "--watch", "terminal", "--replays", tmp_path).out
    document = next(iter(read(tmp_path / "0001.json.gz")))
    own = ninefold("replay", "show", tmp_path / "0001.json.gz", "--seat", "0").out
    assert len(document["rounds"]) > 1
    dealt = [
        [f"upcard {p['deal']['upcard']}", *([f"seat {s} holds", *sorted(h)] for s, h in p["deal"]["hands"].items())]
        for p in document["rounds"]
    ]
    assert cards_told(watched) == [line for deal in dealt for line in deal]
    assert cards_told(own) == [line for deal in dealt for line in deal[:2]]


def cards_told(shown: str) -> list[object]:
    """The lines about what was dealt, hands sorted."""
    found: list[object] = []
    for line in shown.splitlines():
        if line.startswith("       upcard "):
            found.append(line.strip())
        elif line.startswith("       seat "):
            head, _, cards = line.strip().partition(" holds ")
            found.append([f"{head} holds", *sorted(cards.split())])
    return found
