"""Mistakes that authors make: each is told with a file and line or a field, and the fix, and never with our own frames."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.authors.conftest import MANIFEST, Done, Write, ninefold

HEAD = "from botkit import Action, Bot, run\n"


def act(body: str, more: str = "") -> str:
    """A bot whose act is `body`, from line 4 on; other methods stand after it."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    rest = "\n".join(f"    {line}" for line in more.splitlines())
    return f"{HEAD}class B(Bot):\n    def act(self, view, legal):\n{lines}\n{rest}\nrun(B())\n"


PLAYED = [  # what, the bot, what is said, in order; line numbers are those of bot.py
    ("a missing module", "import numpie\n", ["start", 'bot.py", line 1', "import numpie", "No module named 'numpie'", "a line like numpie==1.2.3 in requirements.txt"]),
    ("no run()", act("return 0").replace("run(B())", ""), ["start", "bot.py ended without a game", "run(MyBot())"]),
    ("an empty file", "", ["start", "exited with code 0 before it was ready"]),
    ("a class that is no Bot", act("return 0").replace("class B(Bot)", "class B"), ["start", "run() was given", "class MyBot(Bot)"]),
    ("no act", f"{HEAD}class B(Bot):\n    def move(self, view): return 0\nrun(B())\n", ["start", "bot.py:2", "B has no act", "define act(self, view, legal)"]),
    ("act without its parameters", act("return 0").replace("self, view, legal", "self"), ["start", "bot.py:3", "write def act(self, view, legal)"]),
    ("an exception in __init__", act("return 0", "def __init__(self):\n    self.x = {}['a']"), ["start", 'bot.py", line 6, in __init__', "KeyError: 'a'"]),
    ("randomness before a match", act("return 0", "def __init__(self):\n    self.rng.random()"), ["start", 'line 6, in __init__', "use it in match_start or later"]),
    ("act returns nothing", act("legal[0]"), ["crash", "bot.py:3", "act returned None", "return missing", "return one of legal: [0] "]),
    ("act returns a card", act("return view.hand[0]"), ["crash", "bot.py:3", "of type Card", "return one of legal: [0] "]),
    ("act returns an illegal action", act("return Action('play', ('X1',))"), ["illegal", "sent: play X1", "legal were", "return one of legal", "bot.py:3", "not legal"]),
    ("act returns an index out of range", act("return 99"), ["illegal: S7", "sent: index 99", "return one of legal", "bot.py:3", "act returned 99"]),
    ("an exception in act", act("return legal[99]"), ["crash", 'bot.py", line 4, in act', "return legal[99]", "IndexError", "decision 1", "view: {", "legal: [0] "]),
    *[
        (f"an exception in {hook}", act("return 0", f"def {hook}(self{parameter}):\n    self.nothing"), ["crash", f'bot.py", line 6, in {hook}', "has no attribute 'nothing'", "this was match 1, seat 0 of 2", f", in {hook}\n"])
        for hook, parameter in (("match_start", ""), ("round_start", ", start"), ("observe", ", event"), ("round_end", ", end"), ("match_end", ", end"))
    ],
    *[
        (f"a misspelt field of {kind}", act("return 0", f"def {hook}:\n    {expression}"), ["crash", f"AttributeError: {kind} has no 'penalty'; it has {names}"])
        for kind, hook, expression, names in (
            ("RoundStart", "round_start(self, start)", "start.penalty", "round, playoff, dealer, players, hand, upcard, scores, cuts"),
            ("RoundEnd", "round_end(self, end)", "end.penalty", "reason, by, hands, penalties, totals"),
            ("MatchEnd", "match_end(self, end)", "end.penalty", "places, totals, forfeited"),
            ("Event", "observe(self, event)", "event.penalty", "seat, do, cards, suit, count, total"),
        )
    ],
    ("a misspelt field of a view", act("return view.hnd"), ["crash", "NinesView has no 'hnd'; it has seat, hand, "]),
    ("a misspelt field of an action", act("return legal[0].penalty"), ["crash", "Action has no 'penalty'; it has do, cards, suit, penalty_shed, card"]),
    ("a misspelt field of a discard", act("return view.discards[0].by"), ["crash", "Discard has no 'by'; it has card, seat, suit"]),
    ("a hook with wrong parameters", act("return 0", "def observe(self):\n    pass"), ["start", "bot.py:5", "write def observe(self, event)"]),
    ("sys.exit in act", act("import sys\nsys.exit(3)"), ["crash: exited with code 3", "bot.py:5: act ended the process", "return an action instead"]),
    ("sys.exit(0) in act", act("exit()"), ["exit: exited with code 0", "bot.py:4: act ended the process"]),
    ("an endless loop", act("while True: pass"), ["timeout: processor time used up", "think less", "self.time_left()", "asked at 0/", "view: {", "legal: [0] ", "where it was when its time was up", 'bot.py", line 4 in act']),
    ("note is set, not called", act("self.note = 'hm'\nreturn 0"), ["crash", "bot.py:2", "self.note was set to 'hm'", "self.note('hm')"]),
    ("a note that cannot be text", act("self.note(N())\nreturn 0").replace("class B", "class N:\n    def __str__(self): return 1\nclass B"), ["crash", "line 6, in act", "__str__ returned non-string"]),
    ("a process of its own that fails", act("import subprocess\nsubprocess.run(['/no/such'], check=True)"), ["crash", "line 5, in act", "FileNotFoundError"]),
]  # fmt: skip


def ours(done: Done) -> list[str]:
    """Frames of ours in what was said; the author's own files lie elsewhere."""
    frames = re.findall(r'File "([^"]+)"', done.said)
    return [f for f in frames if re.search(r"/(referee|botkit|deploy|protos|grpc)/|<frozen", f)]


def in_order(said: list[str], text: str) -> None:
    at = 0
    for words in said:
        assert words in text[at:], f"{words!r} is not in, or not in this order: {text}"
        at = text.index(words, at)


@pytest.mark.parametrize(("code", "said"), [p[1:] for p in PLAYED], ids=[p[0] for p in PLAYED])
def test_a_mistake_in_the_bot(write: Write, code: str, said: list[str]) -> None:
    bot = write(code)
    rules = ("--rule", "match_end=rounds", "--rule", "rounds=1")
    done = ninefold("play", bot, "random", "--game", "nines", *rules, "--matches", "2", "--clock", "0.3+0.01", "--seed", "1")
    assert done.code == 1
    assert f"seat 0 ({bot.name}) forfeits" in done.out
    in_order(said, done.out.split("forfeits, ", 1)[1])
    assert ours(done) == []
    assert done.out.count("forfeits, ") == 1, "the same mistake is told once"
    if "_end(" in code:  # what fails after a match's last decision costs the next match, and after the last one none
        assert f"\nmatch 2: seat 0 ({bot.name}) forfeits" in done.out
        assert "more like it" not in done.out
    else:
        assert f"\nmatch 1: seat 0 ({bot.name}) forfeits" in done.out
        assert "  and 1 more like it: match 2\n" in done.out
    if "in observe" in done.out or "in round_" in done.out or "in match_" in done.out:
        assert "asked at" not in done.out, "a hook's mistake is no decision's"
        assert "view: {" not in done.out


def test_play_fails_if_a_local_bot_forfeits_and_not_for_a_built_in_one(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    crashes = write(act("return legal[99]"), name="crashes")
    good = write(act("return 0"), name="good")
    short = ("--game", "nines", "--matches", "1")
    assert ninefold("play", good, "random", *short).code == 0
    assert ninefold("play", "random", crashes, *short).code == 1
    assert ninefold("play", "random", crashes, *short, "--json").code == 1
    monkeypatch.setattr("referee.service.local.builtin_folders", lambda: {("nines", "falls"): crashes})
    assert ninefold("play", good, "falls", *short).code == 0


UNCOMPILED = [  # what, bot.py, other files, what is said
    ("a syntax error", "from botkit import Bot, run\nclass B(Bot:\n", {}, "bot.py, line 2: invalid syntax: class B(Bot:"),
    ("a wrong indentation", f"{HEAD}class B(Bot):\ndef act(self): pass\n", {}, "bot.py, line 3: expected an indented block"),
    ("a return outside", f"{HEAD}return 0\n", {}, "bot.py, line 2: 'return' outside function: return 0"),
    ("in a module of its own", f"import helper\n{act('return 0')}", {"helper.py": "x = 1\ny = = 2\n"}, "helper.py, line 2: invalid syntax: y = = 2"),
    ("zero bytes", "x = 1\0", {}, "bot.py"),
]  # fmt: skip


@pytest.mark.parametrize("command", ["play", pytest.param("check", marks=pytest.mark.docker)])
@pytest.mark.parametrize(("code", "files", "said"), [u[1:] for u in UNCOMPILED], ids=[u[0] for u in UNCOMPILED])
def test_code_that_does_not_compile_is_refused_at_the_build(write: Write, code: str, files: dict[str, str], said: str, command: str) -> None:
    bot = write(code, **files)
    done = ninefold("play", bot, "random") if command == "play" else ninefold("bot", "check", bot)
    assert done.code == 1
    in_order(["refused", "build", said, "correct it"], done.err if command == "play" else done.out)
    assert "Traceback" not in done.said
    assert "forfeits" not in done.out


@pytest.mark.docker
def test_a_bot_that_hangs_before_it_plays_is_told_where(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINEFOLD_LIMIT_START_SECONDS", "1")
    done = ninefold("bot", "check", write("def prepare():\n    while True:\n        pass\nprepare()\n"))
    assert done.code == 1
    in_order(["refused", "trial", "not ready within 1 s (processor time)", "where it was", 'bot.py", line', "in prepare", "line 4 in <module>"], done.out)
    assert "try it: ninefold play" in done.out
    assert "--sandbox docker" in done.out
    assert ours(done) == []


def test_a_file_that_nothing_imports_may_be_anything(write: Write) -> None:
    done = ninefold("play", write(act("return 0"), **{"template.py": "class {name}(:\n"}), "random", "--matches", "1")
    assert (done.code, "1.00" in done.out) == (0, True)


def test_play_says_what_it_does_not_install(write: Write) -> None:
    wanted = f"nothing-of-that-name==1.0.0\npytest=={pytest.__version__}\n"
    done = ninefold("play", write(act("return 0"), **{"requirements.txt": wanted}), "random", "--matches", "1")
    assert done.code == 0
    assert "my-bot needs nothing-of-that-name==1.0.0, which play does not install: run pip install -r /" in done.err
    assert done.err.count("which play does not install") == 1


def test_play_goes_on_with_requirements_that_would_be_refused(write: Write) -> None:
    bot = write(act("return 0"))
    for text, said in (
        ("pytest>=1\n", "my-bot would be refused at dependencies: requirements.txt line 1"),
        ("numpy==1.0.0\n", "my-bot would be refused at dependencies: numpy==1.0.0 is asked for, and the platform uses"),
    ):
        (bot / "requirements.txt").write_text(text)
        done = ninefold("play", bot, "random", "--matches", "1")
        assert (done.code, said in done.err) == (0, True), done.err


STDIO = MANIFEST.replace('"python"', '"stdio"').replace("bot.py", "run-me")
MANIFESTS = [  # what, bot.toml, what is said
    ("no TOML", 'name = "my-bot\n', ["bot.toml is not valid TOML", "line 1", "correct it"]),
    ("no name", MANIFEST.replace('name = "my-bot"\n', ""), ["name is missing", 'name = "…"']),
    ("a name of other letters", MANIFEST.replace("my-bot", "My Bot"), ["name 'My Bot' is not allowed", "a-z, 0-9 and -"]),
    ("games is a text", MANIFEST.replace('["nines", "nine"]', '"nines"'), ["games is", "give a list such as"]),
    ("a game that is not", MANIFEST.replace('"nine"]', '"poker"]'), ["game 'poker' is not played here", "known are nines, nine"]),
    ("a runtime that is not", MANIFEST.replace('"python"', '"ruby"'), ["runtime 'ruby' is not known", "use one of python, node, stdio"]),
    ("an unknown key", MANIFEST + 'author = "me"\n', ["unknown key 'author'", "known are name, games, runtime, entry"]),
    ("the entry's letter case", MANIFEST.replace("bot.py", "Bot.py"), ["entry 'Bot.py' was not found, 'bot.py' was", "letter case"]),
    ("an entry that is not there", MANIFEST.replace("bot.py", "main.py"), ["entry 'main.py' was not found", "correct entry in bot.toml"]),
    ("an entry of another runtime", MANIFEST.replace('"python"', '"node"'), ["does not end in .js", "runtime node runs such a file"]),
]  # fmt: skip


@pytest.mark.parametrize("command", ["play", "check"])
@pytest.mark.parametrize(("manifest", "said"), [m[1:] for m in MANIFESTS], ids=[m[0] for m in MANIFESTS])
def test_a_mistake_in_bot_toml(write: Write, manifest: str, said: list[str], command: str) -> None:
    bot = write(act("return 0"), manifest=manifest)
    done = ninefold("play", bot, "random") if command == "play" else ninefold("bot", "check", bot)
    assert done.code == 1
    in_order(["refused", "manifest", *said], done.err if command == "play" else done.out)
    if command == "play":
        assert str(bot) in done.err
        assert done.err.count("\n") == 1
    assert "Traceback" not in done.said


def test_a_missing_bot_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(act("return 0"))
    done = ninefold("play", tmp_path, "random")
    in_order(["bot.toml is missing", "found: 'bot.py'", "add bot.toml with name, games, runtime, entry"], done.err)


@pytest.mark.parametrize("command", ["play", "check"])
def test_a_program_that_was_not_compiled_is_told_with_the_command(write: Write, command: str) -> None:
    bot = write("", manifest=STDIO.replace("run-me", "bot"), **{"bot.c": "int main(void) { return 0; }\n"})
    done = ninefold("play", bot, "random") if command == "play" else ninefold("bot", "check", bot)
    assert done.code == 1
    in_order(["entry 'bot' was not found, its source 'bot.c' was", "cc -O2 -static -o bot bot.c"], done.said)


REQUIREMENTS = [
    ("no version", "numpy\n", ["line 1 'numpy' is not one pinned version", "write name==version"]),
    ("a range", "# ok\nnumpy>=2\n", ["line 2 'numpy>=2' is not one pinned version", "write name==version"]),
    ("an option", "numpy==2.0.0\n-r other.txt\n", ["line 2 '-r other.txt' is an option", "write name==version"]),
    ("an address", "x @ git+https://example.org/x\n", ["line 1", "is an address", "write name==version"]),
    ("a package twice", "Numpy==2.0.0\nnumpy==2.0.1\n", ["line 2 names numpy a second time", "once"]),
]


@pytest.mark.parametrize(("text", "said"), [r[1:] for r in REQUIREMENTS], ids=[r[0] for r in REQUIREMENTS])
def test_a_mistake_in_requirements(write: Write, text: str, said: list[str]) -> None:
    done = ninefold("bot", "check", write(act("return 0"), **{"requirements.txt": text}))
    assert done.code == 1
    in_order(["refused", "dependencies: requirements.txt", *said], done.out)
    assert "Traceback" not in done.said


READS = "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    if 'turn' in message:\n        {}\n"
PROGRAMS = [  # what, the program, its mode, what is said
    ("an answer that is no JSON", READS.format("print('index 0', flush=True)"), 0o755, ["timeout: idle", "index 0", "is no JSON object", "stderr for logs", "not answered decision 1: its last line 'index 0' is no JSON object"]),
    ("an answer without an end of line", READS.format("sys.stdout.write('{\\\"index\\\": 0}'); sys.stdout.flush()"), 0o755, ["timeout: idle", "not answered decision 1: it wrote no line since it was asked", "flushed"]),
    ("an end after an answer that is no JSON", READS.format("print('index 0', flush=True); sys.exit(4)"), 0o755, ["crash: exited with code 4", "the program ended with exit code 4: its last line 'index 0' is no JSON object"]),
    ("a signal that ends it", READS.format("import os; os.kill(os.getpid(), 11)"), 0o755, ["crash: exited with code 139", "the program ended with exit code 139 (SIGSEGV)"]),
    ("an answer with another field", READS.format("print(json.dumps({'choice': 0}), flush=True)"), 0o755, ["malformed", "{'choice': 0} is no answer to decision 1: an answer has no field 'choice'; write {\"index\": n}"]),
    ("a note that is a number", READS.format("print(json.dumps({'index': 0, 'note': 5}), flush=True)"), 0o755, ["malformed", "'note': 5} is no answer to decision 1: its note is 5 and must be a text"]),
    ("an index that is a text", READS.format("print(json.dumps({'index': 'first'}), flush=True)"), 0o755, ["malformed", "is no answer to decision 1: its index is 'first' and must be a whole number"]),
    ("a crash of its own", READS.format("sys.exit(4)"), 0o755, ["crash: exited with code 4", "the program ended with exit code 4"]),
    ("no run bit", READS.format("pass"), 0o644, ["start", "run-me cannot be executed: it lacks the permission; run chmod +x /"]),
    ("an interpreter that is not there", "#!/no/such/python\n", 0o755, ["start", "run-me cannot be executed: its first line names /no/such/python, which is not here"]),
    ("a script without its first line", "import json\n", 0o755, ["start", "run-me cannot be executed: no first line says what runs it; begin it with one such as #!/usr/bin/env python3"]),
    ("a program for another machine", "\x7fELF no program", 0o755, ["start", "run-me cannot be executed: compile it for this machine"]),
    ("an index and an action", READS.format("print(json.dumps({'index': 0, 'action': {'nines': {'do': 'draw'}}}), flush=True)"), 0o755, ["malformed", "it holds both index and action; write"]),
    ("an action of another shape", READS.format("print(json.dumps({'action': {'play': '9H'}}), flush=True)"), 0o755, ["malformed", "its action is written unlike those in legal; write"]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "mode", "said"), [p[1:] for p in PROGRAMS], ids=[p[0] for p in PROGRAMS])
def test_a_mistake_of_a_program(write: Write, program: str, mode: int, said: list[str]) -> None:
    bot = write("", manifest=STDIO, **{"run-me": program})
    (bot / "run-me").chmod(mode)
    done = ninefold("play", bot, "random", "--game", "nines", "--matches", "1", "--clock", "0.1+0", "--seed", "1")
    in_order(said, done.out.split("forfeits, ", 1)[1])
    assert ours(done) == []


CHECKED = [  # what, the bot, what `bot check` says of its trial match
    ("a missing module", "import numpie\n", ["failed by start", "ninefold play /", "/my-bot random --game nines", 'File "/bot/bot.py", line 1', "No module named 'numpie'"]),
    ("an exception in act", act("return legal[99]"), ["failed by crash", 'File "/bot/bot.py", line 4, in act', "IndexError", "legal: [0] "]),
    ("an illegal action", act("return Action('play', ('X1',))"), ["failed by illegal", "it sent play X1", "/bot/bot.py:3"]),
]  # fmt: skip


@pytest.mark.docker
@pytest.mark.parametrize(("code", "said"), [c[1:] for c in CHECKED], ids=[c[0] for c in CHECKED])
def test_a_mistake_as_bot_check_tells_it(write: Write, code: str, said: list[str]) -> None:
    done = ninefold("bot", "check", write(code))
    assert done.code == 1
    in_order(["ok       build", "refused  trial", *said], done.out)
    assert "refused at" not in done.out, "it is told once"
    assert ours(done) == []
