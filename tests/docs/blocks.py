"""The code blocks of the documents."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: str, kind: str) -> list[str]:
    """The texts of all blocks of that kind, such as `sh` or `hex turn`, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for label, body in _BLOCK.findall(text) if label.strip() == kind]


def block(document: str, kind: str) -> str:
    """The one block of that kind."""
    (only,) = blocks(document, kind)
    return only
