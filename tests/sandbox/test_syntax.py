"""Which files a bot's compile check follows, and what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

CHECKS = Path(__file__).resolve().parents[2] / "deploy" / "images" / "syntax.py"
mistake = runpy.run_path(str(CHECKS))["mistake"]
BROKEN = "x =\n"
SAID = ", line 1: invalid syntax: x ="

FOLLOWED = [  # what, the entry, its text, the broken file, whether it is found
    ("the entry", "bot.py", BROKEN, "bot.py", True),
    ("a module", "bot.py", "import helper\n", "helper.py", True),
    ("a package", "bot.py", "import deep.down\n", "deep/__init__.py", True),
    ("a module in a package", "bot.py", "import deep.down\n", "deep/down.py", True),
    ("a module from a package", "bot.py", "from deep import down\n", "deep/down.py", True),
    ("beside an entry in a folder", "src/bot.py", "import helper\n", "src/helper.py", True),
    ("above an entry in a folder", "src/bot.py", "import helper\n", "helper.py", False),
    ("in a function", "bot.py", "def f():\n    import helper\n", "helper.py", False),
    ("tried", "bot.py", "try:\n    import helper\nexcept SyntaxError: pass\n", "helper.py", False),
    ("not imported", "bot.py", "pass\n", "helper.py", False),
]


@pytest.mark.parametrize(("entry", "text", "broken", "found"), [f[1:] for f in FOLLOWED], ids=[f[0] for f in FOLLOWED])
def test_what_is_imported_when_the_bot_starts_is_checked(tmp_path, entry, text, broken, found):
    for name, code in ((broken, BROKEN), (entry, text)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code)
    assert mistake(str(tmp_path), entry) == (broken + SAID if found else "")


def test_a_relative_import_is_followed_through_modules_that_import_each_other(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "bot.py").write_text("import deep.down\n")
    (tmp_path / "deep" / "down.py").write_text("from . import up\n")
    (tmp_path / "deep" / "up.py").write_text(f"from .down import f\n{BROKEN}")
    assert mistake(str(tmp_path), "bot.py") == "deep/up.py, line 2: invalid syntax: x ="


def test_the_encoding_that_a_file_declares_is_honoured(tmp_path):
    (tmp_path / "bot.py").write_bytes("# -*- coding: latin-1 -*-\nname = 'Zoë'\n".encode("latin-1"))
    assert mistake(str(tmp_path), "bot.py") == ""
