"""What of a log an author is shown: its end, the stack without our own frames, and nothing a terminal would obey."""

from __future__ import annotations

from pathlib import Path

from referee.cli import botlog

STACK = """\
thinking
Stack (most recent call first):
  File "/opt/ninefold/lib/botkit/knowledge.py", line 9 in observe
  File "/bot/deep.py", line 3 in search
  File "/bot/bot.py", line 7 in act
  File "/opt/ninefold/lib/botkit/session.py", line 91 in answer
  File "/usr/lib/python3.11/asyncio/runners.py", line 190 in run
  File "/bot/bot.py", line 9 in <module>
  File "/opt/ninefold/start.py", line 29 in main
the end
"""


def test_a_stack_that_was_asked_for_holds_the_authors_frames_alone():
    assert botlog.tail(STACK) == [
        "thinking",
        botlog.WHERE,
        '  File "/bot/deep.py", line 3 in search',
        '  File "/bot/bot.py", line 7 in act',
        '  File "/bot/bot.py", line 9 in <module>',
        "the end",
    ]


def test_a_long_log_is_cut_and_the_cut_is_counted():
    shown = botlog.tail("".join(f"{n}\n" for n in range(40)))
    assert shown == ["… 10 lines of its log before these", *map(str, range(10, 40))]


def test_nothing_is_shown_that_a_terminal_would_obey():
    assert botlog.tail("\x1b[2Jgone\ttab") == ["\ufffd[2Jgone\ttab"]


def test_of_a_refused_build_the_verdict_is_left_out_and_what_the_bot_printed_is_kept():
    log = "unpack: 2 files\nwhat the bot printed:\nmine\n\nrefused at trial: it failed; try it\n"
    assert botlog.of_build(log, "trial") == ["mine"]
    fetched = "unpack: 2 files\nmanifest: my-bot plays nines; 1 dependency\nfetching\nno such package\nrefused at dependencies: x\n"
    assert botlog.of_build(fetched, "dependencies") == ["fetching", "no such package"]


def test_of_dependencies_no_stack_of_pips_own_is_shown():
    stack = 'Traceback (most recent call last):\n  File "/opt/ninefold/tools/pip/x.py", line 1, in y\n'
    refused = "refused at dependencies: the dependencies hold more than 200 MiB\n"
    for full in ("OSError: [Errno 28] No space left on device\n", "npm error enospc No space left on device\n"):
        assert botlog.of_build(f"Collecting big==1\nERROR: Exception:\n{stack}{full}{refused}", "dependencies") == []
    broken = f"Collecting a==1\nERROR: Exception:\n{stack}pip.Error: odd\n"
    assert botlog.of_build(broken, "dependencies") == ["Collecting a==1"]
    assert botlog.of_build(f"built\n{stack}ValueError: mine\n", "build")[-1] == "ValueError: mine"


def test_the_advice_names_the_folder_that_was_given(tmp_path: Path):
    folder = tmp_path / "my bot"
    folder.mkdir()
    fix = "try it: ninefold play DIR random --game nines"
    assert botlog.with_folder(fix, folder) == f"try it: ninefold play '{folder}' random --game nines"
    assert botlog.with_folder(fix, tmp_path / "bot.zip") == fix
