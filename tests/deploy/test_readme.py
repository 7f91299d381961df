"""What the operations page says of settings and limits is what the program does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from referee.sandbox import limits as sandbox_limits
from referee.sandbox.limits import Limits
from referee.settings import RANGES, Settings

README = Path(__file__).parents[2] / "deploy" / "README.md"


def listed() -> dict[str, str]:
    rows = re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a name is listed twice"
    return dict(rows)


def shown(value: object) -> str:
    return "–" if value == "" else f"{value:g}" if isinstance(value, float) else str(value)


def test_every_setting_and_limit_is_listed_with_its_default() -> None:
    settings, limits = Settings(Path("/x")), Limits()
    true = {f.name: shown(getattr(settings, f.name)) for f in fields(Settings) if f.name not in ("data_dir", "limits")}
    true |= {f"limit_{f.name}": shown(getattr(limits, f.name)) for f in fields(Limits)}
    assert listed() == true


def test_every_range_is_listed_as_it_is_kept() -> None:
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| [^|]* \| ([^|]*?) ?\| [^|]+ \|$", README.read_text(encoding="utf-8"), re.MULTILINE))
    true = dict.fromkeys(listed(), "")
    true |= {name: f"{low}–{high}" for name, (low, high, _) in RANGES.items()}
    true |= {f"limit_{name}": f"{low}–{high}" for name, low, high in sandbox_limits.RANGES}
    assert rows == true
