"""One is never many; what others have written does nothing and fills nothing."""

from __future__ import annotations

from referee.wording import abridged, counted, printable


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(n, "bot") for n in (0, 1, 2, 1200)] == ["0 bots", "1 bot", "2 bots", "1,200 bots"]
    assert [counted(n, "match", "matches") for n in (1, 3)] == ["1 match", "3 matches"]
    assert [counted(n, "day") for n in (1.0, 0.5, 30.0)] == ["1 day", "0.5 days", "30 days"]


def test_nothing_that_a_terminal_obeys_is_printable() -> None:
    text = "a\x1b[2J\tb\r\nc\u202ed\udcffe"
    assert printable(text) == "a\ufffd[2J\tb\ufffd\nc\ufffdd\ufffde"
    assert printable(text, breaks=False) == "a\ufffd[2J\tb c\ufffdd\ufffde"
    assert printable("one\u2028two\x85three\n", breaks=False) == "one two three"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert abridged("x" * 30, 30) == "x" * 30
    assert abridged("a" * 50 + "b" * 50, 30) == "a" * 19 + "…" + "b" * 10
    assert len(abridged("x" * 31, 30)) == 30
