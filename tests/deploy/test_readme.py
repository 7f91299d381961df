"""What the operations page says of settings and limits is what the program does."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from referee.sandbox.limits import Limits
from referee.settings import Settings

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
