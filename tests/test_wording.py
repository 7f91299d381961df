"""One is never many."""

from __future__ import annotations

from referee.wording import counted


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(n, "bot") for n in (0, 1, 2, 1200)] == ["0 bots", "1 bot", "2 bots", "1,200 bots"]
    assert [counted(n, "match", "matches") for n in (1, 3)] == ["1 match", "3 matches"]
    assert [counted(n, "day") for n in (1.0, 0.5, 30.0)] == ["1 day", "0.5 days", "30 days"]
